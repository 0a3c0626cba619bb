"""Makes models.json, the catalogue of models, from a price file in LiteLLM's format.

    python3 make_models.py model_prices_and_context_window.json > models.json

Only facts are taken over: names, limits, prices, what a model can do, and where the price is published.
"""

import json
import sys

# The providers that can be reached by name, except those that only pass calls on.
PROVIDERS = {
    "openai", "anthropic", "gemini", "deepseek", "mistral", "codestral", "xai", "groq", "openrouter",
    "moonshot", "minimax", "dashscope", "zai", "azure", "bedrock", "bedrock_converse", "together_ai",
    "fireworks_ai", "cerebras", "cohere_chat", "nebius", "deepinfra", "perplexity", "ollama",
}
MODES = {"chat", "responses", "completion"}
# Where a limit of the answer is only known as `max_tokens`, which some take to be the whole window.
AMBIGUOUS_LIMIT = 16384
FLAGS = {
    "v": lambda fact: fact.get("supports_vision"),
    "t": lambda fact: fact.get("supports_reasoning"),
    "a": lambda fact: fact.get("supports_adaptive_thinking"),
    "r": lambda fact: fact.get("mode") == "responses" or "/v1/responses" in fact.get("supported_endpoints", []),
    "n": lambda fact: fact.get("supports_sampling_params") is False,
}


def per_million(price):
    """Dollars per million tokens, without the noise of binary fractions."""
    number = round(float(price) * 1e6, 6)
    return int(number) if number == int(number) else number


def prices(fact, suffix=""):
    names = {
        "in": "input_cost_per_token",
        "out": "output_cost_per_token",
        "read": "cache_read_input_token_cost",
        "write": "cache_creation_input_token_cost",
    }
    found = {short: fact.get(name + suffix) for short, name in names.items()}
    # A price of nothing for the cache means that it is not told apart.
    return {
        short: per_million(price)
        for short, price in found.items()
        if price is not None and (price > 0 or short in ("in", "out"))
    }


def above(fact):
    """Prices of requests that are longer than a limit."""
    for name in fact:
        if name.startswith("input_cost_per_token_above_") and name.endswith("k_tokens"):
            limit = name.removeprefix("input_cost_per_token_above_").removesuffix("k_tokens")
            return {"tokens": int(limit) * 1000, **prices(fact, f"_above_{limit}k_tokens")}
    return None


def entry(fact, sources):
    out = {}
    if "input_cost_per_token" in fact and "output_cost_per_token" in fact:
        out = prices(fact)
        longer = above(fact)
        if longer and "out" in longer:
            out["above"] = longer
    # Models that run on the user's machine have no price there, whatever the file says.
    if fact.get("litellm_provider") == "ollama":
        out = {}
    window = fact.get("max_input_tokens")
    if window:
        out["window"] = int(window)
    limit = fact.get("max_output_tokens")
    if not limit and fact.get("max_tokens"):
        limit = min(int(fact["max_tokens"]), AMBIGUOUS_LIMIT)
    if limit:
        out["max_out"] = int(limit)
    flags = "".join(flag for flag, holds in FLAGS.items() if holds(fact))
    if flags:
        out["can"] = flags
    if "in" in out:
        source = fact.get("source") or "the price file itself"
        if source not in sources:
            sources.append(source)
        out["source"] = sources.index(source)
    return out


def main():
    facts = json.load(open(sys.argv[1], encoding="utf-8"))
    sources, models = [], {}
    for name, fact in facts.items():
        provider = fact.get("litellm_provider", "")
        wanted = provider in PROVIDERS or provider.startswith("vertex_ai")
        if not wanted or fact.get("mode") not in MODES or name.startswith(("ft:", "sample_")):
            continue
        # Prices by region differ by little; the first is that of the model.
        if provider.startswith("bedrock") and name.count("/") > 1:
            continue
        made = entry(fact, sources)
        if made:
            models[name.lower()] = made
    lines = [json.dumps(name) + ":" + json.dumps(made, separators=(",", ":")) for name, made in sorted(models.items())]
    print('{"sources":' + json.dumps(sources, indent=0) + ',\n"models":{\n' + ",\n".join(lines) + "\n}}")


main()
