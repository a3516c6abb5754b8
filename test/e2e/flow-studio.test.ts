import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Browser, startBrowser } from '../support/chromium.ts';
import { POOR_CONTRASTS } from '../support/contrast.ts';
import { sampled } from '../support/size.ts';
import {
  aReceipt,
  aReceiptItem,
  STUDIO_FLOW,
  type StudioFolder,
  startStudio,
  studioFolder,
} from '../support/studio.ts';

let browser: Browser;
let folder: StudioFolder;
let program: Awaited<ReturnType<typeof startStudio>>;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  folder = studioFolder();
  folder.receipt(
    'second',
    aReceipt({ items: [aReceiptItem(), aReceiptItem({ outcome: 'omitted' })], truncated: true }),
  );
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

/** Waits for a page that a form or a link leads to. */
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

it('works with the keyboard alone: choose a step, type a budget, see its effect, save it', async () => {
  await tabTo('a[href="?level=second"]');
  await browser.press('Enter');
  await shows('h2', 'second');
  await shows('.binding', 'The budget was binding: of 2 earlier steps, 1 omitted and 1 cut.');
  await tabTo('#historyRecentChars');
  await browser.type('20000');
  await browser.press('Enter');
  await shows('#historyRecentChars ~ .used', '20,000 used, from step');
  expect(text()).toBe(STUDIO_FLOW);
  await tabTo('button.main');
  await browser.press('Enter');
  await shows('[role=alert]', 'Saved');
  expect(text()).toBe(STUDIO_FLOW.replace('50000\n', '50000\n      historyRecentChars: 20000\n'));
});

it('names every element that takes the focus', async () => {
  await browser.open(`${program.url}?level=second`);
  const nameless = `[...document.querySelectorAll('a, button, input:not([type=hidden]), select')].filter((element) =>
      !(element.ariaLabel || element.textContent.trim() || element.labels?.length)).map((element) => element.outerHTML)`;
  expect(await browser.value(nameless)).toEqual([]);
});

it.each(sampled(['light', 'dark'] as const, 2))('can be read in %s', async (scheme) => {
  await browser.scheme(scheme);
  for (const place of ['', '?level=second', '?level=third']) {
    await browser.open(`${program.url}${place}`);
    expect(await browser.value<unknown[]>(POOR_CONTRASTS)).toEqual([]);
  }
});
