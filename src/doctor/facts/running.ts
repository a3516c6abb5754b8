import { randomUUID } from 'node:crypto';
import type { ChildEnd } from '../../claude/child.ts';
import { limited, SUBSCRIPTION } from '../../standin/scenario.ts';
import { type Check, expectFact, factsOf } from '../check.ts';
import { plainTurns, refusedCall, resumedAfterKill, UUID_BEFORE_KILL } from '../scenes.ts';
import { endText } from '../stage/conversation.ts';
import { eventsOf, expectText, holds, played, requestsOf, resultOf, scene } from '../stage/scene.ts';

const UUID = randomUUID();

const HOUR_MS = 3_600_000;

/** Outlives claude by no more than a moment, as its folder is removed then. */
const WAIT = {
  command: 'touch here; while [ -e here ]; do sleep 0.2; done',
  description: 'Wait',
  run_in_background: true,
};

export const RUNNING_FACTS: readonly Check[] = factsOf('Running it', [
  {
    name: 'two-way-stream',
    fact: 'A prompt on stdin is answered, its turn ends with one result, and the process takes the next prompt.',
    instead: 'nothing: ctxb speaks to claude in this way only',
    vital: true,
    scene: plainTurns,
    look({ turns }) {
      const answers = ['the first answer', 'the second answer'];
      for (const [index, turn] of turns.entries()) {
        expectFact(eventsOf(turn, 'init').length > 0, 'no system/init line before the result');
        expectFact(resultOf(turn)?.isError === false, 'the result is an error');
        expectText(turn, answers[index] ?? '', 'the result');
      }
    },
  },
  {
    name: 'end-of-input',
    fact: 'When its input is closed, claude ends with exit code 0.',
    instead: 'nothing: ctxb waits for the end until it is signalled itself; another exit code is passed on as it is',
    scene: plainTurns,
    look({ end }) {
      expectEnd(end, 0);
    },
  },
  {
    name: 'exit-code-of-error',
    fact: 'A turn that the API refuses ends with a result that is an error, and the process with exit code 1.',
    instead: 'the exit code of a run is taken from the last result that was shown',
    scene: refusedCall,
    look({ turns: [turn = []], end }) {
      expectFact(resultOf(turn)?.isError === true, 'the result is not an error');
      expectEnd(end, 1);
    },
  },
  {
    name: 'usage-limit',
    fact: 'At a usage limit claude names the limit and its reset, ends the turn with an error, and takes the next prompt.',
    instead:
      'a run that waits for limits tries again at growing intervals; one that does not ends with 1 and not with 5',
    scene: scene({
      scenario: { calls: (_, index) => (index === 0 ? limited(HOUR_MS) : { text: 'the answer' }) },
      env: SUBSCRIPTION,
      says: ['first', 'second'],
    }),
    look({ turns: [first = [], second = []] }) {
      const [told] = eventsOf(first, 'rate-limit');
      expectFact(told?.rejected === 'five_hour', 'no line names the limit');
      expectFact(told.limits.five_hour?.resetsAt !== undefined, 'its reset is not told');
      expectFact(resultOf(first)?.failure?.cause === 'limit', 'the result is not known for the end of a limit');
      expectText(second, 'the answer');
    },
  },
  {
    name: 'sigterm-ends',
    fact: 'SIGTERM ends claude in the middle of a turn, without a result.',
    instead: 'claude is killed five seconds later',
    scene: played({ scenario: { calls: [{ text: 'too late', delayMs: 600_000 }] } }, async (claude, stage) => {
      claude.say('a prompt');
      await stage.request('the first call', ({ kind }) => kind === 'main');
      claude.kill('SIGTERM');
      return { end: await claude.ended(), turns: [claude.events] };
    }),
    look({ turns: [turn = []], end }) {
      expectEnd(end?.signal === 'SIGTERM' ? { code: 143, signal: undefined } : end, 143);
      expectFact(!turn.some(({ kind }) => kind === 'result'), 'there was a result all the same');
    },
  },
  {
    name: 'prompt-in-session-log',
    fact: "A prompt's uuid is the uuid of its row in claude's own session log.",
    instead: 'after a crash the prompts of the turn that was under way are sent again, though claude may know them',
    scene: resumedAfterKill,
    look({ log }) {
      expectFact(log?.delivered.has(UUID_BEFORE_KILL) === true, 'the log does not hold it');
    },
  },
  {
    name: 'resume-after-kill',
    fact: 'After SIGKILL a new process goes on with the session (--resume), with all that was said before.',
    instead: 'where claude says that it knows no such session, a fresh one is begun with what the notes know',
    scene: resumedAfterKill,
    look(seen) {
      expectText(seen.turns[1], 'the answer after', 'the result');
      for (const words of ['the prompt before', 'the answer before']) {
        expectFact(holds(requestsOf(seen).at(-1), words), `the next request does not hold ${words}`);
      }
    },
  },
  {
    name: 'replayed-prompt',
    fact: 'With --replay-user-messages claude shows each prompt again, under its own uuid and marked as a replay.',
    instead: 'such echoes are shown to the caller, also those of lines that ctxb has sent',
    scene: played({ scenario: { calls: [{ text: 'answer' }] }, args: ['--replay-user-messages'] }, async (claude) => ({
      turns: [await claude.turn('a prompt', UUID)],
    })),
    look({ turns: [turn = []] }) {
      const echoes = eventsOf(turn, 'user').filter(({ uuid }) => uuid === UUID);
      expectFact(echoes.length === 1, `${echoes.length} lines have its uuid`);
      expectFact(echoes[0]?.replay === true, 'the line is not marked as a replay');
    },
  },
  {
    name: 'task-stopped',
    fact: 'A command in the background is reported, and ended when that is asked for (stop_task).',
    instead: 'a run waits at its end until claude itself has ended what goes on in the background',
    scene: played(
      { scenario: { calls: [{ tools: [{ name: 'Bash', input: WAIT }] }, { text: 'it goes on' }] } },
      async (claude) => {
        const turn = await claude.turn('a prompt');
        const task = eventsOf(turn, 'task').find(({ change }) => change === 'started')?.taskId;
        expectFact(task !== undefined, 'it was not reported');
        const { ok } = await claude.ask({ subtype: 'stop_task', task_id: task });
        expectFact(ok, 'the request was refused');
        const after = await claude.until('its end', (event) => event.kind === 'task' && event.taskId === task);
        return { turns: [turn, after] };
      },
    ),
    look({ turns: [, after = []] }) {
      const change = eventsOf(after, 'task').at(-1)?.change;
      expectFact(change === 'stopped' || change === 'ended', `it is reported as ${change}`);
    },
  },
]);

function expectEnd(end: ChildEnd | undefined, code: number): void {
  expectFact(end !== undefined, 'it did not end');
  expectFact(end.code === code, `it ended with ${endText(end)}`);
}
