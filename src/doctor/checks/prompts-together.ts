import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { holds, requestsOf } from '../stage/requests.ts';
import { seen } from '../stage/scene.ts';

const PROMPTS = ['the first of three', 'the second of three', 'the third of three'];

export const promptsTogether: Check = {
  name: 'prompts-together',
  fact: 'Prompts that are sent together reach the model all, in their order, in one turn or in several.',
  section: 'Speaking into a running turn',
  instead: "nothing: ctxb itself sends one at a time; a program's own would be lost, as they would without ctxb",
  scene: {
    scenario: { calls: (_, index) => ({ text: `answer ${index}` }) },
    async play(stage) {
      const claude = await stage.start();
      for (const text of PROMPTS) claude.say(text);
      await stage.request('a call with the last of them', (request) => holds(request, PROMPTS.at(-1) ?? ''));
      return seen(stage, claude);
    },
  },
  look(seen) {
    const words = JSON.stringify(requestsOf(seen).at(-1)?.body.messages);
    const places = PROMPTS.map((text) => words.indexOf(text));
    hold(!places.includes(-1), `${places.filter((place) => place === -1).length} of them did not reach it`);
    hold(places.join() === [...places].sort((a, b) => a - b).join(), 'they reached it in another order');
  },
};
