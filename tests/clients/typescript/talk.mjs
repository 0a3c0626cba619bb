// A conversation through the client, with everything that its socket brought.
import { until } from "../world.mjs";

// A message that carries the model's answers.
export const script = (...steps) => `go MOCK:${JSON.stringify(steps)}`;

export const runs = (command) => ({ tools: [{ name: "terminal", args: { command } }] });

export class Talk {
  constructor(conversation, events, errors) {
    Object.assign(this, { conversation, events, errors });
  }

  // Starts a conversation and listens to it.
  static async start({ client, world, place, agent }, name, { tools, llm, condenser, options = {}, start = {} } = {}) {
    const events = [];
    const errors = [];
    const workspace = new client.RemoteWorkspace({ host: world.server, workingDir: place(name), apiKey: world.key });
    const conversation = new client.RemoteConversation(agent(tools, llm, condenser), workspace, {
      callback: (event) => events.push(event),
      onError: (error) => errors.push(error),
      ...options,
    });
    await conversation.start(start);
    await conversation.startWebSocketClient();
    const talk = new Talk(conversation, events, errors);
    await talk.heard("the first state", (event) => event.key === "full_state");
    return talk;
  }

  heard(what, wanted) {
    return until(what, 30, () => this.events.find(wanted));
  }

  async say(...steps) {
    await this.conversation.sendMessage(script(...steps));
  }

  // Sends, runs, and waits until the run has ended, as the socket tells it.
  async run(...steps) {
    await this.say(...steps);
    const seen = this.events.length;
    await this.conversation.run();
    await this.status("finished", seen);
  }

  status(wanted, from = 0) {
    const tells = (event) =>
      (event.key === "execution_status" && event.value === wanted) ||
      (event.key === "full_state" && event.value.execution_status === wanted);
    return until(`status ${wanted}`, 30, () => this.events.slice(from).find(tells));
  }

  of(kind) {
    return this.events.filter((event) => event.kind === kind);
  }

  close() {
    return this.conversation.close();
  }
}
