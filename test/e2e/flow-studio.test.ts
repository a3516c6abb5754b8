import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
let url: string;

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
  url = program.url;
  await browser.open(url);
  await browser.until(`document.querySelector('svg')`);
});
afterEach(async () => {
  expect(await program.end()).toBe(0);
  folder.remove();
  expect(browser.complaints).toEqual([]);
  for (const asked of browser.requests) expect(asked).toMatch(/^(?:http:\/\/127\.0\.0\.1:\d+\/|data:)/);
});

const text = () => readFileSync(folder.file, 'utf8');
const shown = (selector: string) => browser.value<string>(`document.querySelector('${selector}').innerText`);
const status = (words: string) => browser.until(`document.getElementById('status').textContent.includes('${words}')`);
const focused = (id: string) => browser.until(`document.activeElement?.id === '${id}'`);

/** Chooses the flow or a step. */
async function choose(place: string): Promise<void> {
  await browser.open(`${url}#${place}`);
  await focused('inspector');
}

/** Types over what is in a field. */
async function type(key: string, value: string): Promise<void> {
  await browser.value(`document.getElementById('field-${key}').focus()`);
  await browser.value(`document.getElementById('field-${key}').select()`);
  await browser.type(value);
}

async function save(): Promise<void> {
  await browser.value(`document.getElementById('review').click()`);
  await browser.until(`document.getElementById('dialog').open`);
  await browser.press('Enter');
}

/** Presses Tab until something has the focus, as somebody without a mouse does. */
async function tabTo(id: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    if (await browser.value<boolean>(`document.activeElement?.id === '${id}'`)) return;
    await browser.press('Tab');
  }
  throw new Error(`Tab does not lead to ${id}`);
}

