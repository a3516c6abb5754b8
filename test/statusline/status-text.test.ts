import { describe, expect, it } from 'vitest';
import type { GovernorState } from '../../src/core/governor/state.ts';
import { changedIn } from '../../src/core/governor/steps.ts';
import { PLAIN, styleFor } from '../../src/report/style.ts';
import { paintLine, statusParts } from '../../src/statusline/status-text.ts';
import { afterTurn, callLine, drive, initLine, policyWith, resultLine, runWith } from '../support/governor.ts';

const WIDE = 200;

/** Turns that end at these contexts. */
function grown(first: number, ...contexts: readonly number[]): GovernorState {
  const driver = afterTurn(first, { mode: 'observe' });
  for (const used of contexts) {
    driver.prompt('More.');
    driver.claude(initLine(), callLine(used), resultLine());
  }
  return driver.state;
}

describe('the parts', () => {
  it.each([
    {
      name: 'nothing is known',
      state: drive(runWith()).state,
      cost: undefined,
      text: `${'░'.repeat(20)} not measured yet`,
    },
    {
      name: 'only the window is known',
      state: drive(runWith({ policy: policyWith({ window: 200_000 }) })).state,
      cost: 0,
      text: `${'░'.repeat(20)} not measured yet · window 200,000 · $0.00`,
    },
    {
      name: 'one turn was seen',
      state: grown(50_000),
      cost: 0.5,
      text: `${'█'.repeat(5)}${'░'.repeat(15)} 25% · ok · 50,001/200,000 measured · $0.50 this session`,
    },
    {
      name: 'turns grow by 20,000',
      state: grown(60_000, 80_000),
      cost: 0,
      text: `${'█'.repeat(8)}${'░'.repeat(12)} 40% · monitor · 80,001/200,000 measured · ~3 turns to critical · $0.00 this session`,
    },
    {
      name: 'the agent was asked to stop',
      state: grown(100_000, 150_000),
      cost: undefined,
      text: expect.stringContaining('75% · critical · 150,001/200,000 measured · ~1 turn to full'),
    },
  ])('when $name', ({ state, cost, text }) => {
    expect(paintLine(statusParts(state, cost, WIDE), PLAIN)).toEqual(text);
  });
});

describe('an exact compaction', () => {
  /** So many turns of a call, up to so many tokens. */
  const ready = (turns: number, tokens: number) => {
    const contexts = Array.from(
      { length: turns },
      (_, turn) => 50_000 + Math.round(((tokens - 50_000) * (turn + 1)) / turns),
    );
    return changedIn(grown(50_000, ...contexts), 'exact', { phase: 'ready' });
  };

  it.each([
    { name: 'pays, and may follow', turns: 12, tokens: 140_000, says: 'compaction due' },
    { name: 'pays, and would come too soon', turns: 5, tokens: 140_000, says: 'compaction soon' },
    { name: 'would come too soon, at the latest level', turns: 5, tokens: 160_000, says: 'compaction due' },
  ])('that $name: $says', ({ turns, tokens, says }) => {
    expect(paintLine(statusParts(ready(turns, tokens), undefined, WIDE), PLAIN)).toContain(` · ${says}`);
  });
});

describe('a limited width', () => {
  const state = grown(60_000, 80_000);
  it.each([
    {
      width: 200,
      text: /^█{8}░{12} 40% · monitor · 80,001\/200,000 measured · ~3 turns to critical · \$1.25 this session$/,
    },
    { width: 80, text: /^█{8}░{12} 40% · monitor · ~3 turns to critical · \$1.25 this session$/ },
    { width: 55, text: /^█{2}░{3} 40% · monitor · ~3 turns to critical · \$1.25$/ },
    { width: 40, text: /^█{2}░{3} 40% · monitor · \$1.25$/ },
    { width: 30, text: /^█{2}░{3} 40% · monitor · \$1.25$/ },
    { width: 25, text: /^40% · monitor · \$1.25$/ },
    { width: 15, text: /^40% · monitor$/ },
    { width: 12, text: /^40%$/ },
    { width: 3, text: /^40%$/ },
    { width: 1, text: /^4$/ },
  ])('in $width columns', ({ width, text }) => {
    expect(paintLine(statusParts(state, 1.25, width), PLAIN)).toMatch(text);
  });
});

it.each([
  { zone: 'ok', used: 30_000, color: '32' },
  { zone: 'monitor', used: 80_000, color: '32' },
  { zone: 'warning', used: 110_000, color: '33' },
  { zone: 'critical', used: 150_000, color: '31' },
  { zone: 'handoff', used: 180_000, color: '31' },
])('shows $zone in its color', async ({ zone, used, color }) => {
  const style = await styleFor({ isTTY: true }, {});
  expect(paintLine(statusParts(grown(used), undefined, WIDE), style)).toContain(`\u001b[${color}m${zone}\u001b[39m`);
});
