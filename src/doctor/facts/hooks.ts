import type { HookName } from '../../core/governor/effects.ts';
import { type Check, expectFact, factsOf } from '../check.ts';
import { askedAtTheStart, compactAndClear, toolsWithHooks } from '../scenes.ts';
import {
  bash,
  eventsOf,
  expectCall,
  expectText,
  holds,
  requestsOf,
  requestWith,
  resultOf,
  scene,
} from '../stage/scene.ts';

const HOOKS: readonly HookName[] = [
  ...(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const),
  ...(['PreCompact', 'SessionStart', 'PostCompact'] as const),
];

export const HOOKS_FACTS: readonly Check[] = factsOf('Hooks over the control channel', [
  {
    name: 'control-channel',
    fact: 'initialize, with the hooks, is answered with success.',
    instead: 'nothing: notes, tool budgets and the place of the trigger need it',
    vital: true,
    scene: askedAtTheStart,
    look({ opened }) {
      expectFact(opened !== undefined, 'there was no answer');
      expectFact(opened.ok, 'it was refused');
    },
  },
  {
    name: 'hook-user-prompt-submit',
    fact: 'UserPromptSubmit is called with each prompt, and what it adds reaches the model with the prompt.',
    instead: 'the agent is told of its budget only after its next tool, and what a summary has lost is not handed back',
    scene: toolsWithHooks,
    look(seen) {
      const call = seen.calls.find(({ hook }) => hook === 'UserPromptSubmit');
      expectFact(call?.input.prompt === 'the prompt', 'it was not called with the prompt');
      expectFact(holds(requestsOf(seen)[0], 'added to the prompt'), 'what it adds is not in the request');
    },
  },
  {
    name: 'hook-pre-tool-use',
    fact: 'PreToolUse may change what a tool is called with (updatedInput), and what it adds reaches the model.',
    instead: 'a Read is not limited before, but cut after the tool where it is too large',
    scene: toolsWithHooks,
    look(seen) {
      expectCall(seen, 'PreToolUse');
      const request = requestsOf(seen).at(-1);
      expectFact(holds(request, 'as-the-hook-said'), 'the tool ran as the model said');
      expectFact(holds(request, 'added before the tool'), 'what it adds is not in the next request');
    },
  },
  {
    name: 'hook-post-tool-use',
    fact: 'PostToolUse may replace what the model sees of a result (updatedToolOutput), and add to it.',
    instead: 'a result that is too large stays whole; the budget counts it, and the next Read gets less',
    scene: toolsWithHooks,
    look(seen) {
      expectCall(seen, 'PostToolUse');
      const request = requestsOf(seen).at(-1);
      expectFact(holds(request, 'made by the hook'), 'the model sees what the tool has printed');
      expectFact(holds(request, 'added after the tool'), 'what it adds is not in the next request');
    },
  },
  {
    name: 'hook-post-tool-use-failure',
    fact: 'PostToolUseFailure is called when a tool fails, and what it adds reaches the model.',
    instead: 'failures are counted from the stream, and the agent is told of its budget after the next tool that works',
    scene: toolsWithHooks,
    look(seen) {
      expectCall(seen, 'PostToolUseFailure');
      expectFact(holds(requestsOf(seen).at(-1), 'added to the failure'), 'what it adds is not in the next request');
    },
  },
  {
    name: 'hook-pre-compact',
    fact: 'PreCompact is called before a compaction, and its systemMessage becomes part of what the summary is to do.',
    instead: 'a compaction that claude begins itself has no focus; the notes are on disk anyway',
    scene: compactAndClear,
    look(seen) {
      const call = expectCall(seen, 'PreCompact');
      expectFact(call.input.trigger === 'manual', `its trigger is "${call.input.trigger}"`);
      const said = JSON.stringify(requestsOf(seen, 'summary')[0]?.body ?? {}).includes('keep the paths');
      expectFact(said, 'the request for the summary does not hold its systemMessage');
    },
  },
  {
    name: 'hook-session-start',
    fact: 'SessionStart is called after /compact and after /clear, and what it adds begins the fresh context.',
    instead: 'what a summary loses, or the document of a handoff, goes with the next prompt',
    scene: compactAndClear,
    look(seen) {
      for (const source of ['compact', 'clear']) {
        const isCalled = seen.calls.some(({ hook, input }) => hook === 'SessionStart' && input.source === source);
        expectFact(isCalled, `it was not called after /${source}`);
        const next = requestWith(seen, `the prompt after ${source}`);
        expectFact(holds(next, `added on ${source}`), `what it adds is not in the request after /${source}`);
      }
    },
  },
  {
    name: 'hook-post-compact',
    fact: 'PostCompact is called with the summary.',
    instead: 'the summary is taken from the stream, where this claude shows it; else nothing is handed back twice',
    scene: compactAndClear,
    look(seen) {
      const summary = String(expectCall(seen, 'PostCompact').input.compact_summary);
      expectFact(summary.includes('what the summary says'), `compact_summary is ${summary.slice(0, 80)}`);
    },
  },
  {
    name: 'hook-stops-turn',
    fact: 'PostToolUse may end the turn behind its tool (continue: false): no further call, and the process takes the next prompt.',
    instead: 'where handing over is the strategy, a turn that grows too large is compacted by claude instead',
    scene: scene({
      scenario: { calls: [{ tools: [bash('true')] }, { text: 'the answer after' }] },
      hooks: { PostToolUse: () => ({ continue: false, stopReason: 'stopped on purpose' }) },
      says: ['the prompt', 'the prompt after'],
    }),
    look({ turns: [stopped = [], after = []] }) {
      const reason = resultOf(stopped)?.terminalReason;
      expectFact(reason === 'hook_stopped', `the terminal_reason of the result is "${reason}"`);
      expectText(after, 'the answer after');
    },
  },
  {
    name: 'hook-error-proceeds',
    fact: 'A hook that is answered with an error lets claude go on as if there were none: prompts, tools, compactions.',
    instead: 'nothing: a hook that takes too long would hang the turn or lose the prompt',
    vital: true,
    scene: scene({
      scenario: {
        calls: [
          { tools: [bash('printf %s%s printed -by-the-tool'), bash('exit 3')] },
          { text: 'the answer', context: 100_000 },
          { text: 'the answer after' },
        ],
      },
      hooks: Object.fromEntries(HOOKS.map((name) => [name, () => 'error'])),
      says: ['the prompt', '/compact', 'the prompt after'],
    }),
    look(seen) {
      const [turn = [], compact = [], after = []] = seen.turns;
      const [first, second] = requestsOf(seen);
      expectFact(holds(first, 'the prompt'), 'the prompt did not reach the model');
      expectFact(holds(second, 'printed-by-the-tool'), 'the tool did not run');
      expectText(turn, 'the answer', 'the result');
      expectFact(eventsOf(compact, 'boundary').length > 0, 'it did not compact');
      expectText(after, 'the answer after');
    },
  },
]);
