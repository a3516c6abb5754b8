import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Move, type PlayedJob, playAlone, playGoverned, type Sight } from '../support/economy/played-claude.ts';
import { callLine, initLine, type Line, resultLine, userLine } from '../support/governor.ts';
import { doubledIn } from './doubled.ts';
import { jobOfRecorded, type RecordedSession, readRecorded } from './recorded.ts';

const folder = mkdtempSync(join(tmpdir(), 'ctxb-recorded-'));
afterAll(() => rmSync(folder, { recursive: true }));

function recorded(...lines: readonly Line[]): RecordedSession | undefined {
  const file = join(folder, 'session.ndjson');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return readRecorded(file);
}

let ids = 0;

/** A call with a tool, and what that gives. */
function round(name: string, input: object, result: string): Line[] {
  const id = `toolu_${++ids}`;
  const call = callLine(30_000) as { message: object };
  const content = [{ type: 'tool_use', id, name, input }];
  return [
    { ...call, message: { ...call.message, content } },
    userLine([{ type: 'tool_result', tool_use_id: id, content: result }]),
  ];
}

const SOURCE = 'export const limit_of_the_queue = 4711;\n';
const SESSION = [
  initLine(),
  ...round('Read', { file_path: '/project/src/queue.ts' }, SOURCE),
  ...round('Bash', { command: 'make' }, 'done'),
  ...round('Edit', { file_path: '/project/src/queue.ts', old_string: SOURCE, new_string: 'none' }, 'updated'),
  resultLine(),
];

/** All moves of a job in which the model sees what `sight` says. */
function movesOf(job: PlayedJob, sight: Sight): Move[] {
  return job().flatMap(({ next }) => {
    const moves: Move[] = [];
    for (let move = next(sight); ; move = next(sight)) {
      moves.push(move);
      if (move.kind === 'call' && move.ends) return moves;
    }
  });
}

function toolsIn(moves: readonly Move[]): (string | undefined)[] {
  return moves.map((move) => (move.kind === 'call' ? move.uses[0]?.tool : move.kind));
}

it('a recorded session is made once more, call by call', () => {
  const session = recorded(...SESSION) as RecordedSession;
  expect(
    toolsIn(
      movesOf(
        jobOfRecorded(session, () => {}),
        () => true,
      ),
    ),
  ).toEqual(['Read', 'Bash', 'Edit']);
  expect(session.prefix).toBeGreaterThan(20_000);
});

it('what an edit replaces is read again where it is not in sight', () => {
  let fetched = 0;
  const session = recorded(...SESSION) as RecordedSession;
  const job = jobOfRecorded(session, () => fetched++);
  const moves = movesOf(job, (words) => !words.includes('limit_of_the_queue'));
  expect(toolsIn(moves)).toEqual(['Read', 'Bash', 'Read', 'Edit']);
  expect(fetched).toBe(1);
  expect(toolsIn(movesOf(jobOfRecorded(session), () => false))).toEqual(['Read', 'Bash', 'Edit']);
});

it('a long session costs less with reliefs, and repeated fetches are counted', () => {
  const middle = Array.from({ length: 60 }, (_, at) => round('Bash', { command: `make ${at}` }, 'word '.repeat(4_000)));
  const [init = {}, read = {}, result = {}, ...rest] = SESSION;
  const session = recorded(init, read, result, ...middle.flat(), ...rest) as RecordedSession;
  let fetched = 0;
  const world = { window: 1_000_000, model: 'claude-sonnet-4-5', prefix: session.prefix };
  const alone = playAlone(jobOfRecorded(session), world);
  const ctxb = playGoverned(
    jobOfRecorded(session, () => fetched++),
    world,
  );
  expect(ctxb.reliefs.length).toBeGreaterThan(0);
  expect(ctxb.usd).toBeLessThan(alone.usd);
  expect([ctxb.calls, fetched]).toEqual([alone.calls + 1, 1]);
});

it('what stands in the context in a newer state too is doubled, from the call behind it on', () => {
  const read = () => round('Read', { file_path: '/project/a' }, 'word '.repeat(1_000));
  const once = recorded(initLine(), ...read(), ...round('Bash', { command: 'make' }, 'done'), resultLine());
  const twice = recorded(initLine(), ...read(), ...read(), ...round('Bash', { command: 'make' }, 'done'), resultLine());
  expect(doubledIn(once as RecordedSession).doubled).toBe(0);
  const { read: all, doubled } = doubledIn(twice as RecordedSession);
  expect(doubled / all).toBeCloseTo(1 / 3, 2);
});

it('a recording without a call is left out', () => {
  expect(recorded(initLine(), resultLine())).toBeUndefined();
});
