import { describe, expect, it } from 'vitest';
import {
  callLine,
  decisions,
  drive,
  initLine,
  type PolicyChanges,
  policyWith,
  resultLine,
  runWith,
} from '../../../support/governor.ts';
import { COMPACT, conclude, done, HANDOFF, SAY, turn, type Verdict, WINDOW } from '../../../support/ladder.ts';

/** Context of the first call of a session. */
const FRESH = 20_000;

/** The first turn costs a dollar. */
const COST = { total_cost_usd: 1 };

/**
 * Attempts so far, each with the context at the end of the turn that followed. The last may have none: then the rung
 * says what is done as soon as that verdict is in.
 */
type History = readonly { readonly verdict: Verdict; readonly endsAt?: number }[];

interface Rung {
  readonly name: string;
  /** Share of the window at the turn's end. */
  readonly at: number;
  readonly history?: History;
  readonly settings?: PolicyChanges;
  /** The prompt that waits. Default: a small one. */
  readonly prompt?: string;
  /** What is decided and said at the boundary, in order. */
  readonly does: readonly string[];
}

const OFF: PolicyChanges = { compaction: { enabled: false } };
const NO_HANDOFF: PolicyChanges = { handoff: { enabled: false } };
const LARGE = 'word '.repeat(6_000);
const MEDIUM = 'word '.repeat(2_200);

const ZONES: readonly Rung[] = [
  { name: 'ok', at: 0.29, does: [SAY] },
  { name: 'monitor: a record, no more', at: 0.31, does: [SAY] },
  { name: 'warning', at: 0.51, does: [SAY] },
  { name: 'critical, below the level of compaction', at: 0.77, does: [SAY] },
  { name: 'the level of compaction', at: 0.78, does: COMPACT },
  { name: 'the level of handoff, compaction untried', at: 0.86, does: COMPACT },
  { name: 'nearly full', at: 0.99, does: COMPACT },
];

const SETTINGS: readonly Rung[] = [
  { name: "compaction off, below claude's trigger by more than asking needs", at: 0.79, settings: OFF, does: [SAY] },
  { name: "compaction off, below claude's trigger by what asking needs", at: 0.8, settings: OFF, does: HANDOFF },
  { name: 'compaction off, where the question would set off a compaction', at: 0.86, settings: OFF, does: ['handoff'] },
  { name: 'handoff off', at: 0.99, settings: NO_HANDOFF, does: COMPACT },
  { name: 'both off', at: 0.99, settings: { ...OFF, ...NO_HANDOFF }, does: [SAY] },
  { name: 'strategy handoff, below the level of compaction', at: 0.77, settings: { strategy: 'handoff' }, does: [SAY] },
  { name: 'strategy handoff', at: 0.79, settings: { strategy: 'handoff' }, does: HANDOFF },
  {
    name: 'strategy handoff, but handoff off',
    at: 0.79,
    settings: { strategy: 'handoff', ...NO_HANDOFF },
    does: COMPACT,
  },
  {
    name: 'levels of the user',
    at: 0.45,
    settings: { thresholds: { warn: 0.3, compact: 0.4 }, compaction: { target: 0.2 } },
    does: COMPACT,
  },
  { name: 'levels in tokens', at: 0.45, settings: { thresholds: { compact: 80_000 } }, does: COMPACT },
];

const COMMANDS: readonly Rung[] = [
  { name: "the caller's own /compact", at: 0.9, prompt: '/compact', does: [SAY] },
  { name: "the caller's own /clear", at: 0.9, prompt: '/clear', does: [SAY] },
  { name: 'a command that relieves nothing', at: 0.9, prompt: '/cost', does: COMPACT },
];

