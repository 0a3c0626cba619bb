// Conversations, their events, their socket, and the lists of them.
import { assert } from "../checks.mjs";
import { Talk, runs, script } from "./talk.mjs";
import { until } from "../world.mjs";

export async function conversations(scene) {
  const { checks, api, client } = scene;
  const talk = await checks.check("conversation/a run with a tool is heard on the socket", async () => {
    const talk = await Talk.start(scene, "first");
    await talk.run(runs("echo from-the-tool > made.txt; cat made.txt"), "It is done.");
    const texts = talk.of("ObservationEvent").map((event) => JSON.stringify(event.observation));
    assert.ok(texts.some((text) => text.includes("from-the-tool")));
    assert.ok(talk.of("MessageEvent").some((event) => event.source === "agent"));
    assert.deepEqual(talk.errors, []);
    return talk;
  });
  if (talk === undefined) return;
  const { conversation } = talk;
  await checks.check("conversation/state", () => state(conversation));
  await checks.check("conversation/events", () => events(client, talk));
  await checks.check("conversation/stats and final response", async () => {
    const stats = await conversation.conversationStats();
    assert.ok(stats.usage_to_metrics.default.accumulated_token_usage.prompt_tokens > 0);
    assert.equal(await conversation.getAgentFinalResponse(), "It is done.");
  });
  await checks.check("conversation/title", async () => {
    await conversation.setTitle("A title of its own");
    assert.equal((await api.conversations.getConversation(conversation.id)).title, "A title of its own");
  });
  await checks.check("conversation/ask_agent", async () => {
    assert.equal(typeof (await conversation.askAgent(script("aside"))), "string");
  });
  await checks.check("conversation/trajectory", async () => {
    const blob = await conversation.downloadTrajectory();
    assert.equal(Buffer.from(await blob.arrayBuffer()).subarray(0, 2).toString(), "PK");
  });
  await checks.check("conversation/fork and navigate", () => forks(talk));
  await checks.check("conversation/one that exists is taken up", async () => {
    const again = new client.RemoteConversation(scene.agent(), conversation.workspace, { conversationId: conversation.id });
    await again.start();
    assert.equal(await again.state.getExecutionStatus(), "finished");
  });
  await checks.check("conversation/an initial message runs", async () => {
    const other = await Talk.start(scene, "initial", { start: { initialMessage: script("At once.") } });
    await other.status("finished");
    assert.equal(await other.conversation.getAgentFinalResponse(), "At once.");
    await other.close();
  });
  await checks.check("conversation/answers come in pieces when the model streams", async () => {
    const other = await Talk.start(scene, "streamed", { llm: { stream: true } });
    await other.run("A streamed answer.");
    assert.ok(other.of("StreamingDeltaEvent").some((event) => event.content === "A streamed answer."));
    await other.close();
  });
  await checks.check("manager/lists, counts, updates and deletes", () => manager(scene, conversation));
  await talk.close();
}

async function state({ state, workspace }) {
  await state.refresh();
  assert.equal(await state.getExecutionStatus(), "finished");
  assert.equal(await state.getAgentStatus(), "finished");
  assert.equal((await state.getConfirmationPolicy()).kind, "NeverConfirm");
  assert.deepEqual(await state.getActivatedKnowledgeSkills(), []);
  assert.equal((await state.getAgent()).llm.model, "openai/scripted");
  assert.equal((await state.getWorkspace()).working_dir, workspace.workingDir);
  assert.equal(typeof (await state.getPersistenceDir()), "string");
  assert.equal((await state.modelDump()).execution_status, "finished");
  assert.equal(typeof JSON.parse(await state.modelDumpJson()), "object");
}

async function events(client, { conversation, events: heard }) {
  const list = conversation.state.events;
  const stored = [];
  let page = await list.search({ limit: 3 });
  for (;;) {
    stored.push(...page.items);
    if (!page.next_page_id) break;
    page = await list.search({ limit: 3, page_id: page.next_page_id });
  }
  assert.equal(await list.count(), stored.length);
  const durable = new Set(stored.map((event) => event.id));
  assert.ok(heard.filter((event) => client.isMessageEvent(event)).every((event) => durable.has(event.id)));
  const last = await list.search({ limit: 1, sort_order: "TIMESTAMP_DESC" });
  assert.equal(last.items[0].id, stored.at(-1).id);
  const kinds = await list.search({ kind: "ActionEvent" });
  assert.deepEqual(kinds.items.map((event) => event.kind), ["ActionEvent"]);
  assert.equal((await list.search({ source: "user" })).items.length, 1);
  assert.equal((await list.getEventById(stored[1].id)).id, stored[1].id);
  const none = "00000000-0000-4000-8000-000000000000";
  const both = await list.getEventsById([stored[0].id, none]);
  assert.deepEqual(both.map((event) => event?.id ?? null), [stored[0].id, null]);
  assert.ok((await list.length()) > 0);
}

async function forks({ conversation, events }) {
  const first = events.find((event) => event.kind === "MessageEvent" && event.source === "user");
  const fork = await conversation.fork({ title: "The fork" });
  assert.notEqual(fork.id, conversation.id);
  await fork.navigateTo(first.id);
  assert.equal((await fork.state.refresh()).leaf_event_id, first.id);
  await fork.close();
}

async function manager({ client, world, agent, place }, { id }) {
  const manager = new client.ConversationManager({ host: world.server, apiKey: world.key });
  const found = await manager.searchConversations({ limit: 2, sort_order: client.ConversationSortOrder.CREATED_AT_DESC });
  assert.equal(found.items.length, 2);
  assert.equal(typeof found.next_page_id, "string");
  const total = await manager.countConversations();
  assert.equal((await manager.getAllConversations()).length, total);
  assert.equal(await manager.countConversations({ status: "running" }), 0);
  const unknown = "00000000-0000-4000-8000-000000000000";
  const some = await manager.getConversations([id, unknown]);
  assert.deepEqual(some.map((info) => info?.id ?? null), [id, null]);
  const made = await manager.createConversation(agent(), { initialMessage: script("Made."), workingDir: place("managed") });
  await until("the managed run", 30, async () => (await made.state.refresh()).execution_status === "finished");
  const loaded = await manager.loadConversation(made.id, place("managed"));
  assert.equal(loaded.id, made.id);
  const updated = await manager.updateConversation(made.id, { title: "Managed", tags: { kind: "managed" } });
  assert.ok(updated);
  assert.equal((await manager.getConversation(made.id)).title, "Managed");
  assert.equal((await manager.getAllConversations({ tag: ["kind:managed"] })).length > 0, true);
  await manager.deleteConversation(made.id);
  await assert.rejects(manager.getConversation(made.id), (error) => error.status === 404);
  manager.close();
}
