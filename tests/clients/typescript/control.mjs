// Steering a conversation: confirmation, pause, interrupt, secrets, models, goals, hooks.
import { assert } from "../checks.mjs";
import { Talk, runs, script } from "./talk.mjs";
import { until } from "../world.mjs";

export async function control(scene) {
  const { checks, api, client } = scene;
  const check = (name, body, options) =>
    checks.check(`control/${name}`, async () => {
      const talk = await Talk.start(scene, name.replaceAll(/[^a-z]+/g, "-"), options);
      await body(talk, talk.conversation);
      assert.deepEqual(talk.errors, []);
      await talk.close();
    });
  await check("confirm: reject, then accept", confirm);
  await check("pause and go on", async (talk, conversation) => {
    await talk.say(runs("sleep 1; echo slept"), "Rested.");
    await conversation.run();
    await talk.heard("the call", (event) => event.kind === "ActionEvent");
    await conversation.pause();
    await talk.status("paused");
    assert.equal(talk.of("PauseEvent").length, 1);
    const seen = talk.events.length;
    await conversation.run();
    await talk.status("finished", seen);
    assert.equal(await conversation.getAgentFinalResponse(), "Rested.");
  });
  await check("a run that runs already is refused", async (talk, conversation) => {
    await talk.say(runs("sleep 30"), "never");
    await conversation.run();
    await talk.heard("the call", (event) => event.kind === "ActionEvent");
    await assert.rejects(conversation.run(), (error) => error.status === 409);
    await api.conversations.interruptConversation(conversation.id);
    await talk.status("paused");
  });
  await check("events sent with run", async (talk, conversation) => {
    const content = [{ type: "text", text: script("Ran by itself.") }];
    await api.conversations.sendEvent(conversation.id, { role: "user", content }, { run: true });
    await talk.status("finished");
    const count = await api.conversations.getEventCount(conversation.id, { kind: "MessageEvent" });
    assert.equal(count, 2);
    const page = await api.conversations.searchEvents(conversation.id, { limit: 100 });
    const ids = page.items.map((event) => event.id);
    assert.equal((await api.conversations.getEvents(conversation.id, ids)).length, ids.length);
  });
  await check("secrets reach commands and stay hidden", async (talk, conversation) => {
    await conversation.updateSecrets({ HIDDEN_WORD: "mellon-4711", MADE_WORD: () => "made-0815" });
    await talk.run(runs('echo "[$HIDDEN_WORD]" | tr a-z b-za; echo "[$HIDDEN_WORD]"'), "Told.");
    const told = JSON.stringify(talk.events);
    assert.ok(told.includes("[nfmmpo-4711]"), "the command has the value");
    assert.ok(!told.includes("mellon-4711"), "nobody else sees it");
  });
  await check("security analyzer", async (talk, conversation) => {
    await conversation.setSecurityAnalyzer({ kind: "LLMSecurityAnalyzer" });
    await conversation.setSecurityAnalyzer(null);
  });
  await check("condense", async (talk, conversation) => {
    await talk.run("One.");
    await conversation.condense();
    await talk.heard("the shorter history", (event) => event.kind === "Condensation");
  }, { condenser: true });
  await check("another model", async (talk, conversation) => {
    const llm = { ...conversation.agent.llm, model: "openai/other" };
    await conversation.switchLlm(llm);
    assert.equal((await conversation.state.refresh()).agent.llm.model, "openai/other");
    await api.profiles.saveProfile("saved-model", { llm: { ...llm, model: "openai/saved" }, include_secrets: true });
    await conversation.switchProfile("saved-model");
    assert.equal((await conversation.state.refresh()).agent.llm.model, "openai/saved");
    await api.profiles.deleteProfile("saved-model");
    await assert.rejects(conversation.switchAcpModel("x"), (error) => error.status === 400);
  });
  await check("goals", goals);
  await check("hooks of a request run", async (talk, conversation) => {
    await talk.run(runs("echo not-allowed"), "Blocked.");
    assert.equal((await conversation.getHookConfig()).pre_tool_use.length, 1);
    assert.ok(talk.of("HookExecutionEvent").length > 0);
  }, {
    options: {
      hookConfig: client.hookConfigFromData({
        pre_tool_use: [{ matcher: "terminal", hooks: [{ type: "command", command: "exit 2" }] }],
      }),
    },
  });
}

async function confirm(talk, conversation) {
  await conversation.setConfirmationPolicy({ kind: "AlwaysConfirm" });
  assert.equal((await conversation.state.refresh()).confirmation_policy.kind, "AlwaysConfirm");
  await talk.say(runs("echo first-try"), runs("echo second-try"), "Agreed.");
  await conversation.run();
  await talk.status("waiting_for_confirmation");
  let seen = talk.events.length;
  await conversation.sendConfirmationResponse(false, "not this way");
  await talk.heard("the rejection", (event) => event.kind === "UserRejectObservation");
  await conversation.run().catch((error) => assert.equal(error.status, 409));
  await talk.status("waiting_for_confirmation", seen);
  seen = talk.events.length;
  await conversation.sendConfirmationResponse(true);
  await talk.heard("the next call's result", (event) => JSON.stringify(event).includes("second-try") && event.kind === "ObservationEvent");
  await until("the end", 30, async () => {
    const status = (await conversation.state.refresh()).execution_status;
    if (status === "waiting_for_confirmation") await conversation.sendConfirmationResponse(true);
    return status === "finished";
  });
  assert.ok(!talk.of("ObservationEvent").some((event) => JSON.stringify(event.observation).includes("first-try")));
}

async function goals(talk, conversation) {
  await conversation.startGoal(script({ tools: [{ name: "terminal", args: { command: "sleep 20" } }] }), 2);
  await talk.heard("the goal", (event) => event.key === "goal");
  await conversation.stopGoal();
  await conversation.resumeGoal().catch((error) => assert.ok([400, 404, 409].includes(error.status), `status ${error.status}`));
  await conversation.stopGoal().catch((error) => assert.ok([400, 404, 409].includes(error.status), `status ${error.status}`));
}
