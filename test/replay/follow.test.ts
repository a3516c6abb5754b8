import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { followSource } from '../../src/replay/follow.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { fixture, linesOf } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-follow-'));
  file = join(folder, 'run.ndjson');
  writeFileSync(file, '');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Follows, and lets a test wait for what it is told. */
function start(source = file, stdin: Readable = Readable.from([])) {
  const end = new AbortController();
  const told: string[] = [];
  let last: SessionSummary | undefined;
  let wake = () => {};
  const follower = {
    async news(session: SessionSummary, final: boolean) {
      last = session;
      if (final) told.push(`final ${session.calls}`);
      wake();
    },
    turn(turn: string) {
      told.push(turn);
      wake();
    },
  };
  const options = { policy: DEFAULTS, stdin, mask: unmasked };
  const finished = followSource({ file: source, subagents: [] }, options, follower, end.signal);
  const until = async (isThere: () => boolean) => {
    while (!isThere()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    told,
    finished,
    end: () => end.abort(),
    calls: (count: number) => until(() => last?.calls === count),
    turned: (turn: string) => until(() => told.includes(turn)),
  };
}

const COMPACT = linesOf(fixture('compact.ndjson')).map((line) => `${line}\n`);
const OTHER = linesOf(fixture('tool-turn.ndjson')).map((line) => `${line}\n`);

describe('a file', () => {
  it('is judged call by call while it grows, torn lines included', async () => {
    const following = start();
    for (const [at, line] of COMPACT.slice(0, 6).entries()) {
      appendFileSync(file, line.slice(0, 40));
      appendFileSync(file, line.slice(40));
      if (at % 2 === 1) await following.calls((at + 1) / 2);
    }
    following.end();
    expect(await following.finished).toMatchObject([{ calls: 3, context: { last: 160_000 }, lines: { malformed: 0 } }]);
    expect(following.told).toEqual(['final 3']);
  });

  it('has what was added just before the end, and a last line without its end', async () => {
    const following = start();
    await following.calls(0);
    appendFileSync(file, COMPACT.join('').trimEnd());
    following.end();
    expect(await following.finished).toMatchObject([{ calls: 5, turns: 3, lines: { total: 19, malformed: 0 } }]);
  });

  it('that is truncated begins anew, and what it was before is not lost', async () => {
    const following = start();
    appendFileSync(file, COMPACT.slice(0, 4).join(''));
    await following.calls(2);
    truncateSync(file);
    await following.turned('truncated');
    appendFileSync(file, OTHER.join(''));
    await following.calls(3);
    following.end();
    expect(await following.finished).toMatchObject([{ calls: 2 }, { calls: 3 }]);
    expect(following.told).toEqual(['final 2', 'truncated', 'final 3']);
  });

  it('that is replaced is read to its end before the new one', async () => {
    const following = start();
    appendFileSync(file, COMPACT.slice(0, 4).join(''));
    await following.calls(2);
    writeFileSync(join(folder, 'new'), OTHER.join(''));
    appendFileSync(file, COMPACT.slice(4, 6).join(''));
    renameSync(join(folder, 'new'), file);
    await following.turned('replaced');
    await following.calls(3);
    following.end();
    expect(await following.finished).toMatchObject([
      { calls: 3, context: { last: 160_000 } },
      { calls: 3, context: { last: 21_200 } },
    ]);
  });

  it('that is gone is waited for', async () => {
    const following = start();
    appendFileSync(file, COMPACT.slice(0, 4).join(''));
    await following.calls(2);
    unlinkSync(file);
    await following.turned('gone');
    writeFileSync(file, OTHER.join(''));
    await following.turned('replaced');
    await following.calls(3);
    following.end();
    expect(await following.finished).toHaveLength(2);
    expect(following.told).toEqual(['gone', 'final 2', 'replaced', 'final 3']);
  });

  it('that nothing was written to is no session', async () => {
    const following = start();
    await following.calls(0);
    following.end();
    expect(await following.finished).toEqual([]);
  });

  it('that is not there fails with its name', async () => {
    const missing = join(folder, 'missing.ndjson');
    await expect(start(missing).finished).rejects.toMatchObject({
      code: 'unreadable-input',
      message: expect.stringContaining(missing),
    });
  });
});

describe('stdin', () => {
  it('is followed to its end', async () => {
    const stdin = new PassThrough();
    const following = start('-', stdin);
    stdin.write(COMPACT.slice(0, 4).join(''));
    await following.calls(2);
    stdin.end(COMPACT.slice(4).join(''));
    expect(await following.finished).toMatchObject([{ file: '-', calls: 5 }]);
  });

  it('is left when it is enough', async () => {
    const stdin = new PassThrough();
    const following = start('-', stdin);
    stdin.write(COMPACT.slice(0, 4).join(''));
    await following.calls(2);
    following.end();
    expect(await following.finished).toMatchObject([{ calls: 2 }]);
  });
});
