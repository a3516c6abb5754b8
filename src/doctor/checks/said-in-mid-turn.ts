import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import type { Conversation } from '../stage/conversation.ts';
import { eventsOf } from '../stage/events.ts';
import { holds, requestWith } from '../stage/requests.ts';
import { type Scene, seen } from '../stage/scene.ts';

const WORDS = 'said in the middle of it';
const TOOL = { name: 'Bash', input: { command: 'true' } };

export const saidInMidTurn: Check = {
  name: 'said-in-mid-turn',
  fact: 'What is said while a turn runs reaches the model, within that turn or right after it.',
  section: 'Speaking into a running turn',
  instead:
    "nothing: ctxb itself says nothing in mid-turn; a program's own words would be lost, as they would without ctxb",
  scene: speakingInMidTurn(),
  look(seen) {
    const request = requestWith(seen, WORDS);
    hold(request !== undefined, 'no request holds the words');
    hold(holds(request, 'the prompt'), 'the request with the words does not hold the prompt');
    hold(
      seen.turns.every((turn) => eventsOf(turn, 'result').every(({ isError }) => !isError)),
      'the turn has failed',
    );
  },
};

/** The first tool waits for its hook, so the words are there before it has run. */
function speakingInMidTurn(): Scene {
  return {
    scenario: {
      calls: [{ tools: [TOOL] }, { tools: [TOOL] }, { text: 'one answer' }, { text: 'another answer' }],
    },
    async play(stage) {
      let speak = () => {};
      const claude: Conversation = await stage.start({
        hooks: {
          PreToolUse() {
            speak();
            return {};
          },
        },
      });
      speak = () => {
        claude.say(WORDS);
        speak = () => {};
      };
      const turn = await claude.turn('the prompt');
      // What was said before it comes first, in whatever turn.
      const after = await claude.turn('the prompt after');
      return seen(stage, claude, { turns: [turn, after] });
    },
  };
}
