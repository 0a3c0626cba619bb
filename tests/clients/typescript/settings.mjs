// What users save: settings, secrets, servers of tools, model and agent profiles, workspaces.
import { assert } from "../checks.mjs";

export async function settings({ checks, api, world, place }) {
  await checks.check("settings/schemas, reading and changing", async () => {
    assert.ok((await api.settings.getAgentSchema()).sections.length > 0);
    assert.ok((await api.settings.getConversationSchema()).sections.length > 0);
    const llm = { model: "openai/scripted", api_key: "sk-kept", base_url: world.model };
    await api.settings.updateSettings({
      agent_settings_diff: { llm },
      conversation_settings_diff: { confirmation_mode: true },
      misc_settings_diff: { app_preferences: { theme: "dark" } },
    });
    const hidden = await api.settings.getSettings();
    assert.equal(hidden.llm_api_key_is_set, true);
    assert.ok(!JSON.stringify(hidden).includes("sk-kept"));
    assert.equal(hidden.conversation_settings.confirmation_mode, true);
    const plain = await api.settings.getSettings({ exposeSecrets: "plaintext" });
    assert.equal(plain.agent_settings.llm.api_key, "sk-kept");
    const sealed = await api.settings.getSettings({ exposeSecrets: "encrypted" });
    assert.ok(sealed.agent_settings.llm.api_key.startsWith("gAAAAA"));
    await api.settings.updateSettings({ conversation_settings_diff: { confirmation_mode: false } });
  });
  await checks.check("settings/servers of tools", async () => {
    await api.settings.createMcpServer("files", { command: "true", args: [] });
    await api.settings.patchMcpServer("files", { args: ["-x"] });
    const kept = await api.settings.getSettings();
    assert.deepEqual(kept.agent_settings.mcp_config.files.args, ["-x"]);
    await api.settings.deleteMcpServer("files");
    await assert.rejects(api.settings.deleteMcpServer("files"), (error) => error.status === 404);
  });
  await checks.check("settings/secrets", async () => {
    await api.settings.upsertSecret({ name: "A_SECRET", value: "shh", description: "A word" });
    assert.deepEqual((await api.settings.listSecrets()).secrets.map((secret) => secret.name), ["A_SECRET"]);
    assert.equal(await api.settings.getSecret("A_SECRET"), "shh");
    await api.settings.deleteSecret("A_SECRET");
    await assert.rejects(api.settings.getSecret("A_SECRET"), (error) => error.status === 404);
  });
  await checks.check("profiles/models", async () => {
    const llm = { model: "openai/scripted", api_key: "sk-profile", base_url: world.model };
    await api.profiles.saveProfile("one", { llm, include_secrets: true });
    assert.deepEqual((await api.profiles.listProfiles()).profiles.map((profile) => profile.name).filter((name) => name === "one"), ["one"]);
    assert.equal((await api.profiles.getProfile("one", { exposeSecrets: "plaintext" })).config.api_key, "sk-profile");
    assert.equal((await api.profiles.validateProfile("one", { llm, include_secrets: true })).valid, true);
    await api.profiles.renameProfile("one", "two");
    assert.equal((await api.profiles.activateProfile("two")).llm_applied, true);
    assert.equal((await api.settings.listProfiles()).active_profile, "two");
    await api.profiles.deleteProfile("two");
  });
  await checks.check("profiles/agents", async () => {
    const before = await api.agentProfiles.listAgentProfiles();
    assert.ok(before.active_agent_profile_id);
    await api.agentProfiles.saveAgentProfile("mine", { agent_kind: "openhands", llm_profile_ref: "default" });
    const { profile } = await api.agentProfiles.getAgentProfile("mine");
    await api.agentProfiles.renameAgentProfile("mine", "yours");
    const active = await api.agentProfiles.activateAgentProfile(profile.id);
    assert.equal(active.id, profile.id);
    assert.equal((await api.agentProfiles.materializeAgentProfile("yours")).agent_kind, "openhands");
    await api.agentProfiles.deleteAgentProfile("yours");
    await assert.rejects(api.agentProfiles.getAgentProfile("yours"), (error) => error.status === 404);
  });
  await checks.check("workspaces/the list of the user", async () => {
    const path = place("listed");
    const item = { id: path, name: "listed", path };
    assert.equal((await api.workspaces.addWorkspaces([item])).workspaces.length, 1);
    assert.equal((await api.workspaces.addWorkspaceParents([item])).workspaceParents.length, 1);
    assert.equal((await api.workspaces.listWorkspaces()).workspaces[0].path, path);
    assert.equal((await api.workspaces.deleteWorkspace(path)).deleted, true);
    assert.equal((await api.workspaces.deleteWorkspaceParent(path)).deleted, true);
    await assert.rejects(api.workspaces.deleteWorkspace(path), (error) => error.status === 404);
  });
}
