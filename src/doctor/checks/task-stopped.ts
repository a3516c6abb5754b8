import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { eventsOf } from '../stage/events.ts';
import { seen } from '../stage/scene.ts';

/** Outlives claude by no more than a moment, as its folder is removed then. */
const WAIT = {
  command: 'touch here; while [ -e here ]; do sleep 0.2; done',
  description: 'Wait',
  run_in_background: true,
};

export const taskStopped: Check = {
  name: 'task-stopped',
  fact: 'A command in the background is reported, and ended when that is asked for (stop_task).',
  section: 'Running it',
  instead: 'a run waits at its end until claude itself has ended what goes on in the background',
  scene: {
    scenario: { calls: [{ tools: [{ name: 'Bash', input: WAIT }] }, { text: 'it goes on' }] },
    async play(stage) {
      const claude = await stage.start();
      const turn = await claude.turn('a prompt');
      const task = eventsOf(turn, 'task').find(({ change }) => change === 'started')?.taskId;
      hold(task !== undefined, 'it was not reported');
      const answer = await claude.ask({ subtype: 'stop_task', task_id: task });
      hold(answer.ok, 'the request was refused');
      const after = await claude.until('its end', (event) => event.kind === 'task' && event.taskId === task);
      return seen(stage, claude, { turns: [turn, after], answers: [answer] });
    },
  },
  look({ turns: [, after = []] }) {
    const change = eventsOf(after, 'task').at(-1)?.change;
    hold(change === 'stopped' || change === 'ended', `it is reported as ${change}`);
  },
};
