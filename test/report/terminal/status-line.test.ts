import { describe, expect, it } from 'vitest';
import type { GovernorState } from '../../../src/core/governor/state.ts';
import type { Style } from '../../../src/report/style.ts';
import { PLAIN, styleFor } from '../../../src/report/style.ts';
import { statusLine as lineOf } from '../../../src/report/terminal/terminal.ts';
import { afterTurn, callLine, drive, initLine, type Line, policyWith, resultLine } from '../../support/governor.ts';

const statusLine = (state: GovernorState, style: Style, now = state.facts.now) => lineOf(state, style, 200, now);

describe('the status line', () => {
  it('shows how full the context is, the basis, and the next event', () => {
    const line = statusLine(afterTurn(150_000).state, PLAIN);
    expect(line).toContain(`${'█'.repeat(15)}${'░'.repeat(5)} 75%`);
    expect(line).toContain('150,001/200,000 measured');
    expect(line).toContain('75% · critical');
    expect(line).toContain('turn 1');
  });

  it('shows that nothing is measured yet', () => {
    expect(statusLine(drive().state, PLAIN)).toContain('not measured yet');
  });

  it('shows a running compaction', () => {
    const driver = afterTurn(160_000);
    driver.prompt('Next.');
    expect(statusLine(driver.state, PLAIN)).toContain('compacting');
  });

  it('never draws more than a full bar', () => {
    const bar = statusLine(afterTurn(199_999).state, PLAIN).match(/█+/)?.[0];
    expect(bar).toHaveLength(20);
  });
});

describe('a silent claude', () => {
  /** So many minutes into the second turn, after these lines. */
  function quiet(minutes: number, ...lines: readonly Line[]): string {
    const driver = afterTurn(20_000);
    driver.wait(3_600_000);
    driver.prompt('Second.');
    driver.claude(...lines);
    return statusLine(driver.state, PLAIN, driver.state.facts.now + minutes * 60_000);
  }
  const call = callLine(21_000);
  const block = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: `npm test ${'x'.repeat(80)}` } };
  const tool = { ...call, message: { ...(call.message as object), content: [block] } };

  it.each([
    { name: 'for a while', line: quiet(12.5, initLine(), call), says: 'no sign of life for 12 minutes' },
    { name: 'since the prompt', line: quiet(2), says: 'no sign of life for 2 minutes' },
    { name: 'because a tool runs', line: quiet(12, initLine(), tool), says: /Bash npm test x+\.{3} for 12 minutes/ },
  ])('$name', ({ line, says }) => {
    expect(line).toMatch(says);
  });

  it.each([
    { name: 'for a moment', line: quiet(1.9, initLine(), call) },
    { name: 'between two turns', line: quiet(60, initLine(), call, resultLine()) },
  ])('is not reported: $name', ({ line }) => {
    expect(line).not.toContain('minutes');
  });
});

it('shows the number and cost of subagents', () => {
  const driver = afterTurn(20_000);
  driver.claude(callLine(30_000, { parent_tool_use_id: 't1' }), callLine(30_000, { parent_tool_use_id: 't2' }));
  expect(statusLine(driver.state, PLAIN)).toContain(' · 2 agents $0.02');
});

describe('the forecast', () => {
  const grown = (...contexts: readonly number[]) => {
    const driver = afterTurn(contexts[0] ?? 0);
    for (const used of contexts.slice(1)) {
      driver.prompt('More.');
      driver.claude(initLine(), callLine(used), resultLine());
    }
    return statusLine(driver.state, PLAIN).match(/(~\d+ turns? to )?compaction( due)?/)?.[0];
  };

  it.each([
    { name: 'not known after one turn', contexts: [40_000], next: undefined },
    // The second turn grew by 20,000, and 96,000 are left.
    { name: 'at the growth so far', contexts: [40_000, 60_000], next: '~4 turns to compaction' },
    { name: 'when the level is crossed', contexts: [100_000, 150_000, 156_001], next: 'compaction due' },
    { name: 'not known when next to nothing grows', contexts: [20_000, 20_004], next: undefined },
    { name: 'not known when nothing grows', contexts: [20_000, 20_000], next: undefined },
  ])('$name', ({ contexts, next }) => {
    expect(grown(...contexts)).toBe(next);
  });
});

/** Less what a terminal prints after the line. */
describe('at 80 columns', () => {
  it.each([
    {
      name: 'shows what changes',
      limitUsd: undefined,
      share: undefined,
      says: /^█{10}░{10} 51% · warning · ~5 turns to compaction · \$0\.\d\d · turn 2$/,
    },
    {
      name: 'shortens the bar for limits',
      limitUsd: 2.5,
      share: 0.62,
      says: /^█{3}░{2} 51% · warning · ~5 turns to compaction · \$0\.\d\d of \$2\.50 · five-hour 62%$/,
    },
  ])('$name', ({ limitUsd, share, says }) => {
    const policy = policyWith();
    const driver = afterTurn(90_000, { policy: { ...policy, cost: { ...policy.cost, limitUsd } } });
    const limits = { five_hour: { utilization: share } };
    const info = { status: 'allowed', rateLimitType: 'five_hour', utilization: share, unifiedWindows: limits };
    driver.prompt('More.');
    driver.claude(initLine(), callLine(101_000), { type: 'rate_limit_event', rate_limit_info: info }, resultLine());
    expect(lineOf(driver.state, PLAIN, 77)).toMatch(says);
  });
});

describe('colors', () => {
  it.each([
    { name: 'on a terminal', surface: { isTTY: true }, env: {}, text: '\u001b[31mx\u001b[39m' },
    { name: 'not with NO_COLOR', surface: { isTTY: true }, env: { NO_COLOR: '1' }, text: 'x' },
    { name: 'not on a dumb terminal', surface: { isTTY: true }, env: { TERM: 'dumb' }, text: 'x' },
    { name: 'not in a pipe', surface: {}, env: {}, text: 'x' },
  ])('$name', async ({ surface, env, text }) => {
    expect((await styleFor(surface, env)).red('x')).toBe(text);
  });
});
