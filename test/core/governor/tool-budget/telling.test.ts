import { describe, expect, it } from 'vitest';
import { roomFor } from '../../../../src/core/governor/tool-budget/room.ts';
import {
  boundaryLine,
  callLine,
  type Driver,
  kinds,
  policyWith,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';
import {
  answer,
  answers,
  bash,
  called,
  calling,
  failing,
  inTurn,
  type ModelCall,
  played,
} from '../../../support/tools.ts';

const GREP: ModelCall = { tool: 'Grep', input: { pattern: 'x', head_limit: 10 } };
const READ: ModelCall = { tool: 'Read', input: { file_path: '/f' } };

/** What the agent is told with the answer to a hook before a tool. */
const hint = (driver: Driver, call: ModelCall) =>
  answer(played(driver, calling(call), { file: { lines: 1, fitting: 1 } })).context;

/** `tokens` of results come into the context. */
const fill = (driver: Driver, tokens: number) => driver.claude(toolResultLine('x'.repeat(tokens * 3.5)));

describe('a hint', () => {
  it.each([
    { zone: 'ok', used: 40_000, text: undefined },
    { zone: 'monitor', used: 70_000, text: undefined },
    { zone: 'warning', used: 129_998, text: undefined },
    {
      zone: 'warning',
      used: 130_001,
      text: 'Budget allows ~199 matches with context. A longer result causes a compaction.',
    },
    { zone: 'warning', used: 130_001, tools: { warnBelow: 0.05, criticalBelow: 0.02 }, text: undefined },
    {
      zone: 'critical',
      used: 150_001,
      tools: { warnBelow: 0.05, criticalBelow: 0.02 },
      text: 'Budget allows ~99 matches with context. A longer result causes a compaction.',
    },
  ])('in the zone $zone with $used tokens: $text', ({ used, tools = {}, text }) => {
    expect(hint(inTurn({ tools }, used), GREP)).toBe(text);
  });

  it('appears once per unit, and again at half the budget', () => {
    const driver = inTurn({}, 110_000);
    const told = [45_000, 38_000, 30_000, 20_000, 18_000, 9_000].map((left) => {
      driver.claude(callLine(170_000 - left));
      return [hint(driver, GREP), hint(driver, READ)].map((text) => text !== undefined);
    });
    expect(told).toEqual([
      [false, false],
      [true, true],
      [false, false],
      [false, false],
      [true, true],
      [true, true],
    ]);
  });

  it('is repeated in a fresh context', () => {
    const driver = inTurn({}, 140_000);
    expect(hint(driver, GREP)).toBeDefined();
    driver.claude(boundaryLine('auto', 150_000), callLine(140_000));
    expect(hint(driver, GREP)).toBeDefined();
  });

  it('is not given to subagents, nor for tools without a unit', () => {
    const driver = inTurn({}, 140_000);
    expect(hint(driver, { ...GREP, agent: 'agent-1' })).toBeUndefined();
    expect(afterwards(driver, { input: { command: 'make' } })).not.toContain('Budget allows');
  });

  it.each([
    { left: 5_000, text: 'Budget allows ~25 matches with context. A longer result causes a compaction.' },
    { left: 4_999, text: undefined },
  ])('with $left tokens left: $text', ({ left, text }) => {
    const driver = inTurn({}, 170_000 - left - 1);
    expect(roomFor(driver.state, null).window).toBe(left);
    expect(hint(driver, GREP)).toBe(text);
  });

  it.each([
    { call: READ, unit: 'lines' },
    { call: { tool: 'Glob', input: { pattern: '*' } }, unit: 'files' },
  ])('counts in $unit', ({ call, unit }) => {
    expect(hint(inTurn({}, 140_000), call)).toMatch(new RegExp(`^Budget allows ~\\d+ ${unit}\\. A longer`));
  });

  it.each([
    { command: 'cd a && git -C b log --oneline', unit: 'commits' },
    { command: 'git blame a.ts | head', unit: 'lines of blame output' },
    { command: 'git diff --stat', unit: 'lines' },
    { command: 'rg -n needle', unit: 'matches with context' },
    { command: 'find . -name x', unit: 'files' },
    { command: 'tail -n 500 log', unit: 'lines' },
  ])('follows a command, also a failed one, in $unit', ({ command, unit }) => {
    const text = new RegExp(`^Budget allows ~\\d+ ${unit}\\. A longer`);
    const call = { input: { command } };
    expect(afterwards(inTurn({}, 140_000), call)).toMatch(text);
    expect(answer(played(inTurn({}, 140_000), failing({ ...call, error: 'no' }))).context).toMatch(text);
    expect(hint(inTurn({}, 140_000), call)).toBeUndefined();
  });

  it('accompanies a cut result', () => {
    const response = bash('a line of output\n'.repeat(3_000));
    const actions = played(inTurn({}, 140_000), called({ input: { command: 'cat log' }, response }));
    expect(kinds(actions)).toContain('tool-budget:result');
    expect(answer(actions).context).toContain('Budget allows');
  });

  it.each([undefined, null, 1, {}, ['grep']])('is not given for a command that is %j', (command) => {
    expect(afterwards(inTurn({}, 140_000), { input: { command } })).not.toContain('Budget allows');
  });
});

/** What the agent is told with the answer to a hook after a tool. */
const afterwards = (driver: Driver, call: ModelCall = {}) =>
  answer(played(driver, called({ response: bash('x'), ...call }))).context;

const OPENING = /\[(Budget Alert|BUDGET CRITICAL): ~-?\d+k/;
const level = (text: string | undefined) => OPENING.exec(text ?? '')?.[1];

describe('an alert', () => {
  /** The zone in which the agent is asked for a stopping point begins later. */
  const calm = { thresholds: { ...policyWith().thresholds, warn: 0.9 } };

  /** Of 200,000 tokens 30,000 are kept for the answer. */
  const holding = (left: number) => callLine(170_000 - left);

  it('is given once per crossing, and again after a recovery', () => {
    const driver = inTurn(calm);
    const steps = [40_000, 19_000, 18_000, 9_000, 8_000, 40_000, 19_000].map((left) => {
      driver.claude(holding(left));
      return level(afterwards(driver));
    });
    expect(steps).toEqual([
      undefined,
      'Budget Alert',
      undefined,
      'BUDGET CRITICAL',
      undefined,
      undefined,
      'Budget Alert',
    ]);
  });

  it('supports shares of the window', () => {
    const driver = inTurn({ ...calm, tools: { warnBelow: 0.15, criticalBelow: 0.1 } });
    const levels = [31_000, 29_000, 21_000, 19_000].map((left) => {
      driver.claude(holding(left));
      return level(afterwards(driver));
    });
    expect(levels).toEqual([undefined, 'Budget Alert', undefined, 'BUDGET CRITICAL']);
  });

  it('is repeated in a fresh context', () => {
    const driver = inTurn(calm);
    driver.claude(holding(19_000));
    expect(level(afterwards(driver))).toBe('Budget Alert');
    driver.claude(boundaryLine('auto', 150_000), holding(19_000));
    expect(level(afterwards(driver))).toBe('Budget Alert');
  });

  it('of little room is omitted if the agent was already asked for a stopping point', () => {
    const driver = inTurn();
    const levels = [19_000, 9_000].map((left) => {
      driver.claude(holding(left));
      return level(afterwards(driver));
    });
    expect(levels).toEqual([undefined, 'BUDGET CRITICAL']);
  });

  it('concerns the window, not a used-up plan', () => {
    const plan = inTurn(calm);
    fill(plan, 60_000);
    expect(level(afterwards(plan))).toBeUndefined();
    expect(afterwards(inTurn(calm, 155_000))).toContain(
      '~14k tokens remaining before the context is compacted or handed over. ',
    );
  });

  it('is omitted, like hints and cuts, while the window is unknown', () => {
    const driver = inTurn({ window: undefined }, 165_000);
    driver.claude(called({ response: bash('x') }));
    driver.timeout('context');
    const actions = played(driver, called({ response: bash('a line of output\n'.repeat(3_000)) }));
    expect(kinds(actions)).not.toContain('tool-budget:result');
    expect(answer(actions).context).toBeUndefined();
    expect(hint(driver, GREP)).toBeUndefined();
  });

  it.each([
    { what: 'the agent is told nothing', changes: { zones: { tellAgent: false } } },
    { what: 'there are no budgets', changes: { tools: { mode: 'off' } } },
  ] as const)('is omitted if $what', ({ changes }) => {
    const driver = inTurn(changes, 165_000);
    expect(level(afterwards(driver))).toBeUndefined();
  });

  it('accompanies a failure, a cut, and the next prompt', () => {
    const failure = inTurn(calm, 155_000);
    expect(level(answer(played(failure, failing({ error: 'no' }))).context)).toBe('Budget Alert');
    const cut = inTurn(calm, 155_000);
    const actions = played(cut, called({ response: bash('a line of output\n'.repeat(3_000)) }));
    expect(kinds(actions)).toContain('tool-budget:result');
    expect(level(answer(actions).context)).toBeDefined();
  });
});

/** All that the module says, in every way it says it. */
function texts(): string[] {
  const runs = (['enforce', 'advise'] as const).flatMap((mode) => [
    { driver: inTurn({ tools: { mode } }), fullness: 0 },
    { driver: inTurn({ tools: { mode } }, 140_000), fullness: 0 },
    { driver: inTurn({ tools: { mode } }), fullness: 43_000 },
    { driver: inTurn({ tools: { mode } }, 150_000), fullness: 55_000 },
  ]);
  const response = bash('ordinary\n'.repeat(9_000));
  const list = (value: unknown) => [{ type: 'text', text: JSON.stringify(value) }];
  const LINES = [
    calling(GREP),
    calling({ tool: 'Read', input: { file_path: '/f' } }),
    calling({ tool: 'Grep', input: { pattern: 'x' } }),
    called({ response }),
    called({ response: bash('x'.repeat(90_000)) }),
    called({ response: { ...response, persistedOutputPath: '/stored', persistedOutputSize: 90_000 } }),
    called({ tool: 'mcp__a__b', response: list(Array.from({ length: 20_000 }, (_, id) => ({ id }))) }),
    called({ tool: 'mcp__a__b', response: list({ a: 'x'.repeat(90_000), b: { c: Array(9_000).fill(1) } }) }),
    called({
      tool: 'mcp__a__b',
      response: list(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field${at}`, at]))),
    }),
    failing({ error: 'x'.repeat(90_000) }),
  ];
  return runs.flatMap(({ driver, fullness }) => {
    if (fullness > 0) fill(driver, fullness);
    return LINES.flatMap((line) => {
      const actions = played(driver, line, { file: { lines: 3_000, fitting: 700 } });
      const reasons = actions.flatMap((action) => ('reason' in action ? [action.reason] : []));
      return [
        ...reasons,
        ...answers(actions).flatMap(({ context, specific }) => [context ?? '', JSON.stringify(specific ?? {})]),
      ];
    });
  });
}

/** The agent, not ctxb, knows what matters for its task. */
const JUDGEMENT =
  /\b(?:relevan\w*|important\w*|interesting|useful\w*|useless|significant\w*|necessary|unnecessary|needless\w*|irrelevant\w*|likely|probably|maybe|perhaps|seems?|appears?|suggests?|recommend\w*|best|better|worth\w*|key|notable|essential\w*|ignore[ds]?|skip\w*|summary|summar[iy]\w*|conclu\w+|means that|because|good|bad|wrong)\b/i;

describe('texts for the agent', () => {
  it('contain counts, cuts, references and facts, no judgment', () => {
    const all = [...new Set(texts())].filter((text) => text !== '' && text !== '{}');
    expect(all.length).toBeGreaterThan(20);
    expect(all.flatMap((text) => JUDGEMENT.exec(text)?.[0] ?? [])).toEqual([]);
  });

  it('fit into the context that claude shows whole', () => {
    const contexts = texts().filter((text) => !text.startsWith('{'));
    expect(Math.max(...contexts.map(({ length }) => length))).toBeLessThan(3_000);
  });

  it('contain only words of the result and of the module', () => {
    const words = ['alpha', 'beta', 'gamma', 'delta'];
    const output = Array.from({ length: 9_000 }, (_, at) => `${words[at % 4]} ${at}`).join('\n');
    const actions = played(inTurn(), called({ response: bash(output) }));
    const cut = answer(actions).specific?.updatedToolOutput as { stdout: string } | undefined;
    const lines = new Set(output.split('\n'));
    const foreign = (cut?.stdout ?? '').split('\n').filter((line) => !lines.has(line));
    expect(foreign).toEqual([
      expect.stringMatching(/^\[ctxb cut this result .*\]$/),
      expect.stringMatching(/^\[… lines \d+-\d+ left out …\]$/),
    ]);
  });

  it('decide on no permission', () => {
    expect(texts().join('\n')).not.toMatch(/permissionDecision|"decision"/);
  });
});

it('ignore the echo of a line', () => {
  const driver = inTurn();
  driver.claude(userLine([{ type: 'tool_result', tool_use_id: 'a', content: 'x' }], { isReplay: true }));
  expect(driver.state.work.budget.results).toBe(0);
});
