import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/config/defaults.ts';
import { codePoints, estimateTokens } from '../../../../src/core/governor/gauge/token-estimate.ts';
import { initialState } from '../../../../src/core/governor/initial-state.ts';
import { planInTokens } from '../../../../src/core/governor/policy.ts';
import type { GovernorState } from '../../../../src/core/governor/state.ts';
import { alertAgent, alertLevel, alertText, hintText, UNITS } from '../../../../src/core/governor/tool-budget/hints.ts';
import { suggestLimit } from '../../../../src/core/governor/tool-budget/limit-call.ts';
import { planRoom, type SpentTokens, tokensWithin } from '../../../../src/core/governor/tool-budget/room.ts';
import { jsonText } from '../../../../src/core/protocol/fields.ts';
import { cutJson } from '../../../../src/core/text/cut-json.ts';
import { measureFile } from '../../../../src/store/runs/tool-files.ts';
import { callLine, kinds, policyWith, runWith, toolResultLine, userLine } from '../../../support/governor.ts';
import { vectorsOf } from '../../../support/recordings.ts';
import { answer, calling, inTurn, played } from '../../../support/tools.ts';

type Text = string | { readonly $repeat: string; readonly count: number };

function expand(text: Text = ''): string {
  return typeof text === 'string' ? text : text.$repeat.repeat(text.count);
}

describe('tokens of a text', () => {
  const VECTORS = vectorsOf<{ text?: Text }, number>('token-estimation-by-code-points');

  it.each(VECTORS)('$id: $name', ({ input, expected }) => {
    expect(estimateTokens(expand(input.text))).toBe(expected);
  });

  it.each([
    { text: 'a', tokens: 1 },
    { text: 'x'.repeat(7), tokens: 2 },
    { text: 'x'.repeat(8), tokens: 3 },
    { text: '\n', tokens: 1 },
    { text: 'a😀漢é', tokens: 2 },
    { text: 'e\u0301'.repeat(7), tokens: 4 },
    { text: '👨‍👩‍👧', tokens: 2 },
    { text: '\ud83d', tokens: 1 },
    { text: '\udc00\ud800'.repeat(7), tokens: 3 },
    { text: 'x'.repeat(350_000), tokens: 100_000 },
  ])('$tokens of them', ({ text, tokens }) => {
    expect(estimateTokens(text)).toBe(tokens);
    expect(codePoints(text)).toBe([...text].length);
  });
});

describe('tokens of a value, by its JSON', () => {
  const VECTORS = vectorsOf<{ value: unknown }, number>('token-estimation-json');

  it.each(VECTORS)('$id: $name', ({ input, expected }) => {
    expect(estimateTokens(jsonText(input.value))).toBe(expected);
  });

  it.each([
    { value: { a: 1 }, tokens: 2 },
    { value: [], tokens: 1 },
    { value: 'ab', tokens: 2 },
    { value: undefined, tokens: 0 },
  ])('$value', ({ value, tokens }) => {
    expect(estimateTokens(jsonText(value))).toBe(tokens);
  });
});

type Category = 'system' | 'history' | 'user-message' | 'tool-results';

interface Recorded {
  readonly total_limit?: number;
  readonly record?: readonly (readonly [Category, number])[];
}

interface Budget {
  readonly remaining: number;
  readonly per_tool_allocation: number;
  readonly warning: string | null;
  readonly stored_warnings: readonly (readonly ['low' | 'critical', string])[];
  readonly throws?: string;
}

const NOTHING: SpentTokens = { history: 0, toolResults: 0, user: 0 };

/** What stands for the past and what was said is set, results of tools add up. */
function spentAfter(record: Recorded['record'] = []): SpentTokens[] {
  let spent = NOTHING;
  return record.map(([category, tokens]) => {
    if (category === 'history') spent = { ...spent, history: tokens };
    else if (category === 'user-message') spent = { ...spent, user: tokens };
    else spent = { ...spent, toolResults: spent.toolResults + tokens };
    return spent;
  });
}

function roomOf({ total_limit: total = DEFAULTS.tiers.total, record }: Recorded) {
  return {
    ...planRoom({ ...PLAN, total }, spentAfter(record).at(-1) ?? NOTHING),
    window: undefined,
    relief: undefined,
    worthwhile: 0,
  };
}

const PLAN = planInTokens(DEFAULTS.tiers.total, undefined);

/** Without the least that a result gets, which the vectors do not know. */
const LIMITS = { perCall: DEFAULTS.tools.perCall, minTokens: 0 };

/**
 * Levels and figures that the agent is told, one after the other. The vectors know no window, only a plan: here the
 * window is as large as the plan, and filled as it.
 */
