// The page in a browser: what a user sees and presses, and what went wrong meanwhile.
import { join } from "node:path";
import { until } from "../world.mjs";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const SIZE = { width: 1500, height: 950 };
const PATIENCE_MS = 60_000;

// What the page asks for and an agent server does not have: another program answers there, or nobody does.
const ABSENT = [
  /^\/api\/automation\//,
  /^\/api\/llm\/balance$/,
  /^\/api\/file\/download\?path=.*PLAN\.md$/,
];

export class Page {
  constructor(browser, context, page, world) {
    Object.assign(this, { browser, context, page, world, problems: [], frames: [] });
  }

  static async open(chromium, executablePath, world) {
    const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
    const context = await browser.newContext({ viewport: SIZE });
    // Fonts and icons of other hosts: the checks are the same without a network.
    await context.route((url) => url.origin !== world.page, (route) => route.abort());
    const page = await context.newPage();
    context.setDefaultTimeout(PATIENCE_MS);
    const own = new Page(browser, context, page, world);
    own.#listen();
    return own;
  }

  #listen() {
    const isAbsent = (path) => ABSENT.some((pattern) => pattern.test(path));
    this.page.on("response", (response) => {
      const path = response.url().replace(this.world.page, "");
      if (response.status() >= 400 && !isAbsent(path)) {
        this.problems.push(`${response.status()} ${response.request().method()} ${path}`);
      }
    });
    this.page.on("pageerror", (error) => this.problems.push(`exception: ${error.message}`));
    this.page.on("console", (message) => {
      const isRequest = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRequest) this.problems.push(`console: ${message.text().slice(0, 300)}`);
    });
    this.page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => this.frames.push(String(payload))));
  }

  test(id) {
    return this.page.getByTestId(id).first();
  }

  go(path) {
    return this.page.goto(`${this.world.page}${path}`);
  }

  async reload() {
    await this.page.reload();
    await this.test("chat-input").waitFor();
  }

  // Until the page has asked for what it wants to show.
  quiet() {
    return this.page.waitForLoadState("networkidle");
  }

  async picture(name) {
    const directory = process.env.CANVAS_PICTURES;
    if (directory) await this.page.screenshot({ path: join(directory, `${name}.png`) });
  }

  async ask(path) {
    const answer = await fetch(`${this.world.server}${path}`, { headers: { "X-Session-API-Key": this.world.key } });
    return answer.json();
  }

  // The message of the last onboarding page, which starts the first conversation.
  async hello(text, steps) {
    const form = this.test("onboarding-hello-input-form");
    await this.test("onboarding-hello-input").fill(`${text} MOCK:${JSON.stringify(steps)}`);
    await form.getByTestId("submit-button").click();
    await this.page.waitForURL(/\/conversations\/[0-9a-f-]{36}/);
  }

  async say(text, steps) {
    const send = this.page.getByTestId("submit-button").last();
    const input = this.test("chat-input");
    // The page empties its field when it has loaded, so what was typed may be gone.
    await until("a message that can be sent", 60, async () => {
      await input.click();
      await this.page.keyboard.press("Control+A");
      await this.page.keyboard.insertText(`${text} MOCK:${JSON.stringify(steps)}`);
      return until("the button", 2, () => send.isEnabled()).catch(() => false);
    });
    await send.click();
    await this.page.waitForURL(/\/conversations\/[0-9a-f-]{36}/);
  }

  says(text) {
    return this.page.getByTestId("agent-message").filter({ hasText: text }).first().waitFor();
  }

  shows(text) {
    return this.page.getByText(text).first().waitFor();
  }

  shown(text) {
    return this.page.getByText(text).first().isVisible();
  }

  async resume() {
    // The button has no name; it stands beside the word.
    await this.page.getByText("Stopped", { exact: true }).locator("xpath=..").locator("button").first().click();
  }

  // Opens the panel beside the chat.
  async panel() {
    const inside = async () => {
      const box = await this.test("conversation-tab-files").boundingBox().catch(() => null);
      return box !== null && box.x + box.width < SIZE.width;
    };
    if (!(await inside())) await this.test("right-panel-toggle").click();
    await until("the panel", 20, inside);
  }

  async tab(name) {
    await this.panel();
    // Pressing the tab that is shown closes the panel.
    if (name !== "files" || !(await this.test("files-tab").isVisible())) await this.test(`conversation-tab-${name}`).click();
  }

  #card(title) {
    return this.page.getByTestId("conversation-card").filter({ hasText: title });
  }

  async open(title) {
    await this.#card(title).first().click();
    await this.test("chat-input").waitFor();
  }

  async remove(title) {
    const cards = this.#card(title);
    await cards.first().waitFor();
    const before = await this.ask("/api/conversations/count");
    await cards.first().hover();
    await cards.first().getByTestId("ellipsis-button").click();
    await this.test("delete-button").click();
    await this.page.getByRole("button", { name: "Confirm Delete" }).click();
    await until("one conversation less", 30, async () => (await this.ask("/api/conversations/count")) === before - 1);
    await cards.first().waitFor({ state: "detached" });
  }

  close() {
    return this.browser.close();
  }
}
