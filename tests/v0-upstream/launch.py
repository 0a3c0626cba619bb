"""pytest plugin: the upstream runtime tests with a server of our choice behind LocalRuntime.

With OPENHANDS_V0_SERVER set to a command, LocalRuntime starts that command with the arguments that it would have given
the Python module; without it, the Python server is started as ever. Nothing else of the client is changed.
"""

import os
import shlex
import shutil

import pytest

from openhands.runtime.impl.local import local_runtime

MODULE = "openhands.runtime.action_execution_server"
# They share things of the machine: /tmp/test_dir, /workspace, all programs named http.server. So they run one after the other.
SHARING = (
    "test_bash_server",
    "test_bash_background_server",
    "test_long_output_from_nested_directories",
    "test_command_backslash",
    "test_replay.py::",
    "test_browsing.py::",
)


def launching(server, build):
    """The command builder `build`, its interpreter and module replaced by the command `server`."""

    def command(*args, **kwargs):
        built = build(*args, **kwargs)
        return shlex.split(server) + built[built.index(MODULE) + 1 :]

    return command


def pytest_configure(config):
    server = os.environ.get("OPENHANDS_V0_SERVER")
    if server:
        local_runtime.get_action_execution_server_startup_command = launching(
            server, local_runtime.get_action_execution_server_startup_command
        )


@pytest.fixture(autouse=True)
def environment_of_the_process_is_restored():
    """LocalRuntime puts the variables of one test into this process, where they would change the next ones."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True)
def shared_places_are_emptied(request):
    """What one of these tests leaves on the machine changes the next one. Only where `run` has made the places private."""
    yield
    if not os.environ.get("OPENHANDS_V0_PRIVATE") or not shares(request.node):
        return
    shutil.rmtree("/tmp/test_dir", ignore_errors=True)
    for entry in os.scandir("/workspace"):
        shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)


def shares(item):
    return any(name in item.nodeid for name in SHARING)


def pytest_addoption(parser):
    parser.addoption("--expected", help="a file with the names of the tests to run, one on each line")


def names_in(path):
    with open(path) as lines:
        return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


# First, because xdist reads the groups, and adds them to the names, in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Only the tests of the list; a name of the list that no longer exists is an error, not a silent gap."""
    for item in items:
        if shares(item):
            item.add_marker(pytest.mark.xdist_group("machine"))
    path = config.getoption("--expected")
    if not path:
        return
    expected = names_in(path)
    chosen = [item for item in items if item.nodeid in expected]
    whole = not config.getoption("keyword") and all(os.path.isdir(a) for a in config.args)
    missing = expected - {item.nodeid for item in items}
    if whole and missing:
        raise pytest.UsageError("the list names tests that do not exist: " + ", ".join(sorted(missing)))
    left = [item for item in items if item.nodeid not in expected]
    config.hook.pytest_deselected(items=left)
    items[:] = chosen
