import { type Check, hold } from '../check.ts';
import { eventsOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const clearForgets: Check = {
  name: 'clear-forgets',
  fact: '/clear empties the conversation, and a new session id or a reset shows it.',
  section: 'Compaction',
  instead: 'a handoff asks claude how full its context is, and starts a new process where that is not empty',
  scenario: { calls: [{ text: 'the answer before' }, { text: 'the answer after' }] },
  async play(stage) {
    const claude = await stage.start();
    const before = eventsOf(await claude.turn('the prompt before'), 'init').at(-1)?.sessionId;
    const turn = await claude.turn('/clear');
    const after = await claude.turn('the prompt after');
    const session = eventsOf([...turn, ...after], 'init').at(-1)?.sessionId;
    hold(eventsOf(turn, 'reset').length > 0 || session !== before, 'nothing shows it');
    hold(!holds(requestsOf(stage.standin).at(-1), 'the prompt before'), 'the next request holds what was before');
  },
};
