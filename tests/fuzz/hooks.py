"""What schemathesis may send, and what it must not get back.

The API runs programs and writes files where it is told to. Requests are made up, so what they name is moved into the
directory of the test, commands are quoted, and addresses lead nowhere. All else stays as it was made up.
"""

import atexit
import os
import shlex
from pathlib import Path

import schemathesis

ROOT = os.environ["FUZZ_ROOT"]
NOWHERE = "http://127.0.0.1:9/"

# Members that name a file or directory, a program, or an address.
PATHS = {
    "path", "working_dir", "project_dir", "workspace_dir", "cwd", "conversations_path", "bash_events_dir",
    "profile_store_dir", "log_completions_folder", "skill_root", "repo_path", "marketplace_path", "source",
}
PROGRAMS = {"command", "acp_command", "acp_args", "args", "prompt_command"}
ADDRESSES = {
    "url", "base_url", "ollama_base_url", "server_url", "critic_server_url", "api_url", "host", "http_endpoint",
    "org_repo_url", "aws_bedrock_runtime_endpoint", "posthog_host",
}


def inside(path):
    """A path below the directory of the test. What is no absolute path is refused by the server: it stays."""
    if not isinstance(path, str) or not path.startswith("/"):
        return path
    return ROOT + os.path.normpath("/" + path.replace("\0", ""))


def tamed(name, value):
    if isinstance(value, dict):
        members = {key: tamed(key, member) for key, member in value.items()}
        # A model that leads nowhere is not asked again and again: the defaults would go on for two minutes, others for years.
        if (name == "llm" or "model" in members) and isinstance(members.get("num_retries", 0), int):
            members["num_retries"] = 0
        return members
    if isinstance(value, list):
        return [tamed(name, item) for item in value]
    if not isinstance(value, str):
        return value
    if name in PATHS:
        return inside(value)
    if name in PROGRAMS:
        return "printf %s " + shlex.quote(value.replace("\0", ""))
    if name in ADDRESSES and value:
        return NOWHERE
    return value


@schemathesis.hook
def map_body(context, body):
    return tamed("", body)


@schemathesis.hook
def map_query(context, query):
    return tamed("", query) if query else query


ANSWERS = 0


@atexit.register
def count():
    Path(os.environ["FUZZ_COUNT"]).write_text(str(ANSWERS))


@schemathesis.check
def no_unforeseen_failure(context, response, case):
    """A 5xx is one that the server raises on purpose, and says so."""
    global ANSWERS
    ANSWERS += 1
    status = response.status_code
    if status < 500:
        return
    try:
        exception = response.json()["exception"]
    except Exception:
        exception = ""
    on_purpose = status != 500 and str(exception).startswith(f"{status}: ")
    assert on_purpose, f"{status}: {response.text[:500]}"
