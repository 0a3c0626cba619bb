// The server itself, and what it offers: models, tools, skills, hooks, sub-agents, servers of tools, plugins.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../checks.mjs";

const NOT_THERE_YET = 501;

export async function catalogs(scene) {
  const { checks, api, client, world, place } = scene;
  await checks.check("server/health and features", async () => {
    assert.deepEqual(await api.server.getAlive(), { status: "ok" });
    assert.deepEqual(await api.server.getHealth(), { status: "ok" });
    assert.deepEqual(await api.server.getReady(), { status: "ready" });
    const info = await api.server.getServerInfo();
    assert.equal((await api.server.getRoot()).version, info.version);
    const http = new client.HttpClient({ baseUrl: world.server, apiKey: world.key });
    for (const feature of Object.values(client.AgentServerFeatureRequirements)) {
      await client.assertAgentServerSupports(http, feature);
    }
  });
  await checks.check("server/a wrong key is refused", async () => {
    const stranger = new client.AgentServerClient({ host: world.server, apiKey: "wrong" });
    await assert.rejects(stranger.tools.listTools(), (error) => error.status === 401);
  });
  await checks.check("models/providers, models, verified ones", async () => {
    assert.ok((await api.llm.getProviders()).length > 100);
    assert.ok((await api.llm.getModels("openai")).length > 10);
    assert.ok(Object.keys(await api.llm.getVerifiedModels()).length > 0);
  });
  await checks.check("models/subscription", async () => {
    assert.equal((await api.llm.getOpenAISubscriptionStatus()).connected, false);
    await orLater(api.llm.getOpenAISubscriptionModels());
  });
  await checks.check("tools/names", async () => {
    assert.ok((await api.tools.listTools()).includes("terminal"));
  });
  await checks.check("skills/of a project", async () => {
    const project = place("skilled");
    mkdirSync(join(project, ".agents", "skills", "greet"), { recursive: true });
    writeFileSync(join(project, ".agents", "skills", "greet", "SKILL.md"), "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n");
    const request = { load_public: false, load_user: false, load_project: true, load_org: false, project_dir: project };
    assert.deepEqual((await api.skills.getSkills(request)).skills.map((skill) => skill.name), ["greet"]);
    assert.ok(Array.isArray((await api.skills.listInstalledSkills()).skills));
    await assert.rejects(api.skills.getInstalledSkill("none"), (error) => [404, NOT_THERE_YET].includes(error.status));
  });
  await checks.check("hooks/of a project", async () => {
    const project = place("hooked");
    mkdirSync(join(project, ".openhands"), { recursive: true });
    const hooks = { pre_tool_use: [{ matcher: "*", hooks: [{ type: "command", command: "true" }] }] };
    writeFileSync(join(project, ".openhands", "hooks.json"), JSON.stringify(hooks));
    assert.equal((await api.hooks.loadHooks({ project_dir: project })).hook_config.pre_tool_use.length, 1);
    assert.equal((await api.hooks.loadHooks({ project_dir: place("unhooked") })).hook_config, null);
  });
  await checks.check("sub-agents/built in", async () => {
    assert.ok((await api.subAgents.getSubAgents({})).agents.length > 0);
  });
  await checks.check("mcp/a server that cannot be reached", async () => {
    const answer = await api.mcp.testServer({ name: "none", server: { command: "no-such-program", args: [] }, timeout: 10 });
    assert.equal(answer.ok, false);
    await assert.rejects(api.mcp.getOAuthStatus("none"), (error) => [404, NOT_THERE_YET].includes(error.status));
  });
  await checks.check("plugins/lists", async () => {
    assert.deepEqual((await api.plugins.listInstalledPlugins()).plugins, []);
    assert.ok(Array.isArray((await api.plugins.getPlugins({})).plugins));
    await api.plugins.getPluginsMarketplace();
    await assert.rejects(api.plugins.installPlugin({ source: join(world.root, "no-plugin") }), (error) => error.status >= 400);
  });
  await checks.check("meta-profiles/list", async () => {
    assert.deepEqual((await api.metaProfiles.listMetaProfiles()).meta_profiles, []);
  });
}

async function orLater(answer) {
  try {
    return await answer;
  } catch (error) {
    assert.equal(error.status, NOT_THERE_YET);
    return null;
  }
}
