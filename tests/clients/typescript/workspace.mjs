// The machine behind a conversation: commands, files, git, the workspace's cookie, the editor.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../checks.mjs";
import { until } from "../world.mjs";

export async function workspace(scene) {
  const { checks, api, client, world, place } = scene;
  const directory = place("machine");
  const workspace = new client.RemoteWorkspace({ host: world.server, workingDir: directory, apiKey: world.key });
  await checks.check("workspace/commands", async () => {
    const result = await workspace.executeCommand("echo out; echo err >&2; exit 3", directory);
    assert.equal(result.exit_code, 3);
    assert.ok(result.stdout.includes("out"));
  });
  await checks.check("workspace/files", async () => {
    const text = join(directory, "notes", "text.txt");
    assert.equal((await workspace.uploadText("some text", text)).success, true);
    assert.equal(await workspace.downloadAsText(text), "some text");
    const bytes = new Uint8Array([0, 255, 1, 254]);
    const raw = join(directory, "raw.bin");
    await workspace.uploadFileObject(new File([bytes], "raw.bin"), raw);
    const back = new Uint8Array(await (await api.files.downloadFile(raw)).arrayBuffer?.() ?? bytes);
    assert.deepEqual(back, bytes);
    await api.files.uploadTextFile("more", join(directory, "more.txt"));
    assert.equal(await api.files.downloadTextFile(join(directory, "more.txt")), "more");
    await assert.rejects(workspace.fileDownload(join(directory, "missing")), (error) => error.status === 404);
  });
  await checks.check("workspace/directories", async () => {
    const home = await api.files.getHome();
    assert.equal(home.home, join(world.root, "home"));
    mkdirSync(join(directory, "sub", "deep"), { recursive: true });
    const page = await api.files.searchSubdirectories(directory);
    assert.ok(page.items.some((entry) => entry.name === "sub"));
  });
  await checks.check("workspace/git", async () => {
    const repository = place("repository");
    const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: repository });
    git("init", "-q");
    writeFileSync(join(repository, "kept.txt"), "one\n");
    git("add", ".");
    git("commit", "-qm", "first");
    writeFileSync(join(repository, "kept.txt"), "two\n");
    writeFileSync(join(repository, "new file.txt"), "new\n");
    const changes = await workspace.gitChanges(repository);
    assert.deepEqual(changes.map((change) => [change.status, change.path]).sort(), [["ADDED", "new file.txt"], ["UPDATED", "kept.txt"]]);
    const diff = await workspace.gitDiff(join(repository, "kept.txt"), { ref: "HEAD" });
    assert.deepEqual([diff.original, diff.modified].map((text) => text?.trim()), ["one", "two"]);
    await assert.rejects(workspace.gitDiff(join(repository, "missing.txt"), { ref: "no-such-ref" }));
  });
  await checks.check("workspace/session cookie", async () => {
    const made = await api.conversations.createConversation({ agent: scene.agent(), workspace: { working_dir: directory } });
    const url = await workspace.startWorkspaceSession(made.id);
    assert.ok(url.endsWith(`/api/conversations/${made.id}/workspace/`));
    await workspace.deleteWorkspaceSession();
    const page = await fetch(`${url}more.txt`, { headers: { "X-Session-API-Key": world.key } });
    assert.equal(await page.text(), "more");
  });
  await bash(scene, directory);
  await checks.check("editor/status and url", async () => {
    const status = await api.vscode.getStatus();
    assert.equal(status.enabled, false);
    await assert.rejects(api.vscode.getUrl(), (error) => error.status === 503);
  });
}

async function bash({ checks, api, client, world }, directory) {
  await checks.check("bash/commands, events and their socket", async () => {
    const heard = [];
    const errors = [];
    const socket = new client.BashWebSocketClient({
      host: world.server,
      apiKey: world.key,
      callback: (event) => heard.push(event),
      onError: (error) => errors.push(error),
    });
    socket.start();
    let command;
    // A socket hears what begins after it is open.
    await until("the socket to hear a command", 30, async () => {
      command = await api.bash.startCommand({ command: "echo heard; sleep 0.2", cwd: directory, timeout: 10 });
      return until("its output", 2, () => heard.find((event) => event.command_id === command.id)).catch(() => null);
    });
    await until("the end of the command", 30, () => heard.find((event) => event.command_id === command.id && event.exit_code === 0));
    socket.stop();
    const page = await api.bash.searchEvents({ command_id__eq: command.id, sort_order: "TIMESTAMP", limit: 100 });
    assert.ok(page.items.some((event) => event.kind === "BashOutput" && event.exit_code === 0));
    const [first] = page.items;
    assert.equal((await api.bash.getEvent(first.id)).id, first.id);
    const both = await api.bash.batchGetEvents([first.id, "0".repeat(32)]);
    assert.deepEqual(both.map((event) => event?.id ?? null), [first.id, null]);
    assert.equal((await api.bash.getEvents([first.id, "0".repeat(32)]))[1], null);
    const done = await api.bash.executeCommand("echo joined; exit 4", directory, 10);
    assert.deepEqual([done.exit_code, done.stdout.trim()], [4, "joined"]);
    assert.ok((await api.bash.clearEvents()).cleared_count > 0);
    assert.equal((await api.bash.searchEvents({})).items.length, 0);
    assert.deepEqual(errors, []);
  });
}