const LARGE_TASKS: readonly Rung[] = [
  { name: 'a large task below warning', at: 0.4, prompt: LARGE, does: [SAY] },
  { name: 'a large task in warning', at: 0.6, prompt: LARGE, does: ['large-task announce', SAY] },
  { name: 'a medium task in warning', at: 0.6, prompt: MEDIUM, does: [SAY] },
  { name: 'a medium task in critical', at: 0.72, prompt: MEDIUM, does: ['large-task announce', SAY] },
  {
    name: 'a large task that is to be relieved',
    at: 0.6,
    prompt: LARGE,
    settings: { zones: { onLargeTask: 'relieve' } },
    does: ['large-task relieve', ...COMPACT],
  },
  {
    name: 'a large task that is to be relieved, compaction off',
    at: 0.6,
    prompt: LARGE,
    settings: { zones: { onLargeTask: 'relieve' }, ...OFF },
    does: ['large-task relieve', ...HANDOFF],
  },
  {
    name: 'a large task that is to be relieved, and nothing may relieve',
    at: 0.6,
    prompt: LARGE,
    settings: { zones: { onLargeTask: 'relieve' }, ...OFF, ...NO_HANDOFF },
    does: ['large-task relieve', SAY],
  },
  {
    name: 'a large task that is to be rejected',
    at: 0.6,
    prompt: LARGE,
    settings: { zones: { onLargeTask: 'reject' } },
    does: ['large-task reject', 'reply'],
  },
];

const STAYS = 0.8;
const failed = { verdict: 'failed', endsAt: STAYS } as const;
const silent = { verdict: 'silent', endsAt: STAYS } as const;
const unavailable = { verdict: 'unavailable', endsAt: STAYS } as const;

const VERDICTS_SO_FAR: readonly Rung[] = [
  { name: 'failed: the prompt goes all the same', at: STAYS, history: [{ verdict: 'failed' }], does: [SAY] },
  { name: 'failed, and at the next boundary it is tried again', at: STAYS, history: [failed], does: COMPACT },
  { name: 'failed twice', at: STAYS, history: [failed, { verdict: 'failed' }], does: HANDOFF },
  {
    name: 'failed twice, handoff off',
    at: STAYS,
    history: [failed, { verdict: 'failed' }],
    settings: NO_HANDOFF,
    does: [SAY],
  },
  {
    name: 'failed twice, handoff off: never again',
    at: STAYS,
    history: [failed, failed],
    settings: NO_HANDOFF,
    does: [SAY],
  },
  {
    name: 'failed once of one',
    at: STAYS,
    history: [{ verdict: 'failed' }],
    settings: { compaction: { maxAttempts: 1 } },
    does: HANDOFF,
  },
  { name: 'refused by the API for good', at: STAYS, history: [{ verdict: 'rejected' }], does: HANDOFF },
  { name: 'empty', at: STAYS, history: [{ verdict: 'empty' }], does: [SAY] },
  { name: 'empty after a failure', at: STAYS, history: [failed, { verdict: 'empty' }], does: HANDOFF },
  { name: 'silent, and at the next boundary it is tried again', at: STAYS, history: [silent], does: COMPACT },
  { name: 'silent twice', at: STAYS, history: [silent, { verdict: 'silent' }], does: HANDOFF },
  { name: 'a failure and a silence', at: STAYS, history: [failed, { verdict: 'silent' }], does: HANDOFF },
  { name: 'unavailable: the prompt goes', at: STAYS, history: [{ verdict: 'unavailable' }], does: [SAY] },
  {
    name: 'unavailable as often as it likes: it is tried again',
    at: STAYS,
    history: [unavailable, unavailable, unavailable, unavailable],
    does: COMPACT,
  },
  {
    name: 'unavailable does not count as a failure',
    at: STAYS,
    history: [failed, unavailable, { verdict: 'unavailable' }],
    does: [SAY],
  },
  { name: 'slash commands off', at: STAYS, history: [{ verdict: 'refused' }], does: HANDOFF },
  {
    name: 'slash commands off, handoff off',
    at: STAYS,
    history: [{ verdict: 'refused' }],
    settings: NO_HANDOFF,
    does: [SAY],
  },
  { name: 'it worked: the prompt goes', at: STAYS, history: [{ verdict: 'success' }], does: [SAY] },
  { name: 'landed below the target', at: STAYS, history: [{ verdict: 'success', endsAt: 0.3 }], does: [SAY] },
  { name: 'landed above the target', at: STAYS, history: [{ verdict: 'success', endsAt: 0.6 }], does: HANDOFF },
  {
    name: 'landed above the target, handoff off',
    at: STAYS,
    history: [{ verdict: 'success', endsAt: 0.6 }],
    settings: NO_HANDOFF,
    does: [SAY],
  },
  { name: 'freed nothing', at: STAYS, history: [{ verdict: 'success', endsAt: STAYS }], does: HANDOFF },
  {
    name: 'freed nothing, handoff off: tried again',
    at: STAYS,
    history: [{ verdict: 'success', endsAt: STAYS }],
    settings: NO_HANDOFF,
    does: COMPACT,
  },
  {
    name: 'a failure, and then it fell by itself',
    at: STAYS,
    history: [{ verdict: 'failed', endsAt: 0.3 }],
    does: [SAY],
  },
];

