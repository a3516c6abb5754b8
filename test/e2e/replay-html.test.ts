import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { tokens } from '../../src/report/figures.ts';
import { type Browser, startBrowser } from '../support/chromium.ts';
import { POOR_CONTRASTS } from '../support/contrast.ts';
import { aSession, whatIfOf, writePageOf } from '../support/replay-report.ts';
import { inSoak, sampled } from '../support/size.ts';

let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), 'ctxb-replay-'));
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  expect(browser.complaints).toEqual([]);
  for (const asked of browser.requests) expect(asked).toBe(`file://${folder}/page.html`);
});

async function open(sessions: readonly SessionSummary[]): Promise<void> {
  await browser.scheme('light');
  await browser.size(1280, 900);
  const url = writePageOf(folder, sessions);
  // A place in the same page would not load it anew.
  await browser.open('about:blank');
  await browser.open(url);
  await browser.until(`!document.querySelector('.chart') || document.querySelectorAll('canvas').length === 3`);
}

const [CONTEXT, GROWTH, COST] = [0, 1, 2];

const shown = (selector: string) => browser.value<string>(`document.querySelector('${selector}')?.innerText ?? ''`);
const readout = () => shown('.readout:not([hidden])');
const press = (text: string) =>
  browser.value(`[...document.querySelectorAll('button')].find((each) => each.textContent === '${text}').click()`);

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The middle of a call in a chart that shows the calls `from` to `to`. */
async function place(chart: number, call: number, [from, to]: readonly [number, number]) {
  await browser.until(`document.querySelectorAll('.u-over')[${chart}]`);
  const box = await browser.value<Box>(`(() => {
    const over = document.querySelectorAll('.u-over')[${chart}];
    over.scrollIntoView({ block: 'center' });
    return over.getBoundingClientRect().toJSON();
  })()`);
  const share = (call - from + 0.5) / (to - from + 1);
  return [box.x + share * box.width, box.y + box.height / 2] as const;
}

async function hover(chart: number, call: number, range: readonly [number, number]): Promise<void> {
  await browser.mouse('move', ...(await place(chart, call, range)));
}

/** Where in each chart the line stands that points at a call, as a share of its width, once it is drawn. */
const pointed = () =>
  browser.value<number[]>(`new Promise((done) => requestAnimationFrame(() => done(
    [...document.querySelectorAll('.u-over')].map((over) => {
      const { left, width } = over.getBoundingClientRect();
      return (over.querySelector('.u-cursor-x').getBoundingClientRect().left - left) / width;
    }))))`);

