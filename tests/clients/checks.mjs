// Checks in order: a line for each, with the reason of a failure; the sum at the end is the exit code.
import assert from "node:assert/strict";

const DEADLINE_SECONDS = 60;

export class Checks {
  #failed = 0;
  #passed = 0;
  #skipped = 0;

  constructor(group, { only = process.env.CHECKS ?? "", seconds = DEADLINE_SECONDS } = {}) {
    Object.assign(this, { group, only, seconds });
  }

  // A check may hand on what later ones need; a failed one hands on nothing.
  async check(name, body) {
    const label = `${this.group}/${name}`;
    if (this.only !== "" && !label.includes(this.only)) return undefined;
    const began = Date.now();
    const seconds = () => ((Date.now() - began) / 1000).toFixed(1);
    try {
      const value = await inTime(body(), this.seconds);
      this.#passed += 1;
      console.log(`ok   ${label} (${seconds()}s)`);
      return value;
    } catch (problem) {
      this.#failed += 1;
      console.log(`FAIL ${label} (${seconds()}s)\n       ${explain(problem)}`);
      return undefined;
    }
  }

  skip(name, why) {
    this.#skipped += 1;
    console.log(`skip ${this.group}/${name}\n       skipped: ${why}`);
  }

  // The exit code.
  finish() {
    console.log(`${this.group}: ${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`);
    return this.#failed === 0 ? 0 : 1;
  }
}

function inTime(work, seconds) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function explain(problem) {
  const body = problem?.response === undefined ? "" : ` | body: ${JSON.stringify(problem.response).slice(0, 300)}`;
  return `${String(problem?.message ?? problem).split("\n").slice(0, 12).join("\n       ")}${body}`;
}

export { assert };
