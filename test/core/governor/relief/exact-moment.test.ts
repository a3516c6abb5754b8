import { describe, expect, it } from 'vitest';
import { triggerLevel } from '../../../../src/core/governor/control/trigger.ts';
import { recordCompaction, reliefNow } from '../../../../src/core/governor/operations/relief.ts';
import { droppedPrompts } from '../../../../src/core/governor/prompts/mailbox.ts';
import { toPrompt } from '../../../../src/core/governor/prompts/prompt.ts';
import { NEW_CONTENT } from '../../../../src/core/governor/relief/content.ts';
import { reliefMoment, savingText } from '../../../../src/core/governor/relief/relief-moment.ts';
import type { GovernorState } from '../../../../src/core/governor/state.ts';
import { step } from '../../../../src/core/governor/step.ts';
import { changedIn } from '../../../../src/core/governor/steps.ts';
import {
  afterTurn,
  answerTo,
  callLine,
  drive,
  initLine,
  kinds,
  policyWith,
  resultLine,
  runWith,
} from '../../../support/governor.ts';

const MODEL = 'claude-sonnet-4-6';

/** A call that finds all but what has come in since the one before in the cache. */
function call(used: number, model = MODEL) {
  const line = callLine(used);
  return { ...line, message: { ...(line as { message: object }).message, model } } as never;
}

interface Work {
  readonly calls?: number;
  readonly growth?: number;
  readonly model?: string;
  readonly policy?: Parameters<typeof policyWith>[0];
  readonly changes?: (state: GovernorState) => Partial<GovernorState>;
}

/** Calls of one turn that begins with 20,000 tokens, in a claude that runs the mod; between two turns. */
function worked({ calls = 20, growth = 2_000, model = MODEL, policy = {}, changes = () => ({}) }: Work): GovernorState {
  const driver = afterTurn(20_000, { policy: policyWith(policy) });
  driver.prompt('Go on.');
  driver.claude(initLine());
  for (let at = 1; at <= calls; at++) driver.claude(call(20_000 + at * growth, model));
  driver.claude(resultLine());
  const ready = changedIn(driver.state, 'exact', { phase: 'ready' });
  return { ...ready, ...changes(ready) };
}

const momentAt = (state: GovernorState) => reliefMoment(state)?.at ?? Number.NaN;

const relieved = (call: number) => (state: GovernorState) => ({
  relief: { ...state.relief, boundaries: [{ turn: 1, call }], sizeWithoutContents: 26_000 },
});

describe('the moment of an exact compaction', () => {
  it('follows from the calls, the prices and the kept size', () => {
    const moment = momentAt(worked({}));
    expect(moment).toBeGreaterThan(20_000 + 3 * 8_000 - 1);
    expect(moment).toBeLessThan(60_000);
  });

  it('is that of a model without a price if all tokens are free', () => {
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
    const work = { model: 'my-model' };
    const prices = { 'my-model': free };
    expect(momentAt(worked({ ...work, policy: { cost: { prices } } }))).toBe(momentAt(worked(work)));
  });

  it.each<{ name: string; work: Work }>([
    { name: 'where the mod does not run', work: { changes: (state) => changedIn(state, 'exact', { phase: 'off' }) } },
    { name: 'with few calls', work: { calls: 5 } },
    {
      name: 'while the window is not known',
      work: { changes: ({ gauge }) => ({ gauge: { ...gauge, window: { tokens: undefined, source: 'unknown' } } }) },
    },
    { name: 'within seven calls of the last', work: { changes: relieved(15) } },
    { name: 'where nothing is to be compacted', work: { policy: { compaction: { enabled: false } } } },
    {
      name: 'where the work is to be handed over, and summaries are asked for',
      work: { policy: { strategy: 'handoff', compaction: { how: 'summary' } } },
    },
    {
      name: 'within seven calls of one in vain',
      work: { changes: ({ relief }) => ({ relief: { ...relief, failures: 1, triedAt: 15 } }) },
    },
  ])('is none $name', ({ work }) => {
    expect(reliefMoment(worked(work))).toBeUndefined();
  });

  it.each<{ name: string; work: Work; than: Work }>([
    { name: 'more stays', work: { changes: relieved(5) }, than: { changes: withLanding(22_000) } },
    { name: 'the context grows faster', work: { growth: 6_000 }, than: {} },
    { name: 'more was missed', work: { changes: missing(3) }, than: { changes: missing(0) } },
  ])('comes later if $name', ({ work, than }) => {
    expect(momentAt(worked(work))).toBeGreaterThan(momentAt(worked(than)));
  });

  it('comes at once if the cache has expired', () => {
    const state = worked({ calls: 20, growth: 2_000 });
    const later = changedIn(
      changedIn(state, 'facts', { now: (state.session.cache.usedAt ?? 0) + 3_600_000 }),
      'cache',
      { usedAt: 1 },
    );
    expect(momentAt(later)).toBeLessThan(momentAt(state));
  });

  it('is a share of the window if configured', () => {
    expect(momentAt(worked({ policy: { compaction: { moment: 0.3 } } }))).toBe(60_000);
  });
});

