//! What a model can do, from its name, the embedded catalogue and the user's overrides.

use openhands_protocol::llm::Llm;
use serde_json::Value;

use crate::catalog::{Ability, Catalog, Entry};

/// How a Claude model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// By an effort, if it takes one at all.
    #[default]
    Effort,
    /// By an explicit budget of tokens.
    Manual,
    /// It decides itself, and is told an effort.
    Adaptive,
}

/// What a model can do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelFeatures {
    /// Takes `cache_control` marks on parts of the prompt.
    pub explicit_prompt_cache: bool,
    /// How it is told to think.
    pub thinking: Thinking,
    /// Is asked over the Responses API.
    pub responses_api: bool,
    /// Takes `prompt_cache_retention`.
    pub cache_retention: bool,
    /// Takes `prompt_cache_key`.
    pub cache_key: bool,
    /// Takes stop words.
    pub stop_words: bool,
    /// Wants its own `reasoning_content` back.
    pub echoes_reasoning: bool,
    /// Takes images only as data URLs.
    pub inline_images: bool,
    /// Takes a reasoning effort.
    pub reasoning_effort: bool,
    /// Takes temperature and top-p.
    pub sampling: bool,
    /// Sees images.
    pub vision: bool,
    /// Takes content as plain text only, not as a list of parts.
    pub string_content: bool,
    /// Calls tools natively; otherwise calls are written as text.
    pub native_tools: bool,
    /// Tokens that fit into one request, if known.
    pub context_window: Option<u64>,
    /// Tokens that one answer may have, if known.
    pub max_output_tokens: Option<u64>,
}

const PROMPT_CACHE: &[&str] = &[
    "claude-3-5-sonnet",
    "claude-3.5-sonnet",
    "claude-3-7-sonnet",
    "claude-3.7-sonnet",
    "claude-3-5-haiku",
    "claude-3.5-haiku",
    "claude-3-haiku-20240307",
    "claude-3-opus-20240229",
    "claude-sonnet-4",
    "claude-sonnet-5",
    "claude-opus-4",
    "claude-opus-5",
    "claude-haiku-4-5",
    "claude-haiku-4.5",
    "claude-haiku-5-5",
    "claude-fable-5",
];
const MANUAL_THINKING: &[&str] = &[
    "claude-sonnet-4-5",
    "claude-sonnet-4.5",
    "claude-sonnet-4-6",
    "claude-sonnet-4.6",
    "claude-haiku-4-5",
    "claude-haiku-4.5",
];
const ADAPTIVE_THINKING: &[&str] = &[
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-sonnet-5",
    "claude-opus-5",
    "claude-haiku-5",
    "claude-fable-5",
    "claude-mythos",
];
/// Whose models take an effort if the catalogue says that they think. Others refuse it, or call it otherwise.
const EFFORT_PROVIDERS: &[&str] = &[
    "openai",
    "anthropic",
    "azure",
    "gemini",
    "vertex_ai",
    "bedrock",
];
const RESPONSES_API: &[&str] = &["gpt-5", "gpt-6", "codex-mini-latest"];
/// The last rule that matches decides.
const CACHE_RETENTION: &[(&str, bool)] = &[
    ("gpt-5", true),
    ("gpt-4.1", true),
    ("mini", false),
    ("gpt-5.1-codex-mini", true),
    ("azure/", false),
];
/// The o1 and o3 families are told apart by [`is_o_series`].
const NO_STOP_WORDS: &[&str] = &[
    "grok-4-0709",
    "grok-code-fast-1",
    "deepseek-r1-0528",
    "openai.gpt-",
];
const ECHO_REASONING: &[&str] = &[
    "kimi-k3",
    "kimi-k2-thinking",
    "kimi-k2.5",
    "kimi-k2.6",
    "openrouter/minimax-m2",
    "openrouter/minimax/minimax-m2",
    "deepseek/deepseek-reasoner",
    "deepseek/deepseek-v4-pro",
    "deepseek/deepseek-v4-flash",
    "deepseek/deepseek-v4.1-flash",
];
const INLINE_IMAGES: &[&str] = &[
    "moonshot/kimi-k2.6",
    "moonshot/kimi-k3",
    "openhands/kimi-k3",
];
const STRING_CONTENT: &[&str] = &[
    "deepseek-v3.2",
    "glm",
    "groq/kimi-k2-instruct",
    "openrouter/minimax",
];
const REASONING_EFFORT: &[&str] = &[
    "gpt-5",
    "gpt-6",
    "gpt-oss",
    "codex-mini",
    "claude-3-7-sonnet",
    "claude-sonnet-4",
    "claude-opus-4",
    "claude-haiku-4-5",
    "claude-sonnet-5",
    "claude-opus-5",
    "claude-haiku-5",
    "claude-fable-5",
    "gemini-2.5",
    "gemini-3",
    "grok-3-mini",
];
const VISION: &[&str] = &[
    "gpt-4o",
    "gpt-4.1",
    "gpt-5",
    "gpt-6",
    "claude-3",
    "claude-sonnet",
    "claude-opus",
    "claude-haiku",
    "claude-fable",
    "gemini",
    "pixtral",
    "llava",
    "-vl",
    "grok-4",
    "kimi-k2.5",
    "kimi-k2.6",
    "kimi-k3",
];

impl ModelFeatures {
    /// The features of a configured model: overrides first, then the embedded catalogue, then the table of names.
    pub fn of(llm: &Llm) -> Self {
        Self::with_catalog(llm, &Catalog::default())
    }

