import type { Verdict } from '../../core/governor/decisions.ts';
import { NATIVE_RESERVE_TOKENS } from '../../core/governor/policy.ts';
import type { Event } from '../../core/protocol/events.ts';
import { isExhaustion } from '../../core/protocol/failures.ts';
import { type RecordedRequest, steps } from '../../standin/scenario.ts';
import { type Check, expectFact, factsOf } from '../check.ts';
import { compactAndClear, compactedExactly, hookOutput, LEFT_OUT } from '../scenes.ts';
import {
  eventsOf,
  expectText,
  holds,
  requestsOf,
  requestWith,
  resultOf,
  type Seen,
  scene,
  verdictIn,
} from '../stage/scene.ts';

const TRIGGER = 120_000;
const SETTING = String(TRIGGER + NATIVE_RESERVE_TOKENS);
/** The trigger at 40,000. */
const LOWERED = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000', CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50' };
const GIVEN_BACK = hookOutput('SessionStart', { additionalContext: 'what was given back' });

export const COMPACTION_FACTS: readonly Check[] = factsOf('Compaction', [
  {
    name: 'compact-succeeds',
    fact: '/compact with a focus replaces the conversation by a summary, and reports it with a boundary.',
    instead: 'a compaction that does not help is tried twice at most, then the work is handed over to a fresh context',
    scene: compactAndClear,
    look(seen) {
      const turn = seen.turns[1] ?? [];
      const isManual = eventsOf(turn, 'boundary')[0]?.trigger === 'manual';
      expectFact(isManual, 'there is no compact_boundary with the trigger "manual"');
      expectFact(resultOf(turn)?.isError === false, 'the result is an error');
      const [summary] = requestsOf(seen, 'summary');
      expectFact(holds(summary, 'focus on the parser'), 'the summary is asked for without the focus');
      const next = requestWith(seen, 'the prompt after compact');
      expectFact(holds(next, 'what the summary says'), 'the next request does not hold the summary');
      expectFact(!holds(next, 'the prompt before'), 'the next request still holds what was before');
    },
  },
  {
    name: 'compact-status',
    fact: 'claude says when it begins to compact, and how that ended.',
    instead:
      'the boundary and the result tell; why a compaction has failed, and whether it was one of a subagent, is not known',
    scene: compactAndClear,
    look({ turns: [, turn = []] }) {
      const phases = eventsOf(turn, 'compact-status').map(({ phase }) => phase);
      expectFact(phases.includes('compacting'), 'no status line says that it compacts');
      expectFact(phases.includes('success'), 'no status line says that it has succeeded');
    },
  },
  {
    name: 'compact-fails',
    fact: 'A /compact whose summary the API refuses says that it failed and why; the conversation stays as it was.',
    instead: 'a /compact without a boundary counts as failed in any case; the reason is not known',
    scene: scene({
      scenario: {
        calls: [...steps({ count: 1, from: 90_000, growBy: 10_000 }), { text: 'the answer after' }],
        summary: { error: { status: 400, message: 'refused on purpose' } },
      },
      says: ['the prompt before', '/compact', 'the prompt after'],
    }),
    look({ turns: [, turn = [], next = []] }) {
      expectFact(eventsOf(turn, 'boundary').length === 0, 'there is a boundary all the same');
      const failure = eventsOf(turn, 'compact-status').find(({ phase }) => phase === 'failed');
      expectFact(failure !== undefined, 'no status line says that it failed');
      expectFact(failure.error?.includes('refused on purpose') === true, `the reason is "${failure.error}"`);
      expectText(next, 'the answer after');
    },
  },
  {
    name: 'compact-empty',
    fact: 'A /compact of an empty conversation says that there is nothing to compact.',
    instead: 'it counts as a failed compaction, of which two in a row are the last',
    scene: scene({ scenario: { calls: [] }, says: ['/compact'] }),
    look({ turns: [turn = []] }) {
      expectVerdict(turn, 'empty');
    },
  },
  {
    name: 'commands-off',
    fact: 'With --disable-slash-commands, a /compact is answered that it is not available.',
    instead: 'it counts as a failed compaction, and after two of them the work is handed over',
    scene: scene({
      scenario: { calls: [{ text: 'answer', context: 100_000 }] },
      args: ['--disable-slash-commands'],
      says: ['a prompt', '/compact'],
    }),
    look({ turns: [, turn = []] }) {
      expectVerdict(turn, 'refused');
    },
  },
  {
    name: 'clear-forgets',
    fact: '/clear empties the conversation, and a new session id or a reset shows it.',
    instead: 'a handoff asks claude how full its context is, and starts a new process where that is not empty',
    scene: compactAndClear,
    look(seen) {
      const [, , before = [], clear = [], after = []] = seen.turns;
      const [old, fresh] = [before, [...clear, ...after]].map((turn) => eventsOf(turn, 'init').at(-1)?.sessionId);
      expectFact(eventsOf(clear, 'reset').length > 0 || old !== fresh, 'nothing shows it');
      const next = requestWith(seen, 'the prompt after clear');
      const isFresh = next !== undefined && !holds(next, 'the prompt after compact');
      expectFact(isFresh, 'the next request holds what was before');
    },
  },
  {
    name: 'trigger-moved',
    fact: "claude's own trigger is moved while it runs (apply_flag_settings); it then compacts in the middle of a turn.",
    instead: 'the trigger stays where claude has it; in one long turn nothing can be done before that',
    scene: scene({
      scenario: { calls: [...steps({ count: 4, from: 90_000, growBy: 20_000 }), { text: 'Done.', context: 30_000 }] },
      hooks: { SessionStart: ({ source }) => (source === 'compact' ? GIVEN_BACK : {}) },
      asks: [{ subtype: 'apply_flag_settings', settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: SETTING } } }],
      says: ['the long prompt'],
    }),
    look(seen) {
      const { answers, turns } = seen;
      expectFact(answers[0]?.ok === true, 'the setting was refused');
      expectFact(eventsOf(turns[0] ?? [], 'boundary')[0]?.trigger === 'auto', 'it did not compact by itself');
      const [before, next] = roundSummary(seen);
      // 90,000 and 110,000 are below, 130,000 is above.
      expectFact(before === 3, `with ${TRIGGER} tokens it compacted after ${before} calls of 90000, 110000, 130000, …`);
      expectFact(holds(next, 'what was given back'), 'what the hook SessionStart gave back is not in the next request');
    },
  },
  {
    name: 'mod-loads',
    fact: 'A mod is loaded into a running claude (reload_plugins with add_plugins).',
    instead: 'compactions are summaries, which is said once',
    scene: compactedExactly,
    look({ answers: [loaded] }) {
      expectFact(loaded?.ok === true, 'claude refuses to load it');
    },
  },
  {
    name: 'compact-exact',
    fact: "The mod answers /compact with what stays: no summary is asked for, and the next request holds the mod's note and every prompt.",
    instead: 'compactions are summaries, which is said once',
    scene: compactedExactly,
    look(seen) {
      expectFact(eventsOf(seen.turns[1] ?? [], 'boundary').length === 1, 'there is no compact_boundary');
      expectFact(requestsOf(seen, 'summary').length === 0, 'a summary is asked for');
      expectKept(requestWith(seen, 'the prompt after'), 'the next request');
    },
  },
  {
    name: 'exact-resumes',
    fact: 'A claude without the mod resumes what an exact compaction left, and what it took away stays away.',
    instead: 'after a crash the whole conversation may be there again, and is compacted again',
    scene: compactedExactly,
    look: (seen) => expectKept(requestWith(seen, 'the prompt when resumed'), 'the resumed request'),
  },
  {
    name: 'trigger-lowered',
    fact: 'With CLAUDE_AUTOCOMPACT_PCT_OVERRIDE the trigger is placed below 67,000 tokens while claude runs: where exact compactions pay.',
    instead: 'in the middle of a turn exact compactions come at 67,000 tokens or later',
    scene: scene({
      scenario: { calls: [...steps({ count: 3, from: 30_000, growBy: 10_000 }), { text: 'Done.', context: 30_000 }] },
      asks: [{ subtype: 'apply_flag_settings', settings: { env: LOWERED } }],
      says: ['the long prompt'],
    }),
    look(seen) {
      const [before] = roundSummary(seen);
      // 30,000 is below 40,000, and 40,000 is not.
      expectFact(before === 2, `it compacted after ${before} calls of 30000, 40000, 50000, …`);
    },
  },
  {
    name: 'prompt-too-long',
    fact: 'A prompt that the API refuses as too long, and that claude cannot make room for, ends in a result that says so.',
    instead: 'the caller gets the error: the context is not relieved at once, but before the next prompt',
    scene: scene({
      scenario: { calls: () => ({ error: { status: 400 } }), summary: { error: { status: 400 } } },
      env: { DISABLE_AUTO_COMPACT: '1' },
      says: ['a prompt'],
    }),
    look({ turns: [turn = []] }) {
      const result = resultOf(turn);
      const isTooLong = result !== undefined && isExhaustion(result);
      expectFact(isTooLong, `the result says "${result?.text}" (${result?.terminalReason})`);
    },
  },
]);

function expectKept(request: RecordedRequest | undefined, which: string): void {
  expectFact(holds(request, 'what the note says'), `${which} does not hold the note`);
  expectFact(holds(request, 'the prompt before'), `${which} does not hold the prompt`);
  expectFact(!holds(request, LEFT_OUT), `${which} still holds what was left out`);
}

/** @throws Contradiction when a run would say something else of this turn of `/compact` */
function expectVerdict(turn: readonly Event[], expected: Verdict): void {
  const verdict = verdictIn(turn);
  expectFact(verdict === expected, `the verdict would be "${verdict}"`);
}

/** The number of calls before the summary, and the first one behind it. */
function roundSummary(seen: Seen): [before: number, next: RecordedRequest | undefined] {
  const at = requestsOf(seen, 'summary')[0]?.index ?? 0;
  const calls = requestsOf(seen);
  return [calls.filter(({ index }) => index < at).length, calls.find(({ index }) => index > at)];
}
