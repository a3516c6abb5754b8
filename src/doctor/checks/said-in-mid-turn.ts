import { type Check, hold } from '../check.ts';
import type { Conversation } from '../stage/conversation.ts';
import { eventsOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';

const WORDS = 'said in the middle of it';

export const saidInMidTurn: Check = {
  name: 'said-in-mid-turn',
  fact: 'What is said while a turn runs reaches the model, within that turn or right after it.',
  section: 'Speaking into a running turn',
  instead:
    "nothing: ctxb itself says nothing in mid-turn; a program's own words would be lost, as they would without ctxb",
  scenario: {
    calls: [
      { tools: [{ name: 'Bash', input: { command: 'true' } }] },
      { tools: [{ name: 'Bash', input: { command: 'true' } }] },
      { text: 'one answer' },
      { text: 'another answer' },
    ],
  },
  async play(stage) {
    // The tool waits for its hook, so the words are there before it has run.
    let claude: Conversation | undefined;
    let said = false;
    claude = await stage.start({
      hooks: {
        PreToolUse() {
          if (!said) claude?.say(WORDS);
          said = true;
          return {};
        },
      },
    });
    claude.say('the prompt');
    await stage.request('a call with the words', (request) => request.kind === 'main' && holds(request, WORDS));
    await claude.until('the result', ({ kind }) => kind === 'result');
    const last = requestsOf(stage.standin).at(-1);
    hold(holds(last, 'the prompt'), 'the request with the words does not hold the prompt');
    hold(
      eventsOf(claude.events, 'result').every(({ isError }) => !isError),
      'the turn has failed',
    );
  },
};