function withLanding(tokens: number) {
  return (state: GovernorState) => ({
    relief: { ...state.relief, boundaries: [{ turn: 1, call: 5 }], sizeWithoutContents: tokens },
  });
}

/** As many contents that are as likely as not to be used again. */
function missing(calls: number) {
  return (state: GovernorState) => {
    const size = { tokens: 3_000, baselineTokens: 3_000 };
    const content = { ...NEW_CONTENT, ...size, id: 'toolu_1', path: '/project/a.ts', kind: 'used' as const };
    const byName = new Map(Array.from({ length: calls }, (_, index) => [`${index}`, content]));
    return changedIn(state, 'tools', { contents: { ...state.work.tools.contents, byName } });
  };
}

describe('the cheaper relief', () => {
  const off = (state: GovernorState) => changedIn(state, 'exact', { phase: 'off' });
  const tried = (call: number) => (state: GovernorState) => ({
    relief: { ...state.relief, lastHandoff: { call, sizeAfter: 23_000, answerTokens: 1_500 } },
  });

  it.each<{ name: string; work: Work; way: string | undefined }>([
    { name: 'handing over, where that is the strategy', work: { policy: { strategy: 'handoff' } }, way: 'handoff' },
    { name: 'the same without the mod', work: { policy: { strategy: 'handoff' }, changes: off }, way: 'handoff' },
    {
      name: 'none, where the strategy is switched off',
      work: { policy: { strategy: 'handoff', handoff: { enabled: false } } },
      way: undefined,
    },
    {
      name: 'none within seven calls of a handoff',
      work: { policy: { strategy: 'handoff' }, changes: tried(15) },
      way: undefined,
    },
  ])('is $name', ({ work, way }) => {
    expect(reliefMoment(worked(work))?.way).toBe(way);
  });

  it('is announced with its price', () => {
    expect(reliefNow(worked({ calls: 45, policy: { strategy: 'handoff' } }))).toMatchObject({
      way: 'handoff',
      reason: expect.stringMatching(/have crossed \d+ of 200000: saves about \$0\.0\d+ per call, net of its cost$/),
    });
  });

  it('comes later if the agent has written more for the last handoff', () => {
    const at = (answer: number) => {
      const changes = ({ relief }: GovernorState) => ({
        relief: { ...relief, lastHandoff: { call: 5, sizeAfter: 23_000, answerTokens: answer } },
      });
      return momentAt(worked({ policy: { strategy: 'handoff' }, changes }));
    };
    expect(at(6_000)).toBeGreaterThan(at(1_000));
  });
});

