import { type Check, expectFact, factsOf } from '../check.ts';
import { bash, eventsOf, expectText, holds, played, requestsOf, requestWith, resultOf } from '../stage/scene.ts';

const WORDS = 'said in the middle of it';
const TOOL = bash('true');

/** The first tool waits for its hook, so the words are there before it has run. */
const speakingInMidTurn = played(
  {
    scenario: { calls: [{ tools: [TOOL] }, { tools: [TOOL] }, { text: 'one answer' }, { text: 'another answer' }] },
    hooks: {
      PreToolUse(_, { calls, say }) {
        if (calls.length === 1) say(WORDS);
        return {};
      },
    },
  },
  // What was said before it comes first, in whatever turn.
  async (claude) => ({ turns: [await claude.turn('the prompt'), await claude.turn('the prompt after')] }),
);

const PROMPTS = ['the first of three', 'the second of three', 'the third of three'];

export const MID_TURN_FACTS: readonly Check[] = factsOf('Speaking into a running turn', [
  {
    name: 'interrupt-ends-turn',
    fact: 'An interrupt ends the turn with a result, and the process takes the next prompt.',
    instead: 'Ctrl-C twice ends claude; a cost limit takes hold when the turn is over',
    scene: played(
      { scenario: { calls: [{ text: 'too late', delayMs: 600_000 }], afterLast: { text: 'the answer after' } } },
      async (claude, stage) => {
        claude.say('the prompt before');
        await stage.request('the first call', ({ kind }) => kind === 'main');
        const { ok } = await claude.ask({ subtype: 'interrupt' });
        expectFact(ok, 'the interrupt was refused');
        const turn = await claude.until('the result of the turn', ({ kind }) => kind === 'result');
        return { turns: [turn, await claude.turn('the prompt after')] };
      },
    ),
    look({ turns: [turn = [], next = []] }) {
      expectFact(resultOf(turn)?.text !== 'too late', 'the turn went on to its end');
      expectText(next, 'the answer after');
    },
  },
  {
    name: 'said-in-mid-turn',
    fact: 'A prompt that is sent while a turn runs reaches the model, within that turn or right after it.',
    instead:
      "nothing: ctxb itself says nothing in mid-turn; a program's own words would be lost, as they would without ctxb",
    scene: speakingInMidTurn,
    look(seen) {
      const request = requestWith(seen, WORDS);
      expectFact(request !== undefined, 'no request holds the words');
      expectFact(holds(request, 'the prompt'), 'the request with the words does not hold the prompt');
      const hasFailed = seen.turns.some((turn) => eventsOf(turn, 'result').some(({ isError }) => isError));
      expectFact(!hasFailed, 'the turn has failed');
    },
  },
  {
    name: 'prompts-together',
    fact: 'Prompts that are sent together reach the model all, in their order, in one turn or in several.',
    instead: "nothing: ctxb itself sends one at a time; a program's own would be lost, as they would without ctxb",
    scene: played({ scenario: { calls: (_, index) => ({ text: `answer ${index}` }) } }, async (claude, stage) => {
      for (const text of PROMPTS) claude.say(text);
      await stage.request('a call with the last of them', (request) => holds(request, PROMPTS.at(-1) ?? ''));
      return {};
    }),
    look(seen) {
      const words = JSON.stringify(requestsOf(seen).at(-1)?.body.messages);
      const places = PROMPTS.map((text) => words.indexOf(text));
      expectFact(!places.includes(-1), `${places.filter((place) => place === -1).length} of them did not reach it`);
      expectFact(places.join() === [...places].sort((a, b) => a - b).join(), 'they reached it in another order');
    },
  },
]);
