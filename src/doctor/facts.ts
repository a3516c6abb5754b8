import { countOf, countOrZero, fieldsOf } from '../core/protocol/fields.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { type Check, eventsOf, hasResultText, requestsOf, requestWith, resultOf } from './check.ts';
import {
  askedAtTheStart,
  CONTEXTS_OF_FIRST_TURN,
  compactedExactly,
  failingHooks,
  movedTrigger,
  OMITTED_LINE,
  plainTurns,
  resumedAfterKill,
  TRIGGER,
  toolCompactAndClear,
} from './scenes.ts';

/**
 * The facts behind the features that users see, in the order of the report. The first is checked first and alone.
 * End-to-end tests cover the other facts that ctxb relies on.
 */
export const FACTS: readonly Check[] = [
  {
    name: 'two-way-stream',
    fact: 'claude answers a prompt on stdin, ends its turn with one result, and takes the next prompt.',
    fallback: 'nothing: ctxb has no other way to speak to claude',
    isVital: true,
    scene: plainTurns,
    expect: ({ turns }) =>
      turns.flatMap((turn, index) => [
        [eventsOf(turn, 'init').length > 0, 'no system/init line before the result'],
        [resultOf(turn)?.isError === false, 'the result is an error'],
        hasResultText(turn, ['the first answer', 'the second answer'][index], 'the result'),
      ]),
  },
  {
    name: 'control-channel',
    fact: 'claude answers initialize, with the hooks, with success.',
    fallback: "nothing: notes, tool budgets and the level of claude's own compaction need it",
    isVital: true,
    scene: askedAtTheStart,
    expect: ({ answers }) => [[answers.get('initialize')?.ok === true, 'it was refused']],
  },
  {
    name: 'hook-error-proceeds',
    fact: 'After an error from a hook claude continues as without the hook: prompts, tools, compactions.',
    fallback: 'nothing: a slow hook would hang the turn or lose the prompt',
    isVital: true,
    scene: failingHooks,
    expect(seen) {
      const [turn, compact = [], after] = seen.turns;
      const [first = '', second = ''] = requestsOf(seen);
      return [
        [first.includes('the prompt'), 'the prompt did not reach the model'],
        [second.includes('printed-by-the-tool'), 'the tool did not run'],
        hasResultText(turn, 'the answer', 'the result'),
        [eventsOf(compact, 'boundary').length > 0, 'it did not compact'],
        hasResultText(after, 'the answer after'),
      ];
    },
  },
  {
    name: 'usage-per-call',
    fact: 'Each line of an answer has the tokens that its own API call has read, not a sum.',
    fallback: 'without any usage, ctxb estimates the context from characters; it would mistake a sum for a context',
    isVital: true,
    scene: plainTurns,
    expect({ turns: [turn = []] }) {
      const calls = eventsOf(turn, 'assistant').filter(
        ({ subagent, isSynthetic }) => subagent === null && !isSynthetic,
      );
      const shown = calls.map(({ usage }) => usage && contextOf(usage));
      const text = `calls of ${CONTEXTS_OF_FIRST_TURN.join(', ')} tokens show ${shown.join(', ')}`;
      return [[[...new Set(shown)].join() === CONTEXTS_OF_FIRST_TURN.join(), text]];
    },
  },
  {
    name: 'context-asked',
    fact: 'Right after the start claude reports its window, without a call of the model.',
    fallback: 'ctxb does not know the window before the first result: until then it does not warn, cut or compact',
    scene: askedAtTheStart,
    expect(seen) {
      const answer = seen.answers.get('get_context_usage');
      const { rawMaxTokens, totalTokens, isAutoCompactEnabled } = fieldsOf(answer?.response);
      const calls = requestsOf(seen).length;
      return [
        [answer?.ok === true, 'the question was refused'],
        [countOrZero(rawMaxTokens) > 0, `rawMaxTokens is ${rawMaxTokens}`],
        [countOf(totalTokens) !== undefined, 'totalTokens is missing'],
        [typeof isAutoCompactEnabled === 'boolean', 'isAutoCompactEnabled is missing'],
        [calls === 0, `it made ${calls} calls of the model`],
      ];
    },
  },
  {
    name: 'cost-in-result',
    fact: 'A result has the cost of the process so far.',
    fallback: 'ctxb counts the cost of each call from list prices, or from cost.prices',
    scene: plainTurns,
    expect({ turns }) {
      const [first = 0, second = 0] = turns.map((turn) => resultOf(turn)?.costUsd);
      return [
        [first > 0, `after the first turn it says ${first}`],
        [second > first, `after the second turn it says ${second}, after the first ${first}`],
      ];
    },
  },
  {
    name: 'hook-post-tool-use',
    fact: 'PostToolUse can replace the result that the model sees (updatedToolOutput), and add to it.',
    fallback: 'ctxb does not cut a result that is too large; the budget counts it, and the next Read gets less',
    scene: toolCompactAndClear,
    expect(seen) {
      const [, request = ''] = requestsOf(seen);
      return [
        [request.includes('made by the hook'), 'the model sees what the tool has printed'],
        [request.includes('added after the tool'), 'what it adds is not in the next request'],
      ];
    },
  },
  {
    name: 'hook-session-start',
    fact: 'claude calls SessionStart after /compact and after /clear, and its text begins the fresh context.',
    fallback: 'the document of a handoff goes with the next prompt, and lost evidence stays in the notes',
    scene: toolCompactAndClear,
    expect: (seen) =>
      ['compact', 'clear'].map((source) => {
        const next = requestWith(seen, `the prompt after ${source}`);
        return [next.includes(`added on ${source}`), `what it adds is not in the request after /${source}`];
      }),
  },
  {
    name: 'compact-succeeds',
    fact: '/compact with a focus replaces the conversation by a summary, and reports a boundary.',
    fallback: 'ctxb tries a compaction that does not help at most twice, then hands over to a fresh context',
    scene: toolCompactAndClear,
    expect(seen) {
      const [, turn = []] = seen.turns;
      const [summary = ''] = requestsOf(seen, 'summary');
      const next = requestWith(seen, 'the prompt after compact');
      return [
        [eventsOf(turn, 'boundary')[0]?.trigger === 'manual', 'there is no compact_boundary with the trigger "manual"'],
        [resultOf(turn)?.isError === false, 'the result is an error'],
        [summary.includes('focus on the parser'), 'the summary is asked for without the focus'],
        [next.includes('what the summary says'), 'the next request does not hold the summary'],
        [!next.includes('the prompt before'), 'the next request still holds what was before'],
      ];
    },
  },
  {
    name: 'clear-forgets',
    fact: '/clear empties the conversation, and a new session id or a reset shows it.',
    fallback: 'a handoff asks claude how full its context is, and starts a new process if it is not empty',
    scene: toolCompactAndClear,
    expect(seen) {
      const [, , before = [], clear = [], after = []] = seen.turns;
      const [old, fresh] = [before, [...clear, ...after]].map((turn) => eventsOf(turn, 'init').at(-1)?.sessionId);
      const next = requestWith(seen, 'the prompt after clear');
      const isFresh = next !== '' && !next.includes('the prompt after compact');
      return [
        [eventsOf(clear, 'reset').length > 0 || old !== fresh, 'nothing shows it'],
        [isFresh, 'the next request holds what was before'],
      ];
    },
  },
  {
    name: 'compact-exact',
    fact: "A mod in a running claude answers /compact: claude asks for no summary, and the next request holds the mod's note and every prompt.",
    fallback: 'compactions are summaries, and ctxb says so once',
    scene: compactedExactly,
    expect(seen) {
      const [, turn = []] = seen.turns;
      const next = requestWith(seen, 'the prompt after');
      return [
        [seen.answers.get('reload_plugins')?.ok === true, 'claude refuses to load it'],
        [eventsOf(turn, 'boundary').length === 1, 'there is no compact_boundary'],
        [requestsOf(seen, 'summary').length === 0, 'a summary is asked for'],
        [next.includes('what the note says'), 'the next request does not hold the note'],
        [next.includes('the prompt before'), 'the next request does not hold the prompt'],
        [!next.includes(OMITTED_LINE), 'the next request still holds what was left out'],
      ];
    },
  },
  {
    name: 'trigger-moved',
    fact: 'apply_flag_settings moves the level at which a running claude compacts, also in the middle of a turn.',
    fallback: 'claude compacts at its own level; ctxb can do nothing earlier in a long turn',
    scene: movedTrigger,
    expect({ answers, turns: [turn = []], requests }) {
      const at = requests.findIndex(({ kind }) => kind === 'summary');
      const before = requestsOf({ requests: requests.slice(0, at) }).length;
      const [next = ''] = requestsOf({ requests: requests.slice(at) });
      return [
        [answers.get('apply_flag_settings')?.ok === true, 'the setting was refused'],
        [eventsOf(turn, 'boundary')[0]?.trigger === 'auto', 'it did not compact by itself'],
        // 90,000 and 110,000 are below, 130,000 is above.
        [before === 3, `with ${TRIGGER} tokens it compacted after ${before} calls of 90000, 110000, 130000, …`],
        [next.includes('added on compact'), 'what the hook SessionStart added is not in the next request'],
      ];
    },
  },
  {
    name: 'resume-after-kill',
    fact: 'After SIGKILL a new process continues the session (--resume), with the whole conversation.',
    fallback: 'if claude does not know the session, ctxb begins a fresh one with the notes',
    scene: resumedAfterKill,
    expect(seen) {
      const next = requestsOf(seen).at(-1) ?? '';
      return [
        hasResultText(seen.turns[1], 'the answer after', 'the result'),
        [next.includes('the prompt before'), 'the next request does not hold the prompt before'],
        [next.includes('the answer before'), 'the next request does not hold the answer before'],
      ];
    },
  },
];
