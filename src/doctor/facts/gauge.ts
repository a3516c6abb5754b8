import { countOf, fieldsOf } from '../../core/protocol/fields.ts';
import { type Check, expectFact, factsOf } from '../check.ts';
import {
  askedAtTheStart,
  CONTEXT_BEFORE_KILL,
  CONTEXTS_OF_FIRST_TURN,
  plainTurns,
  refusedCall,
  resumedAfterKill,
} from '../scenes.ts';
import { answersOf, bash, contextIn, eventsOf, requestsOf, resultOf, scene } from '../stage/scene.ts';

export const GAUGE_FACTS: readonly Check[] = factsOf('The context gauge', [
  {
    name: 'usage-per-call',
    fact: 'Each line of an answer carries the tokens that its own API call has read, not a sum.',
    instead:
      'where there is no usage at all, the context is estimated from characters; a sum would be mistaken for a context',
    vital: true,
    scene: plainTurns,
    look({ turns: [turn = []] }) {
      const shown = answersOf(turn).map(contextIn);
      const text = `calls of ${CONTEXTS_OF_FIRST_TURN.join(', ')} tokens show ${shown.join(', ')}`;
      expectFact([...new Set(shown)].join() === CONTEXTS_OF_FIRST_TURN.join(), text);
    },
  },
  {
    name: 'one-id-per-call',
    fact: 'The lines of one API call have one message.id.',
    instead: 'each line counts as a call: growth and cost come out too high until the result corrects the cost',
    scene: plainTurns,
    look({ turns: [turn = []] }) {
      const lines = answersOf(turn);
      const ids = new Set(lines.map(({ messageId }) => messageId)).size;
      expectFact(ids === 3, `3 calls have ${ids} ids on ${lines.length} lines`);
    },
  },
  {
    name: 'synthetic-error',
    fact: 'An assistant line that claude makes up itself, such as for an error of the API, says so in its model.',
    instead: 'its usage is all zero in the versions known, and usage that is all zero is not taken either',
    scene: refusedCall,
    look({ turns: [turn = []] }) {
      const lines = eventsOf(turn, 'assistant');
      expectFact(lines.length > 0, 'there is no assistant line');
      const areMarked = lines.every(({ synthetic }) => synthetic);
      expectFact(areMarked, `its model is "${lines[0]?.model}"`);
    },
  },
  {
    name: 'window-in-result',
    fact: 'A result says how large the window of its model is.',
    instead: 'the window is asked for over the control channel, else taken from the name of the model',
    scene: plainTurns,
    look({ turns: [turn = []] }) {
      const windows = Object.values(resultOf(turn)?.windows ?? {});
      const isTold = windows.some((tokens) => tokens > 0);
      expectFact(isTold, `it says ${windows.join(', ') || 'nothing'}`);
    },
  },
  {
    name: 'context-asked',
    fact: 'Right after the start claude tells its window when it is asked, without a call of the model.',
    instead: 'the window is not known before the first result: until then nothing is warned of, cut or compacted',
    scene: askedAtTheStart,
    look(seen) {
      const [answer] = seen.answers;
      expectFact(answer?.ok === true, answer === undefined ? 'there was no answer' : 'the question was refused');
      const { rawMaxTokens, totalTokens, isAutoCompactEnabled } = answer.response;
      expectFact((countOf(rawMaxTokens) ?? 0) > 0, `rawMaxTokens is ${rawMaxTokens}`);
      expectFact(countOf(totalTokens) !== undefined, 'totalTokens is missing');
      expectFact(typeof isAutoCompactEnabled === 'boolean', 'isAutoCompactEnabled is missing');
      const calls = requestsOf(seen).length;
      expectFact(calls === 0, `it made ${calls} calls of the model`);
    },
  },
  {
    name: 'context-of-resumed',
    fact: 'In a session that is continued, claude tells the last measured context before the first prompt.',
    instead: 'the context is not known before the first call, so that a full one is not relieved before it',
    scene: resumedAfterKill,
    look({ answers: [answer] }) {
      const total = countOf(answer?.response.totalTokens) ?? 0;
      const isNear = Math.abs(total - CONTEXT_BEFORE_KILL) < CONTEXT_BEFORE_KILL / 10;
      expectFact(isNear, `it says ${total} after a call of ${CONTEXT_BEFORE_KILL} tokens`);
    },
  },
]);

const AGENT = { description: 'A task', prompt: 'Do it.', subagent_type: 'general-purpose', run_in_background: false };

export const SUBAGENTS_FACTS: readonly Check[] = factsOf('Subagents', [
  {
    name: 'subagent-lines',
    fact: 'Lines of a subagent name the call that has started it; those of the main thread name none.',
    instead: "a subagent's calls would pass for the main thread's: the context would seem to jump",
    scene: scene({
      scenario: {
        calls: [
          { tools: [{ name: 'Agent', input: AGENT }], context: 90_000 },
          { text: 'done', context: 91_000 },
        ],
        subagentCalls: [
          { tools: [bash('true')], context: 12_000 },
          { text: 'the subagent is done', context: 13_000 },
        ],
      },
      says: ['a prompt'],
    }),
    look({ turns: [turn = []] }) {
      const main = answersOf(turn).map(contextIn);
      const text = `calls of 90000, 91000 tokens show ${main.join(', ')} on the main thread`;
      expectFact(main.join() === '90000,91000', text);
      const others = eventsOf(turn, 'assistant').filter(({ subagent }) => subagent !== null);
      expectFact(others.length > 0, 'no line is marked as one of a subagent');
    },
  },
]);

export const COST_FACTS: readonly Check[] = factsOf('Cost', [
  {
    name: 'cost-in-result',
    fact: 'A result says what the process has cost until then.',
    instead: 'cost is counted per call from list prices, or from cost.prices',
    scene: plainTurns,
    look({ turns }) {
      const [first = 0, second = 0] = turns.map((turn) => resultOf(turn)?.costUsd);
      expectFact(first > 0, `after the first turn it says ${first}`);
      expectFact(second > first, `after the second turn it says ${second}, after the first ${first}`);
    },
  },
  {
    name: 'cost-asked',
    fact: 'Before the first prompt claude tells what its session has cost, when it is asked (get_usage).',
    instead: 'what a session has cost before it is continued may count once more until the first result',
    scene: askedAtTheStart,
    look({ answers: [, answer] }) {
      expectFact(answer?.ok === true, answer === undefined ? 'there was no answer' : 'the question was refused');
      const total = fieldsOf(answer.response.session).total_cost_usd;
      expectFact(typeof total === 'number', `session.total_cost_usd is ${total}`);
    },
  },
  {
    name: 'budget-stops',
    fact: 'With --max-budget-usd claude stops at the call that crosses the limit, in the middle of a turn.',
    instead: 'ctxb interrupts the turn itself, as soon as it has counted the call',
    scene: scene({
      scenario: {
        calls: (_, index) => (index < 5 ? { tools: [bash('true')], context: 100_000 } : { text: 'too late' }),
      },
      args: ['--max-budget-usd', '0.000001'],
      says: ['a prompt'],
    }),
    look(seen) {
      const calls = requestsOf(seen).length;
      expectFact(calls === 1, `it made ${calls} calls`);
      expectFact(resultOf(seen.turns[0] ?? [])?.isError === true, 'the result is not an error');
    },
  },
]);
