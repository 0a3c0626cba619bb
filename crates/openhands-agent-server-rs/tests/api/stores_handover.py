"""Reads what a server keeps with the reference's own stores, prints it, and changes all of it."""

import json
import sys
from pathlib import Path

from openhands.agent_server.persistence.store import FileSecretsStore, FileSettingsStore
from openhands.sdk.llm import LLM
from openhands.sdk.llm.llm_profile_store import LLMProfileStore
from openhands.sdk.llm.provider_connection_store import ProviderConnectionStore
from openhands.sdk.profiles.agent_profile import validate_agent_profile
from openhands.sdk.profiles.agent_profile_store import AgentProfileStore
from openhands.sdk.utils.cipher import Cipher
from pydantic import SecretStr

root, key = Path(sys.argv[1]), sys.argv[2]
cipher = Cipher(key)
settings_store = FileSettingsStore(root, cipher)
secrets_store = FileSecretsStore(root, cipher)
connections = ProviderConnectionStore(root / "provider-connections")
llms = LLMProfileStore(root / "profiles", provider_store=connections)
agents = AgentProfileStore(root / "agent-profiles")

plain = {"expose_secrets": "plaintext"}
settings = settings_store.load(strict=True)
seen = {
    "settings": settings.model_dump(mode="json", context=plain),
    "secrets": {name: secrets_store.get_secret(name) for name in secrets_store.load(strict=True).custom_secrets},
    "llms": {
        name.removesuffix(".json"): llms.load(name, cipher=cipher).model_dump(mode="json", context=plain)
        for name in sorted(llms.list())
    },
    "agents": {s["name"]: agents.load(s["name"]).model_dump(mode="json") for s in agents.list_summaries()},
    "connections": [c.api_key_value() for c in connections.list(cipher=cipher)],
}
print(json.dumps(seen))


def change(settings):
    settings.update(
        {
            "agent_settings_diff": {
                "llm": {"api_key": "sk-python", "model": "openai/python"},
                "mcp_config": {"fs": {"env": {"MORE": "more"}}},
            },
            "misc_settings_diff": {"who": "pytón"},
        },
        context={"cipher": cipher},
    )
    return settings


settings_store.update(change)
secrets_store.set_secret("FROM_PYTHON", "snake", "a word")
llms.save("python", LLM(model="openai/p", api_key=SecretStr("sk-p"), usage_id="u"), True, cipher=cipher)
agents.save(validate_agent_profile({"name": "python", "llm_profile_ref": "python", "disabled_skills": ["x"]}))
connection = connections.list(cipher=cipher)[0]
connections.update(connection.model_copy(update={"api_key": SecretStr("sk-rotated")}), cipher=cipher)
