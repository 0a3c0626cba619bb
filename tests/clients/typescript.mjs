// The published TypeScript client against a server: every part of it that talks to an agent server.
//
//   node typescript.mjs PACKAGES COMMAND…      PACKAGES: a directory with node_modules; COMMAND: the server's
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Checks } from "./checks.mjs";
import { KEY, World } from "./world.mjs";
import { conversations } from "./typescript/conversations.mjs";
import { control } from "./typescript/control.mjs";
import { workspace } from "./typescript/workspace.mjs";
import { settings } from "./typescript/settings.mjs";
import { catalogs } from "./typescript/catalogs.mjs";

const [packages, ...command] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));

// The client looks for a browser's socket or for `require`, which a module of its kind does not have.
globalThis.window = { WebSocket: require("ws") };
const root = join(packages, "node_modules", "@openhands", "typescript-client", "dist");
const load = (name) => import(pathToFileURL(join(root, name)));
const client = { ...(await load("index.js")), ...(await load("clients.js")), ...(await load("client/openhands-client.js")) };

const world = await World.open({ command });
const checks = new Checks("typescript");
let code = 1;
try {
  const scene = {
    client,
    world,
    checks,
    api: new client.AgentServerClient({ host: world.server, apiKey: KEY }),
    // A directory that no other check uses.
    place(name) {
      const directory = join(world.workspace, name);
      mkdirSync(directory, { recursive: true });
      return directory;
    },
    agent(tools = ["terminal", "file_editor"], more = {}, condenses = false) {
      const llm = { model: "openai/scripted", api_key: "sk-scripted", base_url: world.model, usage_id: "default", num_retries: 0, ...more };
      const condenser = condenses ? { kind: "LLMSummarizingCondenser", llm: { ...llm, usage_id: "condenser" }, keep_first: 1 } : null;
      return new client.Agent({ llm, tools: tools.map((name) => ({ name, params: {} })), condenser });
    },
  };
  await conversations(scene);
  await control(scene);
  await workspace(scene);
  await settings(scene);
  await catalogs(scene);
  code = checks.finish();
} finally {
  await world.close({ keep: code !== 0 });
  if (code !== 0) console.log(`logs: ${world.root}`);
}
process.exit(code);