function told(record: Recorded['record']): { level: string; text: string }[] {
  let state: GovernorState = initialState(runWith({ policy: policyWith({ window: DEFAULTS.tiers.total }) }));
  return spentAfter(record).flatMap(({ history, toolResults }) => {
    const used = PLAN.system + history + toolResults;
    const alert = alertAgent({ ...state, gauge: { ...state.gauge, basis: 'asked', used } });
    state = alert.state;
    return alert.text === '' ? [] : [{ level: state.work.budget.alerted, text: alert.text }];
  });
}

/** The opening words of a warning and its figure. */
function opening(warning: string | null): string {
  return /^\[[A-Za-z ]+: ~-?\d+k tokens remaining/.exec(warning ?? '')?.[0] ?? '';
}

const STATES = vectorsOf<Recorded, Budget>('budget-state');
const WARNINGS = vectorsOf<Recorded, Budget>('budget-warning');

/** About the name of a category, which is one of ours and cannot be another. */
const NO_CATEGORY = ['ef-034'];

const ALL = [...STATES, ...WARNINGS].filter(({ id }) => !NO_CATEGORY.includes(id));

describe('the remaining plan', () => {
  it.each(ALL)('$id: $name', ({ input, expected }) => {
    expect(roomOf(input).plan).toBe(expected.remaining);
  });

  it.each([
    { name: 'a new session', input: {}, remaining: 62_000 },
    {
      name: 'history is set, not added',
      input: {
        record: [
          ['history', 12_000],
          ['history', 0],
        ],
      },
      remaining: 62_000,
    },
    { name: 'a user tier of its own', input: { record: [['user-message', 62_001]] }, remaining: -1 },
  ] as const)('$name', ({ input, remaining }) => {
    expect(roomOf(input).plan).toBe(remaining);
  });
});

/** What has been recorded of results of tools: there the seed gives on and on, and ours does not. */
const usesTools = ({ record = [] }: Recorded) =>
  record.some(([category, tokens]) => category === 'tool-results' && tokens > 1_000);

describe('the room for one result', () => {
  it.each(ALL.filter(({ input, kind }) => kind === 'conform' && !usesTools(input)))(
    '$id: $name',
    ({ input, expected }) => {
      expect(tokensWithin(roomOf(input), LIMITS)).toBe(expected.per_tool_allocation);
    },
  );
});

describe('the room for one result: known defects, fixed', () => {
  it.each(ALL.filter(({ input }) => usesTools(input)))(
    '$id: it shrinks as tools consume ($name)',
    ({ input, expected }) => {
      expect(expected.per_tool_allocation).toBe(8_000);
      expect(tokensWithin(roomOf(input), LIMITS)).toBe(0);
      expect(tokensWithin(roomOf(input), DEFAULTS.tools)).toBe(DEFAULTS.tools.minTokens);
    },
  );

  it('ef-020: it shrinks with the tier, step by step', () => {
    const results = [0, 20_000, 32_000, 33_000, 36_000, 39_400, 39_600, 55_000];
    const allotted = results.map((tokens) =>
      tokensWithin(roomOf({ record: [['tool-results', tokens]] }), DEFAULTS.tools),
    );
    expect(allotted).toEqual([8_000, 8_000, 8_000, 7_000, 4_000, 600, 500, 500]);
  });

  it('ef-021: never below the minimum, even far beyond the total', () => {
    expect(tokensWithin(roomOf({ record: [['tool-results', 90_000]] }), DEFAULTS.tools)).toBe(500);
    expect(tokensWithin(roomOf({ record: [['tool-results', 9e9]] }), DEFAULTS.tools)).toBe(500);
  });
});

describe('the alert', () => {
  it.each(ALL)('$id: $name', ({ input, expected }) => {
    const room = roomOf(input);
    const level = alertLevel(room.plan, DEFAULTS.tools);
    const text = level === 'none' ? null : alertText(level, room.plan);
    expect(opening(text)).toBe(opening(expected.warning));
    // The newest level comes first, and what is told comes down one level after the other.
    expect(level).toBe(expected.stored_warnings[0]?.[0] ?? 'none');
  });

  it.each(ALL)('$id: is given once per crossed level ($name)', ({ input, expected }) => {
    const levels = told(input.record).map((alert) => alert.level);
    expect(levels).toEqual(expected.stored_warnings.map(([level]) => level).reverse());
  });

  it.each([
    { left: 20_000, level: 'none' },
    { left: 19_999, level: 'low' },
    { left: 10_000, level: 'low' },
    { left: 9_999, level: 'critical' },
    { left: 0, level: 'critical' },
    { left: -1, level: 'critical' },
  ])('$left left: $level', ({ left, level }) => {
    expect(alertLevel(left, DEFAULTS.tools)).toBe(level);
  });

  it.each([
    { left: 12_345, text: '[Budget Alert: ~12k tokens remaining' },
    { left: 999, text: '[BUDGET CRITICAL: ~0k tokens remaining' },
    { left: -500, text: '[BUDGET CRITICAL: ~0k tokens remaining' },
    { left: -999, text: '[BUDGET CRITICAL: ~0k tokens remaining' },
    { left: -1_000, text: '[BUDGET CRITICAL: ~-1k tokens remaining' },
  ])('$left left: $text', ({ left, text }) => {
    const level = left < 10_000 ? 'critical' : 'low';
    expect(opening(alertText(level, left))).toBe(text);
  });

  it('ef-031, second half: it is given again after a recovery', () => {
    const record = [
      ['history', 45_000],
      ['history', 53_000],
      ['history', 0],
      ['history', 45_000],
    ] as const;
    expect(told(record).map((alert) => alert.level)).toEqual(['low', 'critical', 'low']);
  });
});

interface Report {
  readonly total_budget: number;
  readonly used: { readonly system: number; readonly history: number; readonly response_reserve: number };
  readonly remaining: number;
  readonly per_tool_budget: number;
  readonly warning?: string;
}

describe('the figures for the model', () => {
  it.each(vectorsOf<Recorded, Report>('budget-report'))('$id: $name', ({ input, expected }) => {
    const { total, system, response } = PLAN;
    const room = roomOf(input);
    expect({ total, system, response }).toEqual({
      total: expected.total_budget,
      system: expected.used.system,
      response: expected.used.response_reserve,
    });
    expect({ remaining: room.plan, per: tokensWithin(room, LIMITS) }).toEqual({
      remaining: expected.remaining,
      per: expected.per_tool_budget,
    });
    expect(told(input.record).at(-1)?.text ?? '').toBe('');
  });
});

describe('a recorded result', () => {
  const VECTORS = vectorsOf<{ result: Text }, { tokens: number; tool_results_used: number }>('record-tool-result');

  const usedAfter = (...contents: unknown[]) => {
    const driver = inTurn();
    for (const content of contents) {
      driver.claude(userLine([{ type: 'tool_result', tool_use_id: 'toolu_1', content }]));
    }
    return driver.state.work.budget.results;
  };

  it.each(VECTORS)('$id: $name', ({ input, expected }) => {
    expect(estimateTokens(expand(input.result))).toBe(expected.tokens);
    expect(usedAfter(expand(input.result))).toBe(expected.tool_results_used);
  });

  it.each([
    { what: 'nothing', contents: [undefined], used: 0 },
    { what: 'an empty text', contents: [''], used: 0 },
    { what: 'two, added up', contents: ['x'.repeat(70), 'x'.repeat(36)], used: 31 },
    { what: 'an object as its JSON', contents: [JSON.stringify({ a: 1 })], used: 2 },
    { what: 'blocks of text', contents: [[{ type: 'text', text: 'x'.repeat(35) }]], used: 10 },
  ])('$what', ({ contents, used }) => {
    expect(usedAfter(...contents)).toBe(used);
  });

  it('of an echo is not recorded twice', () => {
    const driver = inTurn();
    driver.claude(toolResultLine('x'.repeat(35)), toolResultLine('x'.repeat(35), { isReplay: true }));
    expect(driver.state.work.budget.results).toBe(10);
  });
});

interface Suggestion extends Recorded {
  readonly item_size: number;
  readonly min_items?: number;
}

describe('the number of items to request', () => {
  it.each(vectorsOf<Suggestion, number>('suggest-limit'))('$id: $name', ({ input, expected }) => {
    expect(suggestLimit(tokensWithin(roomOf(input), LIMITS), input.item_size, input.min_items)).toBe(expected);
  });

  it.each([
    { name: 'no size means 100', allowed: 8_000, size: 0, items: 100 },
    { name: 'nothing left still suggests 10', allowed: 0, size: 100, items: 10 },
    { name: 'cut down, not rounded', allowed: 8_000, size: 300, items: 26 },
    { name: 'exactly the least', allowed: 1_000, size: 100, items: 10 },
  ])('$name', ({ allowed, size, items }) => {
    expect(suggestLimit(allowed, size)).toBe(items);
  });
});

interface Hinted extends Recorded {
  readonly tool: string;
  readonly remaining?: number;
}

/** Tools of another program by the unit in which theirs and ours count. */
const UNIT_OF: Readonly<Record<string, keyof typeof UNITS>> = {
  project_files: 'files',
  search_content: 'matches',
  vcs_log: 'commits',
  vcs_blame: 'blame',
};

/** Our calls that give the same. */
const CALL_OF: Readonly<Record<string, { readonly tool: string; readonly input: object }>> = {
  read_file: { tool: 'Read', input: { file_path: '/f' } },
  eval_sexp: { tool: 'Bash', input: { command: 'make' } },
};

const HINTS = vectorsOf<Hinted, string>('budget-hint');

describe('the hint', () => {
  it.each(HINTS.filter(({ expected }) => expected !== 'DESC'))('$id: $name', ({ input, expected }) => {
    expect(hintText(UNITS[UNIT_OF[input.tool] ?? 'lines'], input.remaining ?? 0)).toBe(expected);
  });

  it.each(HINTS.filter(({ expected }) => expected === 'DESC'))('$id: $name', ({ input }) => {
    const driver = inTurn({ zones: { warning: 0.1, monitor: 0.05 } });
    // What fills their plan fills our window.
    const used = spentAfter(input.record).at(-1)?.toolResults ?? 0;
    driver.claude(callLine(60_000 + 2 * used));
    const call = CALL_OF[input.tool];
    expect(answer(played(driver, calling({ ...call }), { file: { lines: 1, fitting: 1 } })).context).toBeUndefined();
  });

  it.each([
    { unit: 'files', left: 62_000, text: 'Budget allows ~620 files.' },
    { unit: 'matches', left: 5_000, text: 'Budget allows ~25 matches with context.' },
    { unit: 'commits', left: 149, text: 'Budget allows ~1 commits.' },
    { unit: 'blame', left: 0, text: 'Budget allows ~1 lines of blame output.' },
    // Theirs count a file and a diff by kilobytes, ours both by lines, as Read does.
    { unit: 'lines', left: 62_000, text: 'Budget allows ~5166 lines.' },
  ] as const)('$text', ({ unit, left, text }) => {
    expect(hintText(UNITS[unit], left)).toBe(text);
  });
});

interface Page {
  readonly items: readonly number[];
  readonly offset?: number;
  readonly limit?: number;
}

interface Paged {
  readonly items: readonly number[];
  readonly total: number;
  readonly truncated: boolean;
  readonly throws?: string;
}

const PAGES = vectorsOf<Page, Paged>('pagination');

describe('a page of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-pages-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Items are lines; the room is such that `limit` of them fit. */
  function page({ items, offset = 0, limit = 50 }: Page): Paged {
    const path = join(folder, 'items');
    writeFileSync(path, items.join('\n'));
    const found = measureFile(path, { offset: offset + 1, chars: limit * '1\t1\n'.length });
    const { lines = 0, fitting = 0 } = found ?? {};
    return { items: items.slice(offset, offset + fitting), total: lines, truncated: offset + fitting < lines };
  }

  it.each(PAGES.filter(({ kind }) => kind === 'conform'))('$id: $name', ({ input, expected }) => {
    expect(page(input)).toEqual(expected);
  });

  it('ef-165, fixed: an offset past the end is not an error; the call passes unchanged', () => {
    const { input } = PAGES.find(({ id }) => id === 'ef-165') ?? { input: { items: [] } };
    expect(page(input)).toEqual({ items: [], total: 3, truncated: false });
    const call = { tool: 'Read', input: { file_path: '/f', offset: 6, limit: 2 } };
    const actions = played(inTurn(), calling(call), { file: { lines: 3, fitting: 0 } });
    expect(kinds(actions)).toEqual(['measure-file', 'answer-hook']);
    expect(answer(actions).specific).toEqual({});
  });

  it.each([
    {
      name: 'an offset at the end',
      input: { items: [1, 2, 3], offset: 3 },
      expected: { items: [], total: 3, truncated: false },
    },
    { name: 'nothing', input: { items: [] }, expected: { items: [], total: 0, truncated: false } },
    {
      name: 'one in the middle',
      input: { items: [1, 2, 3, 4], offset: 1, limit: 1 },
      expected: { items: [2], total: 4, truncated: true },
    },
  ])('$name', ({ input, expected }) => {
    expect(page(input)).toEqual(expected);
  });
});

describe('a page of a list in JSON', () => {
  it.each(PAGES.filter(({ kind, input }) => kind === 'conform' && !input.offset))(
    '$id: $name',
    ({ input, expected }) => {
      const text = JSON.stringify(input.items);
      const cut = cutJson(text, '[]'.length + 2 * (input.limit ?? 50));
      const [list] = cut?.lists ?? [];
      // Below the least room for a part nothing of a list is kept.
      const items = JSON.parse(cut?.text ?? '[]') as readonly number[];
      expect({ items, total: list?.total ?? items.length, truncated: list !== undefined }).toEqual(expected);
    },
  );
});

describe('policy of these vectors', () => {
  it('is the default', () => {
    expect(PLAN).toEqual({
      system: 8_000,
      history: 12_000,
      toolResults: 40_000,
      response: 30_000,
      total: 100_000,
    });
    expect(policyWith().tools).toMatchObject({ perCall: 8_000, warnBelow: 20_000, criticalBelow: 10_000 });
  });
});
