import { randomUUID } from 'node:crypto';
import { already, orNothing, type Scene, seen } from '../stage/scene.ts';
import { untilLogged } from '../stage/session-logs.ts';

/** The uuid of the prompt before the kill. */
export const UUID = randomUUID();
/** Context of the last call before the kill, in tokens. */
export const CONTEXT = 125_000;

/** A claude is killed after a turn, and another goes on with its session. */
export const resumedAfterKill: Scene = {
  scenario: { calls: [{ text: 'the answer before', context: CONTEXT }, { text: 'the answer after' }] },
  async play(stage) {
    const first = await stage.start();
    const before = await first.turn('the prompt before', UUID);
    const { session, log } = await untilLogged(stage, first);
    first.kill('SIGKILL');
    await first.ended();
    const second = await stage.start({ args: ['--resume', session] });
    const answer = orNothing(second.ask({ subtype: 'get_context_usage', detail: 'summary' }));
    const after = await second.turn('the prompt after');
    return seen(stage, second, { turns: [before, after], answers: [await already(answer)], log });
  },
};