describe('effects of the moment', () => {
  it('the context is compacted below every level of the window', () => {
    expect(reliefNow(worked({ calls: 12 }))).toBeUndefined();
    expect(reliefNow(worked({ calls: 35 }))).toEqual({ way: 'compact' });
  });

  it('neither three compactions in few turns nor a failed one lead to a handoff there', () => {
    const boundaries = [1, 2, 3].map((turn) => ({ turn, call: turn * 5 }));
    const thrashed = worked({
      calls: 35,
      changes: (state) => ({ relief: { ...state.relief, boundaries, sizeWithoutContents: 26_000 } }),
    });
    expect(reliefNow(thrashed)).toEqual({ way: 'compact' });
  });

  it("claude's own trigger is placed there, also below the lowest window setting", () => {
    const state = worked({ calls: 15 });
    const place = triggerLevel(state, 200_000);
    expect(place?.at).toBeGreaterThanOrEqual(momentAt(state));
    expect(place).toMatchObject({ setting: 100_000 });
    expect(place?.at).toBeCloseTo(800 * (place?.percent ?? 0), 0);
  });

  it('stays while the moment moves a little, and returns to its default after a compaction', () => {
    const state = worked({ calls: 15 });
    const near = changedIn(state, 'control', { trigger: momentAt(state) + 2_000 });
    expect(triggerLevel(near, 200_000)?.at).toBe(near.process.control.trigger);
    expect(triggerLevel(worked({ changes: relieved(15) }), 200_000)).toMatchObject({ at: 167_000, setting: 200_000 });
  });

  it('the percentage is reset', () => {
    const state = worked({ changes: relieved(15) });
    const low = changedIn(state, 'control', { trigger: 50_000, pending: {} });
    const { actions } = step(low, { t: 1, from: 'claude', event: { kind: 'init' } as never });
    expect(JSON.stringify(actions)).toContain('\\"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE\\":\\"\\"');
  });

  it.each([
    { model: MODEL, text: /^saves about \$0\.01\d\d per call, net of its cost$/ },
    { model: 'somebody-s', text: /^saves about 5,?\d{3} tokens per call, net of its cost$/ },
  ])('it reports its saving: $model', ({ model, text }) => {
    expect(savingText(worked({ calls: 35, model }), 'compact')).toMatch(text);
  });
});

it('resumed work repeats an owed prompt after a summary, not after an exact compaction, which keeps it', () => {
  const { state } = afterTurn(60_000);
  const prompt = toPrompt({ kind: 'user', uuid: 'owed', blocks: [] } as never, '');
  const told = changedIn(state, 'mailbox', {
    prompts: [{ prompt, fate: 'owed' }],
    resumeReason: 'The API did not answer.',
  });
  const receipt = { version: 1, number: 1, answered: true, ms: 5, ...RECEIPT } as const;
  const exactly = changedIn(told, 'exact', { receipt });
  const event = { kind: 'boundary', trigger: 'manual' } as never;
  expect(droppedPrompts(recordCompaction(exactly, { before: exactly, event }))).toEqual([]);
  expect(droppedPrompts(recordCompaction(told, { before: told, event }))).toEqual([prompt]);
});

const RECEIPT = {
  before: { messages: 90, tokens: 48_000 },
  after: { messages: 12, tokens: 9_000 },
  prompts: { kept: 2, of: 2 },
  steps: { whole: 3, lines: 20, gone: 0 },
  whole: [],
};

describe('a prompt after the cache has expired', () => {
  it('relieves the context', () => {
    const driver = drive(runWith({ exact: true }));
    driver.wait(1);
    driver.begin();
    driver.claude(answerTo(driver, 'initialize'));
    driver.prompt('One.');
    driver.claude(initLine({ claude_code_version: '2.1.330' }));
    for (let at = 0; at < 12; at++) driver.claude(cached(20_000 + at * 2_600));
    driver.claude(resultLine());
    driver.tell({ kind: 'exact-folder', path: '/mod' });
    driver.claude(answerTo(driver, 'load-mod'));
    driver.tell({ kind: 'exact-proved' });
    expect(driver.state.relief.exact.phase).toBe('ready');
    expect(reliefNow(driver.state)).toBeUndefined();
    driver.wait(6 * 60_000);
    driver.prompt('Two.');
    expect(kinds(driver.actions)).toEqual(expect.arrayContaining(['compact']));
  });
});

/** A call that finds all but the last 4,000 tokens in the cache. */
function cached(used: number) {
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: 4_000,
    cache_read_input_tokens: used - 4_000,
    output_tokens: 1,
  };
  const { message, ...line } = callLine(used) as { message: object };
  return { ...line, message: { ...message, model: MODEL, usage } } as never;
}
