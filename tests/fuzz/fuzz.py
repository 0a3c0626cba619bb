"""Fuzzes a running server of ours: schemathesis over its own description, then made-up WebSocket traffic.

Fails on a 5xx that the server did not raise on purpose, on a panic in its log, and when it stops answering.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from sockets import Fuzzer  # noqa: E402

KEY = "fuzz-key"
# Fetches from the network, or goes on for minutes.
LEFT_OUT = ["/api/skills/sync"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="the program to fuzz")
    parser.add_argument("--seconds", type=int, default=600, help="for requests; sockets get a quarter more")
    parser.add_argument("--phases", default="coverage,fuzzing", help="of schemathesis")
    parser.add_argument("--examples", type=int, default=200, help="requests to each operation at most")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", help="operations whose path matches this expression")
    return parser.parse_args()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """The server in a directory of its own, with a home of its own."""

    def __init__(self, program, root):
        self.port = free_port()
        self.log_path = root / "server.log"
        home = root / "home"
        home.mkdir()
        # Git must not find the repository that the test is started in.
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": str(root),
            "GIT_CEILING_DIRECTORIES": str(root),
            "OH_SESSION_API_KEYS_0": KEY,
            "OH_SECRET_KEY": "fuzz-secret",
            "OH_ENABLE_VSCODE": "false",
            "RUST_BACKTRACE": "1",
            # Whoever is asked without an address, as a model is by its provider's name, is not asked for real.
            "HTTPS_PROXY": "http://127.0.0.1:9",
        }
        self.log = self.log_path.open("wb")
        self.process = subprocess.Popen(
            [program, "--host", "127.0.0.1", "--port", str(self.port)],
            cwd=root, env=env, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
        )
        self.url = f"http://127.0.0.1:{self.port}"
        end = time.monotonic() + 30
        while not self.answers():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"the server does not start:\n{self.log_path.read_text()}")
            time.sleep(0.1)

    def answers(self):
        try:
            with urllib.request.urlopen(self.url + "/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def call(self, method, path, body):
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        request.add_header("X-Session-API-Key", KEY)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def problems(self):
        found = []
        if self.process.poll() is not None:
            found.append(f"the server ended with {self.process.returncode}")
        elif not self.answers():
            found.append("the server does not answer any more")
        text = self.log_path.read_text(errors="replace")
        lines = text.splitlines()
        for number, line in enumerate(lines):
            if "panicked at" in line:
                found.append("\n".join(lines[number : number + 12]))
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                sys.exit("the server does not stop")
        self.log.close()


def requests(server, root, options):
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", server.url + "/openapi.json",
        "--checks", "no_unforeseen_failure",
        "--header", f"X-Session-API-Key: {KEY}",
        "--max-time", str(options.seconds),
        "--max-examples", str(options.examples),
        "--seed", str(options.seed),
        # A model that was saved without a number of retries is tried for two minutes before a request that asks it fails.
        "--request-timeout", "180",
        "--suppress-health-check", "all",
        "--phases", options.phases,
        "--continue-on-failure",
        "--no-color",
        "--warnings", "off",
    ]
    for path in LEFT_OUT:
        command += ["--exclude-path", path]
    if options.only:
        command += ["--include-path-regex", options.only]
    count = root / "count"
    env = os.environ | {
        "SCHEMATHESIS_HOOKS": "hooks",
        "PYTHONPATH": str(HERE),
        "FUZZ_ROOT": str(root / "files"),
        "FUZZ_COUNT": str(count),
    }
    (root / "files").mkdir(exist_ok=True)
    failed = subprocess.run(command, env=env, cwd=root).returncode != 0
    answers = int(count.read_text())
    print(f"{answers} answers", flush=True)
    # A run that asked for nothing found nothing.
    return failed or answers == 0


def sockets(server, root, options):
    conversation = server.call("POST", "/api/conversations", {
        "workspace": {"working_dir": str(root / "files")},
        "agent": {"llm": {"model": "openai/none", "base_url": "http://127.0.0.1:9", "api_key": "x", "num_retries": 0}},
    })["id"]
    paths = [f"/sockets/{kind}/{conversation}" for kind in ("events", "session", "output")]
    paths += ["/sockets/bash-events", "/sockets/events/nonsense", "/sockets/events/%00", "/sockets/events/" + "9" * 3000]
    # Half of the connections get in.
    fuzzer = Fuzzer(server.port, paths + [f"{path}?session_api_key={KEY}" for path in paths], options.seed)
    count = fuzzer.run(max(options.seconds // 4, 5))
    print(f"{count} connections")


def main():
    options = arguments()
    program = str(Path(options.server).resolve())
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        root = Path(directory)
        server = Server(program, root)
        try:
            failed = requests(server, root, options)
            problems = server.problems()
            if not problems:
                sockets(server, root, options)
                problems = server.problems()
        finally:
            server.stop()
        for problem in problems:
            print(f"PROBLEM: {problem}")
        if failed or problems:
            print(server.log_path.read_text(errors="replace")[-5000:])
            sys.exit(1)


main()
