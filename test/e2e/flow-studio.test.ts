import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { checkFlow } from '../../src/flow/file/read-flow.ts';
import { type Browser, startBrowser } from '../support/chromium.ts';
import { POOR_CONTRASTS } from '../support/contrast.ts';
import { figures, keepRun } from '../support/flow-run.ts';
import { sampled } from '../support/size.ts';
import { RUN, STUDIO_FLOW, type StudioFolder, startStudio, studioFolder } from '../support/studio.ts';

let browser: Browser;
let folder: StudioFolder;
let program: Awaited<ReturnType<typeof startStudio>>;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  folder = studioFolder();
  keepRun(folder.path, RUN, checkFlow(folder.file, STUDIO_FLOW), {
    first: { output: 'a'.repeat(9_000), measured: figures() },
    second: { output: 'b'.repeat(90_000), measured: figures() },
  });
  program = await startStudio(folder);
  await browser.open(program.url);
});
afterEach(async () => {
  expect(await program.end()).toBe(0);
  folder.remove();
  expect(browser.complaints).toEqual([]);
  for (const asked of browser.requests) expect(asked).toMatch(/^(?:http:\/\/127\.0\.0\.1:\d+\/|data:)/);
});

const text = () => readFileSync(folder.file, 'utf8');

/** Waits for a page that a form leads to. */
const shows = (selector: string, words: string) =>
  vi.waitFor(
    async () => {
      const found = await browser.value<string>(`document.querySelector('${selector}')?.innerText ?? ''`);
      expect(found).toContain(words);
    },
    { timeout: 20_000 },
  );

/** Presses Tab until something has the focus, as somebody without a mouse does. */
async function tabTo(selector: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    if (await browser.value<boolean>(`document.activeElement?.matches('${selector}')`)) return;
    await browser.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

it('works with the keyboard alone: type a budget, see its effect, save it', async () => {
  await shows('section', `job, run ${RUN}`);
  await tabTo('[name="third.historyRecentChars"]');
  await browser.type('20000');
  await browser.press('Enter');
  await shows('fieldset:last-of-type', 'historyRecentChars   20,000  step');
  await shows(
    'fieldset:last-of-type',
    'cut      second  MEDIUM  20,000 of 90,000  longer than historyRecentChars, 20,000',
  );
  expect(text()).toBe(STUDIO_FLOW);
  await tabTo('button.main');
  await browser.press('Enter');
  await shows('[role=alert]', 'Saved');
  expect(text()).toBe(STUDIO_FLOW.replace('End.\n', 'End.\n    budgets:\n      historyRecentChars: 20000\n'));
});

it('names every element that takes the focus', async () => {
  const nameless = `[...document.querySelectorAll('a, button, input:not([type=hidden]), select')].filter((element) =>
      !(element.ariaLabel || element.textContent.trim() || element.labels?.length)).map((element) => element.outerHTML)`;
  expect(await browser.value(nameless)).toEqual([]);
});

it.each(sampled(['light', 'dark'] as const, 2))('can be read in %s', async (scheme) => {
  await browser.scheme(scheme);
  await browser.open(program.url);
  expect(await browser.value<unknown[]>(POOR_CONTRASTS)).toEqual([]);
});
