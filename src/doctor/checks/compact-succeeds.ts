import { steps } from '../../standin/scenario.ts';
import { type Check, hold } from '../check.ts';
import { eventsOf, resultOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';

const LONG_TURN = steps({ count: 1, from: 90_000, growBy: 10_000, finalText: 'the answer before' });

export const compactSucceeds: Check = {
  name: 'compact-succeeds',
  fact: '/compact with a focus puts a summary in the place of the conversation, and says so by a boundary.',
  section: 'Compaction',
  instead: 'a compaction that does not help is tried twice at most, then the work is handed over to a fresh context',
  scenario: {
    calls: [...LONG_TURN, { text: 'the answer after' }],
    summary: { text: '<summary>what the summary says</summary>' },
  },
  async play(stage) {
    const claude = await stage.start();
    await claude.turn('the prompt before');
    const turn = await claude.turn('/compact focus on the parser');
    hold(eventsOf(turn, 'boundary')[0]?.trigger === 'manual', 'there is no compact_boundary with the trigger "manual"');
    hold(resultOf(turn)?.isError === false, 'the result is an error');
    hold(
      holds(requestsOf(stage.standin, 'summary')[0], 'focus on the parser'),
      'the summary is asked for without focus',
    );
    await claude.turn('the prompt after');
    const request = requestsOf(stage.standin).at(-1);
    hold(holds(request, 'what the summary says'), 'the next request does not hold the summary');
    hold(!holds(request, 'the prompt before'), 'the next request still holds what was before');
  },
};
