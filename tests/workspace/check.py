"""The reference's own DockerWorkspace with our image: a command, files in both directions, pause and resume, stop.

    check.py IMAGE

Prints what it has done, line by line, and ends with 0 if all of it worked.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

os.environ["OH_SESSION_API_KEYS_0"] = uuid.uuid4().hex
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")
# Prices of models are not wanted: without a network the client would trip over fetching them.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from openhands.sdk.workspace import RemoteWorkspace  # noqa: E402
from openhands.workspace import DockerWorkspace  # noqa: E402


def lower_limit(folder: Path) -> None:
    """The client wants 65536 open files. Where even root may not have so many, the engine refuses to start the container, so there a `docker`
    before the real one asks for as many as there are."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most >= 65536:
        return
    docker = folder / "docker"
    docker.write_text(
        "#!/usr/bin/env bash\n"
        f'exec {shutil.which("docker")} "${{@/nofile=65536:65536/nofile={most}:{most}}}"\n'
    )
    docker.chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


def runs(container: str) -> str:
    command = ["docker", "inspect", "-f", "{{.State.Status}}", container]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def check_files(workspace: RemoteWorkspace, folder: Path) -> None:
    (folder / "up.bin").write_bytes(bytes(range(256)) * 64)
    up = workspace.file_upload(folder / "up.bin", "/workspace/up.bin")
    assert up.success, up
    down = workspace.file_download("/workspace/up.bin", folder / "down.bin")
    assert down.success, down
    assert (folder / "down.bin").read_bytes() == (folder / "up.bin").read_bytes()


def main(image: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lower_limit(folder)
        check(image, folder)


def check(image: str, folder: Path) -> None:
    with DockerWorkspace(
        server_image=image, detach_logs=True, health_check_timeout=60, extra_ports=True
    ) as workspace:
        container = workspace._container_id
        assert container and runs(container) == "running"
        print("ok start")
        result = workspace.execute_command("echo out; echo err >&2; pwd; exit 3", cwd="/workspace")
        assert (result.exit_code, result.stdout) == (3, "out\n/workspace\n"), result
        assert "err" in result.stderr, result
        print("ok command")
        check_files(workspace, folder)
        print("ok files")
        workspace.pause()
        assert runs(container) == "paused"
        workspace.resume()
        assert workspace.execute_command("cat up.bin | wc -c", cwd="/workspace").stdout.strip() == "16384"
        print("ok pause and resume")
        # A plain client to the published port.
        plain = RemoteWorkspace(host=workspace.host, api_key=workspace.api_key, working_dir="/workspace")
        assert plain.execute_command("id -u").stdout.strip() == "10001"
        (folder / "back").mkdir()
        check_files(plain, folder / "back")
        print("ok remote workspace")
    # It ends at once and is removed soon after.
    deadline = time.monotonic() + 20
    while runs(container) != "":
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.1)
    print("ok stop")


main(sys.argv[1])
