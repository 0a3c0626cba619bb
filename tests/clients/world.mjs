// The processes that a check of a client needs: the scripted model, the agent server, and the server of the Canvas page.
//
// Every process gets a process group of its own and is ended with its group, also when the checks fail half way.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export const KEY = "clients-session-key";
export const SECRET = "clients-secret-key";

// Paths that the page's own server passes on to the agent server, as its launcher does.
const PASSED_ON = ["/api", "/sockets", "/server_info", "/alive", "/health", "/ready", "/docs", "/redoc", "/openapi.json"];
const EDITOR_PATH = "/vscode";

export class World {
  constructor(root, children, model, server, page) {
    Object.assign(this, { root, children, model, server, page, key: KEY });
  }

  // command: the agent server's command line; "--host … --port …" is added.
  static async open({ command, canvas = null, editor = null }) {
    const root = mkdtempSync(join(tmpdir(), "openhands-clients-"));
    const world = new World(root, [], null, null, null);
    try {
      await world.#start(command, canvas, editor);
      return world;
    } catch (problem) {
      await world.close();
      throw problem;
    }
  }

  async #start(command, canvas, editor) {
    const [port, editorPort, pagePort] = await freePorts(3);
    for (const name of ["home", "work", "tmp"]) mkdirSync(join(this.root, name));
    this.model = await this.#startModel();
    this.server = `http://127.0.0.1:${port}`;
    this.#spawn("server", command[0], [...command.slice(1), "--host", "127.0.0.1", "--port", String(port)], {
      cwd: join(this.root, "work"),
      env: serverEnvironment(this.root, editorPort, canvas, editor),
    });
    await until(`${this.server}/ready to answer`, 240, () => answers(`${this.server}/ready`));
    if (canvas === null) return;
    this.page = `http://localhost:${pagePort}`;
    const routes = PASSED_ON.map((path) => [path, this.server]);
    if (editor !== null) routes.push([EDITOR_PATH, `http://127.0.0.1:${editorPort}`]);
    const args = ["--port", String(pagePort), "--host", "127.0.0.1", "--dir", join(canvas, "build"), "--session-api-key", KEY];
    args.push("--disable-telemetry");
    if (editor !== null) args.push("--vscode-base-path", EDITOR_PATH);
    for (const [path, to] of routes) args.push("--route", `${path}=${to}`);
    this.#spawn("page", process.execPath, [join(canvas, "scripts", "static-server.mjs"), ...args], { env: process.env });
    await until(`${this.page} to answer`, 30, () => answers(this.page));
  }

  async #startModel() {
    const child = this.#spawn("model", "python3", [join(here, "..", "conformance", "mock_llm.py")], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
      stdout: "pipe",
    });
    for await (const line of createInterface({ input: child.stdout })) return line.trim();
    throw new Error("the scripted model did not start");
  }

  #spawn(name, program, args, { env, cwd, stdout = "file" }) {
    const log = openSync(join(this.root, `${name}.log`), "a");
    const stdio = ["ignore", stdout === "pipe" ? "pipe" : log, log];
    const child = spawn(program, args, { env, cwd, stdio, detached: true });
    const ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
    this.children.push({ child, ended });
    return child;
  }

  get workspace() {
    return join(this.root, "work");
  }

  async close({ keep = false } = {}) {
    for (const { child, ended } of this.children.splice(0).reverse()) {
      for (const signal of ["SIGTERM", "SIGKILL"]) {
        if (child.pid === undefined || !endGroup(child.pid, signal)) break;
        if (await Promise.race([ended.then(() => true), pause(5000).then(() => false)])) break;
      }
    }
    if (!keep) rmSync(this.root, { recursive: true, force: true });
  }
}

function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

// Nothing of the user's own: another home, another directory for settings, no keys of models.
function serverEnvironment(root, editorPort, canvas, editor) {
  const kept = ["PATH", "LANG", "LC_ALL", "CI"].filter((name) => process.env[name] !== undefined);
  const environment = Object.fromEntries(kept.map((name) => [name, process.env[name]]));
  const own = {
    HOME: join(root, "home"),
    TMPDIR: join(root, "tmp"),
    TMUX_TMPDIR: join(root, "tmp"),
    OH_PERSISTENCE_DIR: join(root, "home", ".openhands"),
    OH_CONVERSATIONS_PATH: join(root, "conversations"),
    OH_BASH_EVENTS_DIR: join(root, "bash_events"),
    OH_VSCODE_PORT: String(editorPort),
    OH_SECRET_KEY: SECRET,
    OH_SESSION_API_KEYS_0: KEY,
    OH_ENABLE_VSCODE: editor === null ? "false" : "true",
    OPENHANDS_SUPPRESS_BANNER: "1",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
  if (canvas !== null) own.OH_EXTRA_PYTHON_PATH = join(canvas, "tools");
  if (editor !== null) {
    own.OH_VSCODE_BASE_PATH = EDITOR_PATH;
    own.PATH = `${dirname(editor)}:${environment.PATH}`;
  }
  return { ...environment, ...own };
}

async function freePorts(count) {
  const held = await Promise.all(
    Array.from({ length: count }, () => new Promise((resolve, reject) => {
      const socket = createServer();
      socket.once("error", reject);
      socket.listen(0, "127.0.0.1", () => resolve(socket));
    })),
  );
  const ports = held.map((socket) => socket.address().port);
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.close(resolve))));
  return ports;
}

async function answers(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Waits for a condition: what it answers, once it is neither false nor null nor undefined.
export async function until(what, seconds, condition) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await pause(50);
  }
}