/** Presses Tab until something has the focus, as somebody without a mouse does. */
async function tabTo(selector: string): Promise<void> {
  for (let count = 0; count < 80; count += 1) {
    if (await browser.value<boolean>(`document.activeElement?.matches('${selector}') ?? false`)) return;
    await browser.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

describe('the charts of a session', () => {
  it.each([
    { chart: CONTEXT, call: 1 },
    { chart: CONTEXT, call: 17 },
    { chart: GROWTH, call: 33 },
    { chart: COST, call: 60 },
  ])('show the figures of call $call when the mouse is over chart $chart', async ({ chart, call }) => {
    const session = aSession({ calls: 60 });
    await open([session]);
    await hover(chart, call, [1, 60]);
    const seen = session.series?.[call - 1];
    if (seen === undefined) throw new Error('expected a call');
    const words = await readout();
    expect(words.split('\n')[0]).toBe(`Call ${call}`);
    expect(words).toContain(tokens(seen.context));
    expect(words).toContain(`${seen.outputKnown ? '' : '~'}${tokens(seen.output)}`);
    if (seen.predicted !== null) expect(words).toContain(`${tokens(seen.predicted)} (+`);
    for (const [kind, count] of Object.entries(seen.added)) expect(words).toContain(`+ ${kind}\n~${tokens(count)}`);
    expect(words).toContain(`Turn: do part ${seen.turn}`);
    // It points at the same call everywhere.
    for (const share of await pointed()) expect(share).toBeCloseTo((call - 0.5) / 60, 2);
    expect(await browser.value(`document.querySelector('[type=range]').value`)).toBe(String(call));
  });

  it('show the side of a compaction that the mouse is on, and nothing after it has left', async () => {
    const session = aSession({ calls: 60 });
    const before = session.compactions[0]?.call ?? 0;
    await open([session]);
    await hover(CONTEXT, before, [1, 60]);
    expect(await readout()).toContain('After it: compacted by claude itself.');
    await hover(CONTEXT, before + 1, [1, 60]);
    expect(await readout()).toContain('Before it: compacted by claude itself.');
    await browser.mouse('move', 2, 2);
    expect(await readout()).toBe('');
  });

  it('work with the keyboard alone', async () => {
    const session = aSession({ calls: 60 });
    await open([session]);
    await browser.press('Tab');
    expect(await shown(':focus')).toBe('Skip to the content');
    await tabTo('[type=range]');
    expect(await browser.value(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
    expect(await browser.value(`document.activeElement.ariaValueText`)).toBe('no call chosen');
    await browser.press('ArrowRight');
    expect(await readout()).toMatch(/^Call 1\n/);
    await browser.press('ArrowRight');
    await browser.press('PageUp');
    expect(await readout()).toMatch(/^Call 8\n/);
    await browser.press('ArrowLeft');
    const seventh = session.series?.[6]?.context ?? 0;
    expect(await browser.value(`document.activeElement.ariaValueText`)).toContain(
      `Call 7: Turn 1, Context ${tokens(seventh)} `,
    );
    await browser.press('End');
    expect(await readout()).toMatch(/^Call 60\n/);
    await tabTo('[aria-label="Zoom in"]');
    await browser.press('Enter');
    expect(await shown('.toolbar .quiet')).toBe('calls 31–60 of 60');
    // It is zoomed round the call that is pointed at, which stays where it is.
    for (const share of await pointed()) expect(share).toBeCloseTo(59.5 / 60, 2);
    await browser.size(900, 700);
    await browser.until(`[...document.querySelectorAll('canvas')].every((each) => each.clientWidth < 880)`);
    for (const share of await pointed()) expect(share).toBeCloseTo(59.5 / 60, 2);
    await tabTo('[type=range]');
    for (let count = 0; count < 6; count += 1) await browser.press('PageDown');
    expect(await readout()).toMatch(/^Call 24\n/);
    expect(await shown('.toolbar .quiet')).toBe('calls 24–53 of 60');
    for (const share of await pointed()) expect(share).toBeCloseTo(0.5 / 30, 2);
    await tabTo('[aria-label="Show all calls"]');
    await browser.press('Enter');
    expect(await shown('.toolbar .quiet')).toBe('');
    await tabTo('[type=range]');
    await browser.press('Home');
    expect(await readout()).toBe('');
  });

  it('zoom into a dragged range, and out again', async () => {
    await open([aSession({ calls: 60 })]);
    await browser.mouse('move', ...(await place(CONTEXT, 11, [1, 60])));
    await browser.mouse('press', ...(await place(CONTEXT, 11, [1, 60])));
    await browser.mouse('move', ...(await place(CONTEXT, 20, [1, 60])));
    await browser.mouse('release', ...(await place(CONTEXT, 20, [1, 60])));
    expect(await shown('.toolbar .quiet')).toBe('calls 11–20 of 60');
    for (const chart of [CONTEXT, GROWTH, COST]) {
      await browser.mouse('move', 2, 2);
      await hover(chart, 15, [11, 20]);
      expect(await readout()).toMatch(/^Call 15\n/);
    }
    await press('−');
    expect(await shown('.toolbar .quiet')).not.toBe('calls 11–20 of 60');
    await press('All');
    expect(await shown('.toolbar .quiet')).toBe('');
    expect(await browser.value(`[...document.querySelectorAll('.toolbar button')].at(-1).disabled`)).toBe(true);
  });

  it('show the context with ctxb in the same chart', async () => {
    const session = aSession({ calls: 60 });
    const context = session.series?.map((call) => Math.round(call.context / 2)) ?? [];
    await open([{ ...session, whatIf: whatIfOf(context) }]);
    const image = `document.querySelector('canvas').toDataURL()`;
    const both = await browser.value(image);
    await hover(CONTEXT, 9, [1, 60]);
    expect(await readout()).toContain(`With ctxb\n${tokens(context[8] ?? 0)}`);
    await browser.mouse('move', 2, 2);
    const chip = `[...document.querySelectorAll('.legend button')].find((each) => each.innerText === 'With ctxb')`;
    await browser.value(`${chip}.click()`);
    await browser.until(`${chip}.ariaPressed === 'false' && ${image} !== ${JSON.stringify(both)}`);
  });

  it('show the whole window or fit their curves', async () => {
    await open([aSession({ calls: 60 })]);
    expect(await shown('.level.window')).toBe('window 100%');
    await press('Whole window');
    await browser.until(`document.querySelector('.level.compact') && !document.querySelector('.level.window')`);
    await press('Whole window');
    await browser.until(`document.querySelector('.level.window')`);
  });

  it('add up what came in', async () => {
    await open([aSession({ calls: 60 })]);
    const image = `document.querySelectorAll('canvas')[${GROWTH}].toDataURL()`;
    const each = await browser.value(image);
    await press('Sum since the last compaction');
    await browser.until(
      `document.querySelectorAll('.legend')[${GROWTH}].firstChild.ariaPressed === 'true' && ${image} !== ${JSON.stringify(each)}`,
    );
  });

  it('have tables with the same figures', async () => {
    const session = aSession({ calls: 120 });
    await open([session]);
    await browser.value(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
    await browser.until(`document.querySelectorAll('details table').length === 3`);
    const cells = (table: number, row: number) =>
      browser.value<string[]>(
        `[...document.querySelectorAll('details table')[${table}].querySelectorAll('tbody tr')[${row}].cells].map((each) => each.innerText)`,
      );
    const third = session.series?.[2];
    expect(await cells(0, 2)).toEqual(expect.arrayContaining(['3', '1', tokens(third?.context ?? 0)]));
    expect(await cells(1, 2)).toEqual([
      '3',
      '1',
      ...['Read', 'Bash', 'answer'].map((kind) => tokens(third?.added[kind] ?? 0)),
    ]);
    expect(await cells(2, 2)).toEqual(expect.arrayContaining([tokens(third?.cacheRead ?? 0)]));
    expect(await shown('details .pager')).toContain('1–50 of 120');
    await browser.value(`document.querySelector('details .pager button:last-of-type').click()`);
    expect((await cells(0, 0))[0]).toBe('51');
    // A call leads back to the chart.
    await browser.value(`document.querySelector('details tbody .go').click()`);
    expect(await readout()).toMatch(/^Call 51\n/);
  });

  it('say so if no call was measured', async () => {
    await open([aSession({ calls: 0 }), aSession({ seed: 2 })]);
    const row = `document.querySelector('tbody tr')`;
    expect(await browser.value<string>(`${row}.innerText.replaceAll(/\\s+/g, ' ')`)).toContain(' – – 0 ');
    await browser.value(`${row}.querySelector('a').click()`);
    await browser.until(`document.querySelector('.tiles')`);
    expect(await shown('main')).toContain('No call of the main thread was measured in it.');
    expect(await shown('.tiles')).toMatch(/^Peak context\s+–\s/);
  });
});

describe('tables', () => {
  it('sort by a clicked heading, and mark it', async () => {
    await open([aSession({ calls: 90 })]);
    const head = (name: string) => `[...document.querySelectorAll('section[aria-label="Largest results of tools"] th')]
      .find((each) => each.innerText.startsWith('${name}'))`;
    const column = () =>
      browser.value<string[]>(
        `[...document.querySelectorAll('section[aria-label="Largest results of tools"] tbody tr')].map((row) => row.cells[1].innerText)`,
      );
    const figures = async () => (await column()).map((text) => Number(text.replaceAll(',', '')));
    await browser.value(`${head('Tokens')}.firstChild.click()`);
    const falling = await figures();
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    expect(await browser.value(`${head('Tokens')}.ariaSort`)).toBe('descending');
    await browser.value(`${head('Tokens')}.firstChild.click()`);
    const rising = await figures();
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    expect(rising).not.toEqual(falling);
    await browser.value(`${head('Used on')}.firstChild.click()`);
    expect(await browser.value(`[${head('Tokens')}.ariaSort, ${head('Used on')}.ariaSort]`)).toEqual([
      null,
      'ascending',
    ]);
  });
});

describe('several sessions', () => {
  const sessions = [1, 2, 3].map((seed) => aSession({ seed, calls: 20 * seed }));

  it('are a list of links', async () => {
    await open(sessions);
    expect(await shown('.about')).toMatch(/^3 sessions · 120 calls/);
    expect(await browser.value(`document.querySelectorAll('.sparkline').length`)).toBe(3);
    await browser.value(`[...document.querySelectorAll('tbody a')].at(1).click()`);
    await browser.until(`document.querySelector('h1').textContent === 'project-2/session-2.jsonl'`);
    expect(await browser.value(`document.activeElement.id`)).toBe('main');
    await hover(CONTEXT, 40, [1, 40]);
    expect(await readout()).toMatch(/^Call 40\n/);
    const link = (text: string) =>
      browser.value(
        `[...document.querySelectorAll('nav a')].find((each) => each.innerText.includes('${text}')).click()`,
      );
    await link('Next');
    await browser.until(`document.querySelector('h1').textContent === 'project-3/session-3.jsonl'`);
    await link('All');
    await browser.until(`document.querySelector('tbody a')`);
  });

  it('can be searched', async () => {
    await open(sessions);
    await browser.value(`document.getElementById('find').focus()`);
    await browser.type('session-3');
    await browser.until(`document.querySelectorAll('tbody tr').length === 1`);
    expect(await shown('.controls')).toContain('1 session found');
  });

  it('show whole model names next to long prompts', async () => {
    await open([1, 2].map((seed) => aSession({ seed, prompt: 'all that was said '.repeat(9) })));
    const heights = `[...document.querySelectorAll('.once')].map((name) => name.offsetHeight)`;
    for (const height of await browser.value<number[]>(heights)) expect(height).toBeLessThan(30);
  });

  inSoak('may be a thousand with 200,000 calls', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => aSession({ seed: at, calls: 200 }));
    await open(many);
    // 100 bytes for each call, which a browser parses in less than a second.
    expect(statSync(join(folder, 'page.html')).size).toBeLessThan(20e6);
    expect(await shown('.about')).toMatch(/^1,000 sessions · 200,000 calls/);
    expect(await shown('.pager')).toContain('1–50 of 1,000');
    await browser.value(`location.hash = '#session-777'`);
    await browser.until(`document.querySelector('h1').textContent.endsWith('session-776.jsonl')`);
    await hover(CONTEXT, 150, [1, 200]);
    expect(await readout()).toMatch(/^Call 150\n/);
  });

  inSoak('may be one with 200,000 calls', async () => {
    await open([aSession({ calls: 200_000 })]);
    await browser.value(`document.querySelector('[type=range]').focus()`);
    await browser.press('End');
    expect(await readout()).toMatch(/^Call 200,000\n/);
  });
});

describe('the page', () => {
  it.each(sampled(['light', 'dark'] as const, 2))('can be read in %s', async (scheme) => {
    await open([aSession({ calls: 60 })]);
    const light = await browser.value(`document.querySelector('canvas').toDataURL()`);
    await browser.scheme(scheme);
    await browser.value(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
    await browser.until(`document.querySelectorAll('details table').length === 3`);
    await hover(CONTEXT, 30, [1, 60]);
    expect(await browser.value(POOR_CONTRASTS)).toEqual([]);
    const same = await browser.value(`document.querySelector('canvas').toDataURL() === ${JSON.stringify(light)}`);
    expect(same).toBe(scheme === 'light');
  });

  it.each([
    { name: 'a session', sessions: [aSession({ calls: 60 })] },
    { name: 'the list', sessions: [aSession({ seed: 1 }), aSession({ seed: 2 })] },
  ])('shows $name on a phone without sideways scrolling', async ({ sessions }) => {
    await open(sessions);
    await browser.size(360, 740);
    await browser.until(`[...document.querySelectorAll('canvas')].every((each) => each.clientWidth <= 340)`);
    expect(await browser.value(`document.documentElement.scrollWidth`)).toBe(360);
  });

  it.each([
    { width: 1280, name: 'cuts no column off' },
    { width: 390, name: 'shows a row as a card' },
  ])('at $width pixels $name', async ({ width }) => {
    const session = aSession({
      model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]',
      prompt: 'can you look at the changes in this branch',
    });
    for (const sessions of [[session, session], [session]]) {
      await open(sessions);
      await browser.size(width, 900);
      // Sessions, or what is in one.
      const tables = await browser.value<number[][]>(`[...document.querySelectorAll('.scroll')]
        .filter((each) => each.clientWidth > 0).map((each) => [each.scrollWidth, each.clientWidth])`);
      expect(tables.length).toBeGreaterThan(0);
      for (const [wanted, given] of tables) expect(wanted).toBe(given);
    }
    const title = `getComputedStyle(document.querySelector('tbody td'), '::before').content`;
    expect(await browser.value(title)).toMatch(width === 390 ? /^"\w/ : /^none$/);
  });

  it('shows the call that a finger touches at the lower edge of a phone', async () => {
    await open([aSession({ calls: 60 })]);
    await browser.size(360, 740);
    await browser.until(`[...document.querySelectorAll('canvas')].every((each) => each.clientWidth <= 340)`);
    await browser.tap(...(await place(CONTEXT, 20, [1, 60])));
    await browser.until(`document.querySelector('.readout:not([hidden])')`);
    expect(await readout()).toMatch(/^Call 20\n/);
    expect(await browser.value(`document.querySelector('.readout').getBoundingClientRect().bottom`)).toBe(740);
    await browser.tap(100, 5);
    await browser.until(`document.querySelector('.readout').hidden`);
  });

  it('prints in light colours, as wide as the paper', async () => {
    await open([aSession({ calls: 60 })]);
    await browser.scheme('dark');
    const ground = `getComputedStyle(document.body).backgroundColor`;
    const dark = await browser.value(ground);
    await browser.value(`dispatchEvent(new Event('beforeprint'))`);
    expect(
      await browser.value(`Math.max(...[...document.querySelectorAll('canvas')].map((each) => each.clientWidth))`),
    ).toBe(680);
    expect(await browser.value(ground)).not.toBe(dark);
    await browser.value(`dispatchEvent(new Event('afterprint'))`);
    expect(await browser.value(ground)).toBe(dark);
  });

  it('names every element that takes the focus', async () => {
    await open([aSession({ calls: 60 })]);
    const nameless = `[...document.querySelectorAll('a, button, input, [tabindex="0"], section')].filter((element) =>
      !(element.ariaLabel || element.textContent.trim() || element.labels?.length)).map((element) => element.outerHTML)`;
    expect(await browser.value(nameless)).toEqual([]);
  });

  it('shows the contents of recordings as text', async () => {
    const text = '</script><script>hit=1</script><img src=x onerror=hit=1>';
    const prompts = [{ turn: 1, line: 1, t: null, text, tokens: 1 }];
    const results = [{ tool: text, target: text, tokens: 9, line: 1, call: 1, stayed: 1 }];
    await open([aSession({ file: text, model: text, prompts, results })]);
    await hover(CONTEXT, 3, [1, 60]);
    expect(await readout()).toContain(`Turn: ${text}`);
    expect(await shown('h1')).toContain('onerror=hit=1>');
    expect(await browser.value(`typeof hit`)).toBe('undefined');
  });

  it('runs no other script and makes no request', async () => {
    await open([aSession({ calls: 60 })]);
    await browser.value(`(() => {
      const script = document.createElement('script');
      script.textContent = 'hit = 1';
      document.body.append(script);
    })()`);
    expect(await browser.value(`fetch('http://127.0.0.1:9/').then(() => 'asked', () => 'refused')`)).toBe('refused');
    expect(await browser.value(`typeof hit`)).toBe('undefined');
    const refusals = (browser.complaints as string[]).splice(0);
    for (const directive of ['script-src', "default-src 'none'"]) {
      expect(refusals.some((text) => text.includes('Content Security Policy') && text.includes(directive))).toBe(true);
    }
  });
});

it('without a known window, the page names the option that sets it, and scales nothing to it', async () => {
  const session = aSession({ calls: 60 });
  const { context } = session;
  const results = [{ tool: 'Bash', target: 'npm test', tokens: 900, line: 9, call: session.calls + 1, stayed: 0 }];
  await open([
    { ...session, window: { tokens: null, source: 'unknown' }, context: { ...context, peakFraction: null }, results },
  ]);
  expect(await shown('.tiles')).toContain('the window is unknown:\n--window sets it');
  expect(await shown('.legend')).not.toContain('Whole window');
  // No call of the recording had the last result in its context.
  const row = `[...document.querySelectorAll('tr')].find((each) => each.innerText.includes('npm test')).innerText`;
  expect(await browser.value<string>(row)).toMatch(/^Bash\s+900\s+0\s+0\s+–\s+9\s+npm test$/);
});
