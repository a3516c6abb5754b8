import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import type { ReplayReport } from '../../src/replay/sums.ts';
import {
  type Finished,
  type RunningProgram,
  runProgram,
  startProgram,
  startWorld,
  type World,
} from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journal, journalLines, prompts, SMALL_WINDOW } from '../support/ctxb.ts';
import { movedClock } from '../support/moved-clock.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';
import { limited, SUBSCRIPTION } from '../support/usage-limits.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PROMPTS = Array.from({ length: 8 }, (_, index) => `prompt ${index + 1}`);

/** What claude is answered, call by call: each call that is answered takes eight minutes. */
function scriptOf(limit: (hours: number) => () => Call, crash: () => Call, hang: () => Call): (Call | (() => Call))[] {
  const tool: Call = { tools: [{ name: 'Bash', input: { command: 'echo done', description: 'A step' } }] };
  // claude tries twice, and ctxb begins a second time.
  const outage = (call: Call) => Array<Call>(4).fill(call);
  return [
    ...[tool, tool, { text: 'answer 1' }],
    ...[tool, limit(2.5), tool, { text: 'answer 2' }],
    ...[tool, ...outage({ error: { status: 529 } }), tool, { text: 'answer 3' }],
    ...[tool, crash, tool, { text: 'answer 4' }],
    ...[tool, ...outage({ reset: true }), hang, tool, { text: 'answer 5' }],
    ...[tool, limit(3), limit(2.9), tool, { text: 'answer 6' }],
    ...[...outage({ error: { status: 502, html: '<html>Bad Gateway</html>' } }), { text: 'answer 7' }],
    ...[tool, { text: 'answer 8' }],
  ];
}

inSoak(
  'an eight-hour night: every prompt is answered once, and one page shows what happened',
  {
    timeout: 300_000,
  },
  async () => {
    let program: RunningProgram | undefined;
    let requests = 0;
    let hangs = false;
    const world: World = await startWorld({ calls: answer });
    const { cwd } = world.scratch;
    const clock = movedClock(join(cwd, 'clock'));
    const script = scriptOf((hours) => () => limited(hours * HOUR + clock.offset()), crash, hang);

    function answer(request: RecordedRequest): Call {
      requests++;
      hangs = false;
      const given = script.shift() ?? { text: 'nothing more' };
      const call = typeof given === 'function' ? given() : given;
      if (call.text === undefined && call.tools === undefined) return call;
      return { ...call, until: passTime(request) };
    }

    /** The clock moves once ctxb has read all that claude said before it made the request. */
    async function passTime(request: RecordedRequest): Promise<void> {
      await until(() =>
        isRead(
          request,
          RECORDS.map((name) => textOf(join(cwd, name))),
        ),
      );
      clock.move(8 * MINUTE, program);
      await until(clock.isMoved);
    }

    function hang(): Call {
      hangs = true;
      return { delayMs: HOUR };
    }

    function crash(): Call {
      process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
      return { delayMs: HOUR };
    }

    async function start(...args: string[]): Promise<RunningProgram> {
      const env = {
        ...{ ...world.scratch.env, ...SUBSCRIPTION, ...clock.env },
        // The clock of claude is not moved: ctxb waits.
        ...{ CLAUDE_CODE_RETRY_WATCHDOG: '0', CLAUDE_CODE_MAX_RETRIES: '1' },
      };
      program = startProgram(process.execPath, [...clock.flags, CTXB, 'run', ...args], { env, cwd });
      program.stdin.end();
      await world.standin.waitFor(requests + 1);
      return program;
    }

    /** Lets the time pass while ctxb waits, or claude hangs, until the run is over or `isDone`. */
    async function sleepThrough(run: RunningProgram, isDone = () => false): Promise<Finished> {
      let end: Finished | undefined;
      void run.finished.then((finished) => {
        end = finished;
      });
      let [seen, quiet] = [requests, 0];
      while (end === undefined && !isDone()) {
        await delay(100);
        quiet = seen === requests ? quiet + 1 : 0;
        seen = requests;
        // claude tries again after half a second.
        if (quiet >= 12) clock.move(timeToPass(), run);
      }
      if (end === undefined) run.kill('SIGKILL');
      return run.finished;
    }

    /** Until shortly before what ctxb waits for, and then in small steps: what it does then has timers of its own. */
    function timeToPass(): number {
      const last = journal(world).findLast((one) => KNOWN.has(nameOf(one)));
      if (last?.kind === 'wait' && last?.of === 'begun') return Math.max(last.until - clock.now() - STEP, STEP);
      return hangs && !(last?.kind === 'silence' && last?.of === 'claude') && last?.kind !== 'restart' ? MINUTE : 0;
    }

    try {
      const limits = () =>
        journal(world).filter((one) => one.kind === 'wait' && one.of === 'begun' && one.cause === 'limit').length;
      const flags = ['--limit-wait', '6h', '--outage-wait', '1h', '--stall-after', '15m', '--record', 'night-1.ndjson'];
      const night = await start(...prompts(...PROMPTS), ...flags, '--', world.claude, ...SMALL_WINDOW);
      const first = await sleepThrough(night, () => limits() === 2);
      const second = await sleepThrough(await start('--resume-run', '--record', 'night-2.ndjson'));

      expect(second.code).toBe(0);
      expect(`${first.stdout}${second.stdout}`).toBe(PROMPTS.map((_, index) => `answer ${index + 1}\n`).join(''));
      const last = userTexts(mainRequests(world.standin).at(-1)).map((text) => text.trimEnd());
      expect(last.filter((text) => text.startsWith('prompt '))).toEqual(PROMPTS);

      const { env } = world.scratch;
      const replay = [CTXB, 'replay', '--json', 'night-1.ndjson', 'night-2.ndjson'];
      const { stdout } = await runProgram(process.execPath, replay, { env, cwd });
      const { sessions } = JSON.parse(stdout.toString()) as ReplayReport;
      const recorded = sessions.reduce((sum, { time }) => sum + (time.last ?? 0) - (time.first ?? 0), 0);
      expect(recorded).toBeGreaterThan(8 * HOUR);
      expect(sessions.flatMap(({ actions }) => actions.map(nameOf).filter((name) => KNOWN.has(name)))).toEqual([
        ...[
          'wait:begun',
          'wait:over',
          'wait:begun',
          'wait:over',
          'restart',
          'wait:begun',
          'silence:claude',
          'restart',
          'wait:over',
          'wait:begun',
        ],
        ...['wait:begun', 'wait:over', 'wait:begun', 'wait:over'],
      ]);
    } finally {
      program?.kill('SIGKILL');
      await world.dispose();
    }
  },
);

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000, interval: 10 });
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The turn has begun, and the result of the tool before the request is there. */
function isRead({ body }: RecordedRequest, records: readonly string[]): boolean {
  const record = records.findLast((text) => text !== '') ?? '';
  const end = Math.max(record.lastIndexOf('\\"type\\":\\"result\\"'), record.lastIndexOf('ctxb_exit'));
  const [, tool = ''] = /"tool_use_id":"([^"]+)"/.exec(JSON.stringify(body.messages?.at(-1))) ?? [];
  return record.lastIndexOf('\\"subtype\\":\\"init\\"') > end && records.join('').includes(tool);
}

const RECORDS = ['night-1.ndjson', 'night-2.ndjson'];
const STEP = 5_000;
const KNOWN: ReadonlySet<string> = new Set(['wait:begun', 'wait:over', 'restart', 'silence:claude']);
