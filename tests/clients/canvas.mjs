// Agent Canvas in Chromium with a server behind it: what a user does from the first page to deleting a conversation.
//
//   node canvas.mjs PACKAGES CHROMIUM COMMAND…      $CANVAS_PICTURES: a directory for pictures of the page
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Checks, assert } from "./checks.mjs";
import { World, until } from "./world.mjs";
import { Page } from "./canvas/page.mjs";

const [packages, chromium, ...command] = process.argv.slice(2);
const editor = process.env.OPENHANDS_TEST_CODE_SERVER ?? null;
const require = createRequire(join(packages, "package.json"));
const playwright = require("playwright-core");

const calls = (command, more = {}) => ({ tools: [{ name: "terminal", args: { command, ...more } }] });

const world = await World.open({ command, canvas: join(packages, "canvas"), editor });
const checks = new Checks("canvas", { seconds: 120 });
let code = 1;
let page;
try {
  page = await Page.open(playwright.chromium, chromium, world);
  await walk(page);
  code = checks.finish();
} finally {
  await page?.close();
  await world.close({ keep: code !== 0 });
  if (code !== 0) console.log(`logs: ${world.root}`);
}
process.exit(code);

async function walk(page) {
  await checks.check("the first page asks what is needed", async () => {
    await page.go("/");
    await page.test("onboarding-agent-next").waitFor();
    await page.picture("first-page");
  });
  await checks.check("a model is chosen", () => chooseModel(page));
  await checks.check("a first message is answered, with its tool calls", async () => {
    await page.hello("First.", [calls("echo from-the-terminal; echo '# A page' > README.md"), "Here is the **first** answer."]);
    await page.says("Here is the first answer.");
    await page.shows("Ran echo from-the-terminal");
    await page.picture("first-answer");
  });
  await checks.check("an answer comes while it is written", async () => {
    await page.say("Second.", [{ text: "This answer comes in several pieces.", pieces: 6, pace: 0.2 }]);
    await page.says("This answer comes in several pieces.");
    const pieces = page.frames.filter((frame) => frame.includes('"StreamingDeltaEvent"') && frame.includes("source"));
    assert.ok(pieces.length >= 6, `${pieces.length} pieces came`);
  });
  await checks.check("files, changes and terminal are shown", () => panels(page));
  await checks.check("a reload in the middle of a run goes on", async () => {
    const gate = join(world.root, "gate");
    await page.say("Third.", [calls(`until [ -e ${gate} ]; do sleep 0.1; done; echo gate-is-open`), "Through the gate."]);
    await page.test("stop-button").waitFor();
    await page.reload();
    await page.test("stop-button").waitFor();
    await fetch(`${world.server}/api/file/upload?path=${encodeURIComponent(gate)}`, {
      method: "POST",
      headers: { "X-Session-API-Key": world.key },
      body: form("open"),
    });
    await page.says("Through the gate.");
  });
  await checks.check("a run is stopped and goes on", async () => {
    await page.say("Fourth.", [calls("sleep 600"), "Went on."]);
    await page.test("stop-button").click();
    await page.test("stop-button").waitFor({ state: "detached" });
    await page.shows("Stopped");
    await page.picture("stopped");
    await page.resume();
    await page.says("Went on.");
  });
  await checks.check("settings are kept, and actions wait for the user", () => confirm(page));
  await checks.check("the pages of settings open", async () => {
    await page.go("/settings");
    for (const name of ["agents", "llm", "condenser", "agent-context", "app", "secrets"]) {
      await page.test(`sidebar-settings-/settings/${name}`).click();
      await page.page.waitForURL(`**/settings/${name}`);
      await page.quiet();
    }
    for (const path of ["/mcp", "/skills", "/plugins", "/apps"]) {
      await page.go(path);
      await page.test("root-layout").waitFor();
      await page.quiet();
    }
  });
  if (editor !== null && existsSync(editor)) await checks.check("the editor opens", () => openEditor(page));
  else if (process.env.CI === "true") await checks.check("the editor opens", () => assert.fail("there is no code-server"));
  else checks.skip("the editor opens", "no code-server, see tests/vscode/install");
  await checks.check("a conversation is deleted", async () => {
    await page.go("/conversations");
    await page.remove("First");
  });
  await checks.check("no request failed and nothing went wrong in the page", () => {
    assert.deepEqual(page.problems, []);
  });
}

async function chooseModel(page) {
  const consent = page.test("confirm-telemetry-preferences");
  await consent.click();
  await consent.waitFor({ state: "detached" });
  await page.test("onboarding-agent-option-openhands").click();
  await page.test("onboarding-agent-next").click();
  await page.test("sdk-section-advanced-toggle").click();
  await page.test("llm-custom-model-input").fill("openai/scripted");
  await page.test("base-url-input").fill(world.model);
  await page.test("llm-api-key-input").fill("sk-scripted");
  await page.test("onboarding-llm-next").click();
  const settings = await until("the settings to be kept", 30, async () => {
    const { agent_settings: agent } = await page.ask("/api/settings");
    return agent.llm.model === "openai/scripted" ? agent : null;
  });
  assert.equal(settings.llm.base_url, world.model);
}

async function panels(page) {
  await page.tab("files");
  await page.test("files-tab-refresh").click();
  await page.test("files-tab-tree").getByText("README.md").click();
  await page.test("files-tab-content").getByText("A page").waitFor();
  await page.tab("commits");
  await page.shows("Uncommitted");
  await page.tab("terminal");
  await page.picture("terminal");
  await page.tab("usage");
  await page.shows("Token Usage");
}

async function confirm(page) {
  await page.go("/settings/verification");
  await page.test("verification-settings-screen").getByText("Confirmation Mode", { exact: true }).click();
  await page.test("save-button").click();
  await until("the setting to be kept", 30, async () => (await page.ask("/api/settings")).conversation_settings.confirmation_mode === true);
  await page.go("/conversations");
  const risky = (command) => calls(command, { security_risk: "HIGH" });
  await page.say("Fifth.", [risky("echo agreed-to"), risky("echo refused"), "Asked twice."]);
  await page.test("action-confirm-button").click();
  await page.shows("Ran echo agreed-to");
  await page.picture("confirm");
  await page.test("action-reject-button").click();
  await page.test("action-reject-button").waitFor({ state: "detached" });
  assert.equal(await page.shown("Ran echo refused"), false);
}

async function openEditor(page) {
  await page.go("/conversations");
  await page.open("First");
  await page.panel();
  const opened = page.context.waitForEvent("page");
  await page.test("drawer-vscode-link").click();
  const tab = await opened;
  await tab.locator(".monaco-workbench").waitFor();
  await tab.close();
}

function form(text) {
  const data = new FormData();
  data.append("file", new Blob([text]), "file");
  return data;
}
