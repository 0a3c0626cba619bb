"""Makes llm_catalog.json, the names that the LLM catalogue routes answer with, from an installed Python reference.

    LITELLM_LOCAL_MODEL_COST_MAP=True <python of the reference> make_llm_catalog.py > llm_catalog.json

Only names are taken over: providers, models without those of Bedrock, and the models that are known to work well.
"""

import json
import sys

from openhands.sdk.llm.auth.openai import OPENAI_CODEX_MODELS
from openhands.sdk.llm.utils.unverified_models import (
    _get_litellm_provider_names,
    get_supported_llm_models,
)
from openhands.sdk.llm.utils.verified_models import VERIFIED_MODELS

catalog = {
    "providers": sorted(_get_litellm_provider_names()),
    "verified": VERIFIED_MODELS,
    "subscription": {"openai": sorted(OPENAI_CODEX_MODELS)},
    "models": sorted(set(get_supported_llm_models())),
}
json.dump(catalog, sys.stdout, ensure_ascii=False, indent=0)
sys.stdout.write("\n")
