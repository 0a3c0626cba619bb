"""Runs cases.py one by one with a time limit each; prints a line per case."""
import argparse
import json
import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")


class Timeout(Exception):
    pass


def on_alarm(*_):
    raise Timeout()


def up(url):
    try:
        with urllib.request.urlopen(url + "/health", timeout=2) as r:
            return r.status == 200
    except OSError:
        return False


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(cmd, port, directory, wait=240):
    log = open(os.path.join(directory, "server.log"), "ab")
    line = cmd.replace("{port}", str(port)).replace("{dir}", shlex.quote(directory))
    for _ in range(3):
        p = subprocess.Popen(["/bin/bash", "-c", "exec " + line], cwd=directory, stdin=subprocess.DEVNULL,
                             stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + wait
        while time.monotonic() < end and p.poll() is None:
            if up(f"http://127.0.0.1:{port}"):
                return p
            time.sleep(0.1)
        stop(p)
    sys.exit(f"server did not answer GET /health; see {log.name}")


def stop(p):
    for sig in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(p.pid, sig)
            p.wait(5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def main():
    ap = argparse.ArgumentParser(prog="run")
    ap.add_argument("--base-url")
    ap.add_argument("--server-cmd", help="command with {port} and {dir}; started for the run and stopped after it")
    ap.add_argument("--api-key", default=os.environ.get("SESSION_API_KEY"))
    ap.add_argument("--port", type=int, default=0, help="port of --server-cmd (default: any free one)")
    ap.add_argument("--mock-port", type=int, default=0, help="port of the scripted model (default: any free one)")
    ap.add_argument("-k", default="", help="only cases whose group/name contains this")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("--no-skips", action="store_true", help="a skipped case counts as a failure")
    ap.add_argument("--json", default="", help="write the per-case results here")
    ap.add_argument("--verbose", action="store_true", help="full tracebacks and client logs")
    a = ap.parse_args()
    if not a.verbose:
        logging.disable(logging.CRITICAL)
    import cases
    from mock_llm import MockLLM
    todo = [x for x in cases.CASES if a.k in f"{x[0]}/{x[1]}"]
    if a.list:
        for g, n, _, _ in todo:
            print(f"{g}/{n}")
        return 0
    if not (a.base_url or a.server_cmd):
        ap.error("give --base-url or --server-cmd")
    root = tempfile.mkdtemp(prefix="conformance-")
    proc = None
    if a.server_cmd:
        a.port = a.port or free_port()
        proc = start(a.server_cmd, a.port, root)
        a.base_url = f"http://127.0.0.1:{a.port}"
    elif not up(a.base_url.rstrip("/")):
        sys.exit(f"{a.base_url}/health does not answer 200")
    mock = MockLLM(a.mock_port)
    ctx = cases.Ctx(a.base_url, a.api_key, mock, root)
    signal.signal(signal.SIGALRM, on_alarm)
    res = []
    t00 = time.monotonic()
    try:
        for g, n, limit, fn in todo:
            t0, out, why = time.monotonic(), "passed", ""
            ctx.begin(n)
            signal.alarm(limit)
            try:
                fn(ctx)
            except Timeout:
                out, why = "failed", f"no result within {limit} s"
            except cases.Skip as e:
                out, why = "skipped", str(e)
            except AssertionError as e:
                out, why = "failed", str(e) or traceback.format_exc().strip().splitlines()[-2].strip()
            except Exception as e:
                resp = getattr(e, "response", None)
                why = f"{type(e).__name__}: {e}"
                if resp is not None:
                    try:
                        why += f" | body: {resp.text[:300]}"
                    except Exception:
                        pass
                out = "failed"
            finally:
                signal.alarm(0)
            if out == "failed" and a.verbose:
                traceback.print_exc()
            signal.alarm(20)
            try:
                ctx.end()
            except Timeout:
                pass
            finally:
                signal.alarm(0)
            dt = time.monotonic() - t0
            res.append({"case": f"{g}/{n}", "outcome": out, "seconds": round(dt, 2), "message": why})
            print(f"{ {'passed': 'ok  ', 'failed': 'FAIL', 'skipped': 'skip'}[out]} {g}/{n} ({dt:.1f}s)"
                  + (f"\n       {why[:1200]}" if why else ""), flush=True)
    finally:
        if proc:
            stop(proc)
    k = lambda o: sum(1 for r in res if r["outcome"] == o)  # noqa: E731
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"suite": "conformance", "cases": res}, f, indent=1)
    print(f"conformance: {k('passed')} passed, {k('failed')} failed, {k('skipped')} skipped ({time.monotonic() - t00:.0f}s)")
    sys.stdout.flush()
    os._exit(1 if k("failed") or (k("skipped") and a.no_skips) else 0)


if __name__ == "__main__":
    sys.exit(main())