    /// The features of a configured model, with a catalogue of one's own.
    pub fn with_catalog(llm: &Llm, catalog: &Catalog) -> Self {
        let name = llm
            .model_canonical_name
            .as_deref()
            .unwrap_or(&llm.model)
            .to_lowercase();
        let mut features = Self::by_name(&name);
        if let Some(entry) = catalog.find(&name) {
            features.apply_catalog(&name, &entry);
        }
        features.apply_settings(llm);
        features.apply_overrides(llm);
        features
    }

    /// The features that the name alone tells.
    fn by_name(name: &str) -> Self {
        let reasoning = has(name, REASONING_EFFORT) || is_o_series(name);
        Self {
            explicit_prompt_cache: has(name, PROMPT_CACHE),
            thinking: if has(name, MANUAL_THINKING) {
                Thinking::Manual
            } else if has(name, ADAPTIVE_THINKING) {
                Thinking::Adaptive
            } else {
                Thinking::Effort
            },
            responses_api: has(name, RESPONSES_API),
            cache_retention: CACHE_RETENTION
                .iter()
                .rev()
                .find(|(rule, _)| name.contains(rule))
                .is_some_and(|(_, takes)| *takes),
            cache_key: is_o_series(name)
                || has(name, &["gpt-4o", "gpt-4.1", "gpt-5", "gpt-6", "codex-mini"]),
            stop_words: !is_o_series(name) && !has(name, NO_STOP_WORDS),
            echoes_reasoning: has(name, ECHO_REASONING),
            inline_images: has(name, INLINE_IMAGES),
            reasoning_effort: reasoning,
            // Reasoning models refuse sampling parameters, Gemini's excepted.
            sampling: !reasoning || name.contains("gemini"),
            vision: has(name, VISION) || is_o_series(name),
            string_content: has(name, STRING_CONTENT),
            native_tools: true,
            context_window: None,
            max_output_tokens: None,
        }
    }

    fn apply_catalog(&mut self, name: &str, entry: &Entry) {
        self.context_window = entry.context_window;
        self.max_output_tokens = entry.max_output_tokens;
        self.vision = entry.can(Ability::Vision);
        self.responses_api |= entry.can(Ability::Responses);
        let provider = name
            .split_once('/')
            .map_or("openai", |(provider, _)| provider);
        if entry.can(Ability::Thinking) && EFFORT_PROVIDERS.contains(&provider) {
            self.reasoning_effort = true;
            self.sampling = name.contains("gemini");
        }
        if entry.can(Ability::NoSampling) {
            self.sampling = false;
        }
        if entry.can(Ability::AdaptiveThinking) && self.thinking == Thinking::Effort {
            self.thinking = Thinking::Adaptive;
        }
    }

    fn apply_settings(&mut self, llm: &Llm) {
        if let Some(limit) = positive(llm.max_input_tokens) {
            self.context_window = Some(limit);
        }
        if llm.disable_vision == Some(true) {
            self.vision = false;
        }
        if let Some(force) = llm.force_string_serializer {
            self.string_content = force;
        }
        if let Some(inline) = llm.inline_image_urls {
            self.inline_images = inline;
        }
        if llm.disable_stop_word == Some(true) {
            self.stop_words = false;
        }
        self.explicit_prompt_cache &= llm.caching_prompt;
        self.native_tools = llm.native_tool_calling;
    }

    fn apply_overrides(&mut self, llm: &Llm) {
        for (name, value) in llm.capability_overrides.iter() {
            let Some(value) = value.as_bool() else {
                self.apply_limit(name, value);
                continue;
            };
            match name.as_str() {
                "supports_prompt_cache" | "supports_prompt_caching" => {
                    self.explicit_prompt_cache = value;
                }
                "supports_prompt_cache_retention" => self.cache_retention = value,
                "supports_prompt_cache_key" => self.cache_key = value,
                "supports_responses_api" => self.responses_api = value,
                "supports_stop_words" => self.stop_words = value,
                "send_reasoning_content" => self.echoes_reasoning = value,
                "inline_image_urls" => self.inline_images = value,
                "supports_reasoning_effort" => self.reasoning_effort = value,
                "supports_sampling_params" => self.sampling = value,
                "supports_vision" => self.vision = value,
                "force_string_serializer" => self.string_content = value,
                "supports_extended_thinking" => {
                    self.thinking = if value {
                        Thinking::Manual
                    } else {
                        Thinking::Effort
                    };
                }
                other => tracing::debug!(capability = other, "unknown capability override"),
            }
        }
    }

    fn apply_limit(&mut self, name: &str, value: &Value) {
        let Some(value) = value.as_u64() else { return };
        match name {
            "max_input_tokens" | "context_window" => self.context_window = Some(value),
            "max_output_tokens" => self.max_output_tokens = Some(value),
            other => tracing::debug!(capability = other, "unknown capability override"),
        }
    }
}

/// A number of tokens in the settings, if it is one.
pub(crate) fn positive(number: Option<i64>) -> Option<u64> {
    number
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| *number > 0)
}

fn has(name: &str, rules: &[&str]) -> bool {
    rules.iter().any(|rule| name.contains(rule))
}

/// OpenAI's o1, o3 and o4 families, which are short enough to occur inside other names.
fn is_o_series(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    ["o1", "o3", "o4"].iter().any(|family| {
        last == *family
            || last
                .strip_prefix(family)
                .is_some_and(|rest| rest.starts_with('-'))
    })
}

#[cfg(test)]
#[path = "features_tests.rs"]
mod tests;