describe('the page', () => {
  it('shows the steps, what holds for them and what the last run says', async () => {
    expect(await browser.value(`[...document.querySelectorAll('.node')].map((node) => node.dataset.step)`)).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect(await shown('tbody tr:nth-child(2)')).toMatch(/second\s+50,000\s+step\s+30,000\s+lean \(flow\)/);
    await choose('step/second');
    expect(await shown('.binding')).toBe('The budget was binding: of 2 earlier steps, 1 omitted and 1 cut.');
    expect(await shown('.usage')).toContain('49,000 of 50,000 characters');
    expect(await shown('#field-contextBudgetChars-used')).toBe('50,000 used, from step');
    const tiers = (await shown('#inspector table')).split('\n').map((line) => line.split('\t'));
    expect(tiers.slice(2)).toEqual([
      ['CRITICAL', '0', '0', '0', '0'],
      ['HIGH', '0', '0', '0', '0'],
      ['MEDIUM', '0', '0', '1', '1'],
      ['LOW', '0', '0', '0', '0'],
    ]);
  });

  it('warns while a budget is typed', async () => {
    await choose('step/first');
    await type('contextBudgetChars', '900000');
    await status('is above the ceiling of 600,000; 600,000 is used');
    expect(await shown('#field-contextBudgetChars-fault')).toContain('900,000 (step) is above the ceiling');
    await type('contextBudgetChars', 'lots');
    await status('expected a whole number of characters');
    expect(await browser.value(`document.getElementById('field-contextBudgetChars').ariaInvalid`)).toBe('true');
    expect(text()).toBe(STUDIO_FLOW);
  });

  it('shows the difference, saves it and has it after it was loaded anew', async () => {
    await choose('step/second');
    await type('contextBudgetChars', '60,000');
    await browser.until(`document.querySelector('.node[data-step=second]').textContent.includes('60,000')`);
    await browser.value(`document.getElementById('review').click()`);
    await browser.until(`document.getElementById('dialog').open`);
    expect((await shown('del')).trim()).toBe('-       contextBudgetChars: 50000');
    expect((await shown('ins')).trim()).toBe('+       contextBudgetChars: 60000');
    expect(text()).toBe(STUDIO_FLOW);
    await browser.press('Enter');
    await status('Saved job.yaml');
    expect(text()).toBe(STUDIO_FLOW.replace('50000', '60000'));
    await browser.reload();
    await browser.until(`document.getElementById('field-contextBudgetChars')?.value === '60000'`);
    expect(await browser.value(`document.getElementById('review').disabled`)).toBe(true);
  });

  it('changes a profile in its own file, which it names, and the flow beside it', async () => {
    const file = join(folder.path, 'profiles', 'heavy-context.yaml');
    mkdirSync(join(folder.path, 'profiles'));
    writeFileSync(file, 'budgets:\n  historyRecentChars: 90000 # much\n');
    const flow = STUDIO_FLOW.replace('name: job', 'name: job\nprofile: heavy-context').replace(
      '  preset: lean # it is small',
      '  {}',
    );
    writeFileSync(folder.file, flow);
    await browser.reload();
    await browser.until(`document.querySelector('a[href="#profile"]')`);
    await choose('profile');
    expect(await shown('#inspector-title')).toBe('The profile heavy-context');
    expect(await shown('#inspector .quiet')).toContain(
      'profiles/heavy-context.yaml: what is changed here holds for all flows',
    );
    await type('historyRecentChars', '100000');
    await browser.until(`document.querySelector('#inspector tbody').innerText.includes('100,000')`);
    await type('historyOlderChars', 'many');
    await browser.until(`document.getElementById('field-historyOlderChars').ariaInvalid === 'true'`);
    await type('historyOlderChars', '15000');
    await choose('step/second');
    await type('contextBudgetChars', '120000');
    await browser.until(`document.getElementById('review').textContent.includes('3 changes')`);
    await browser.value(`document.getElementById('review').click()`);
    await browser.until(`document.getElementById('dialog').open`);
    expect(await shown('#dialog-title')).toBe('Changes in job.yaml and profiles/heavy-context.yaml');
    await browser.press('Enter');
    await status('Saved job.yaml and profiles/heavy-context.yaml');
    expect(readFileSync(file, 'utf8')).toBe(
      'budgets:\n  historyRecentChars: 100000 # much\n  historyOlderChars: 15000\n',
    );
    expect(text()).toBe(flow.replace('50000', '120000'));
    expect(await browser.value<unknown[]>(POOR_CONTRASTS)).toEqual([]);
  });

  it('refuses to save over what something else has changed, and keeps what was typed', async () => {
    await choose('step/second');
    await type('contextBudgetChars', '60000');
    await browser.until(`!document.getElementById('review').disabled`);
    await browser.value(`document.getElementById('review').click()`);
    await browser.until(`document.getElementById('dialog').open`);
    const changed = STUDIO_FLOW.replace('preset: lean', 'preset: heavy');
    writeFileSync(folder.file, changed);
    await browser.press('Enter');
    await browser.until(`document.getElementById('notice').textContent.includes('changed by something else')`);
    expect(text()).toBe(changed);
    // The button that loads the file again has the focus.
    await browser.press('Enter');
    await status('Loaded again');
    expect(await browser.value(`document.getElementById('field-contextBudgetChars').value`)).toBe('60000');
    expect(await shown('#field-historyOlderChars-used')).toBe('20,000 used, from preset heavy (flow)');
    expect(await browser.value(`document.getElementById('field-historyOlderChars').placeholder`)).toBe('20,000');
    await save();
    await status('Saved');
    expect(text()).toBe(changed.replace('50000', '60000'));
  });

  it('says while somebody types that the file has changed, and leaves the focus', async () => {
    await choose('step/second');
    writeFileSync(folder.file, `${STUDIO_FLOW}# mine\n`);
    await type('contextBudgetChars', '60000');
    await browser.until(`document.getElementById('notice').textContent.includes('changed by something else')`);
    await focused('field-contextBudgetChars');
    expect(text()).toBe(`${STUDIO_FLOW}# mine\n`);
  });

  it('tells what is wrong when the file is no flow any more, and goes on when it is mended', async () => {
    writeFileSync(folder.file, 'name: job\n');
    await browser.value(`document.getElementById('reload').click()`);
    await browser.until(`document.getElementById('notice').textContent.includes('steps: expected')`);
    writeFileSync(folder.file, STUDIO_FLOW);
    await browser.value(`document.getElementById('reload').click()`);
    await browser.until(`document.querySelector('svg') && document.getElementById('notice').hidden`);
  });

  it('is of use with the keyboard alone', async () => {
    await browser.press('Tab');
    expect(await shown(':focus')).toBe('Skip to the budgets');
    for (let count = 0; count < 4; count += 1) await browser.press('Tab');
    // Behind the one button that is there, the link to the flow, and the first step.
    await browser.until(`document.activeElement?.dataset.step === 'second'`);
    expect(await browser.value(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
    await browser.press('Enter');
    await focused('inspector');
    await tabTo('field-historyRecentChars');
    await browser.type('20000');
    await browser.until(`!document.getElementById('review').disabled`);
    await browser.press('Enter');
    await browser.until(`document.getElementById('dialog').open`);
    await browser.press('Escape');
    await browser.until(`!document.getElementById('dialog').open`);
    await focused('field-historyRecentChars');
    await browser.press('Tab');
    // On the button that clears it.
    await browser.press('Enter');
    await browser.until(`document.getElementById('review').disabled`);
    await browser.type('21000');
    await browser.until(`!document.getElementById('review').disabled`);
    await browser.press('Enter');
    await browser.until(`document.getElementById('dialog').open`);
    await browser.press('Enter');
    await status('Saved job.yaml');
    expect(text()).toBe(STUDIO_FLOW.replace('50000\n', '50000\n      historyRecentChars: 21000\n'));
  });

  it('has a name for everything that can be reached', async () => {
    await choose('step/second');
    const nameless = `[...document.querySelectorAll('a, button, input:not([hidden]), select')].filter((element) =>
      !(element.ariaLabel || element.textContent.trim() || element.labels?.length)).map((element) => element.outerHTML)`;
    expect(await browser.value(nameless)).toEqual([]);
  });

  it.each(sampled(['light', 'dark'] as const, 2))('can be read in %s', async (scheme) => {
    await browser.scheme(scheme);
    await choose('step/second');
    const poor = await browser.value<unknown[]>(POOR_CONTRASTS);
    expect(poor).toEqual([]);
  });

  it('says that the studio has ended', async () => {
    await program.end();
    await browser.value(`document.getElementById('reload').click()`);
    await browser.until(`document.getElementById('notice').textContent.includes('does not answer')`);
  });
});
