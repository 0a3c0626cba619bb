// Does with Playwright what the other side of the benchmark does: one order a line, one time in milliseconds a line.
//
//   node --input-type=module --eval SCRIPT -- DIRECTORY-WITH-playwright-core CHROMIUM

import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [directory, executablePath] = process.argv.slice(1);
const { chromium } = createRequire(join(directory, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();

const works = {
  // What Playwright's own server for agents shows of a page.
  navigate: async url => { await page.goto(url); return page.ariaSnapshot({ mode: 'ai' }); },
  state: async () => page.ariaSnapshot({ mode: 'ai' }),
  click: async () => { await page.click('#press'); return ''; },
  type: async text => { await page.locator('#name').fill(''); await page.locator('#name').pressSequentially(text); return ''; },
  screenshot: async () => (await page.screenshot()).toString('base64'),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { work, argument } = JSON.parse(line);
  const began = process.hrtime.bigint();
  const text = await works[work](argument);
  const milliseconds = Number(process.hrtime.bigint() - began) / 1e6;
  console.log(JSON.stringify({ milliseconds, bytes: Buffer.byteLength(text) }));
}
await browser.close();