const COSTS: readonly Rung[] = [
  { name: 'below the limit', at: 0.3, settings: { cost: { limitUsd: 2 } }, does: [SAY] },
  {
    name: 'at the limit, wrap-up',
    at: 0.3,
    settings: { cost: { limitUsd: 1, onLimit: 'wrap-up' } },
    does: ['say the last word'],
  },
  { name: 'at the limit, stop', at: 0.3, settings: { cost: { limitUsd: 1, onLimit: 'stop' } }, does: ['end-input'] },
  {
    name: 'at the limit, nobody there who is to be asked',
    at: 0.3,
    settings: { cost: { limitUsd: 1, onLimit: 'ask' } },
    does: ['say the last word'],
  },
  { name: 'at the limit, nobody to ask', at: 0.3, settings: { cost: { limitUsd: 1 } }, does: ['say the last word'] },
  {
    name: 'at the limit, it is not relieved any more',
    at: 0.9,
    settings: { cost: { limitUsd: 1, onLimit: 'stop' } },
    does: ['end-input'],
  },
];

describe.each([
  { part: 'zones', rungs: ZONES },
  { part: 'settings', rungs: SETTINGS },
  { part: 'commands of the caller', rungs: COMMANDS },
  { part: 'large tasks', rungs: LARGE_TASKS },
  { part: 'verdicts so far', rungs: VERDICTS_SO_FAR },
  { part: 'costs', rungs: COSTS },
])('the ladder: $part', ({ rungs }) => {
  it.each(rungs)('$name', ({ at, history = [], settings = {}, prompt = 'Next.', does }) => {
    const driver = drive(runWith({ policy: policyWith(settings) }));
    const turns = history.filter(({ endsAt }) => endsAt !== undefined).length;
    driver.begin();
    // All of them are there before the first turn begins, so that one always waits.
    driver.prompt('Do the thing.', ...Array.from({ length: turns }, () => 'Go on.'), prompt);
    let actions = driver.claude(initLine(), callLine(FRESH), callLine(at * WINDOW), resultLine(COST));
    for (const { verdict, endsAt } of history) {
      actions = conclude(driver, verdict);
      if (endsAt !== undefined) actions = turn(driver, endsAt);
    }
    expect(done(actions, prompt)).toEqual(does);
  });
});

describe('the ladder: thrash', () => {
  it('hands over after three compactions within five turns', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('Do the thing.', ...Array.from({ length: 4 }, () => 'Next.'));
    turn(driver, STAYS);
    const compactions = Array.from({ length: 3 }, () => {
      conclude(driver, 'success');
      return driver.claude(initLine(), callLine(0.2 * WINDOW), callLine(STAYS * WINDOW), resultLine());
    });
    expect(compactions.map((actions) => done(actions, 'Next.'))).toEqual([COMPACT, COMPACT, HANDOFF]);
    const [handoff] = decisions(compactions.at(-1) ?? []).filter(({ kind }) => kind === 'handoff');
    expect(handoff?.reason).toContain('3 compactions within 5 turns');
  });
});
