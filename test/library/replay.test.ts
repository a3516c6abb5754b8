import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CtxbError, replay } from '../../src/index.ts';
import { userLine } from '../support/governor.ts';
import { fixture } from '../support/recordings.ts';

const RECORDING = fixture('crossing.ndjson');
const TEXT = readFileSync(RECORDING, 'utf8');

describe('replay', () => {
  it.each([
    { name: 'bytes', stream: () => Readable.from(pieces(Buffer.from(TEXT), 100)) },
    { name: 'a text', stream: () => Readable.from([TEXT]) },
    { name: 'what iterates', stream: () => pieces(Buffer.from(TEXT), 1_000) },
    { name: 'a web stream', stream: () => Readable.toWeb(Readable.from(pieces(Buffer.from(TEXT), 1_000))) },
  ])('has the same result for a stream as for the file: $name', async ({ stream }) => {
    const { sessions, ...report } = await replay(RECORDING);
    expect(await replay(stream())).toEqual({ ...report, sessions: [{ ...sessions[0], file: '-' }] });
  });

  it('reads several files and folders', async () => {
    const { sessions } = await replay([RECORDING, fixture('')]);
    expect(sessions[0]?.file).toBe(RECORDING);
    expect(sessions.length).toBeGreaterThan(10);
  });

  it('uses the policy, and includes calls on request', async () => {
    const plain = await replay(RECORDING);
    expect(plain.sessions[0]?.actions.map(({ kind }) => kind)).toEqual(['warn', 'compact']);
    expect(plain.sessions[0]).not.toHaveProperty('series');
    const asked = await replay(RECORDING, { policy: { window: 1_000_000 }, series: true });
    expect(asked.sessions[0]?.actions).toEqual([]);
    expect(asked.sessions[0]?.series?.length).toBe(5);
  });

  it('masks secrets', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const line = JSON.stringify({ ...userLine(`use ${secret}`), session_id: undefined, sessionId: 's' });
    const report = JSON.stringify(await replay(Readable.from([line]), { series: true }));
    expect(report).toContain('[masked: GitHub token]');
    expect(report).not.toContain(secret);
  });

  it('reports unreadable files', async () => {
    await expect(replay('/no/such/file')).rejects.toMatchObject({ code: 'unreadable-input' });
    const faults: CtxbError[] = [];
    const { sessions } = await replay(['/no/such/file', RECORDING], { onFault: (fault) => faults.push(fault) });
    expect(faults).toEqual([expect.any(CtxbError)]);
    expect(sessions.map(({ file }) => file)).toEqual([RECORDING]);
  });

  it('reports an interrupted stream, with the cause', async () => {
    const cause = new Error('the line is dead');
    const failing = new Readable({ read: () => failing.destroy(cause) });
    await expect(replay(failing)).rejects.toMatchObject({ code: 'unreadable-input', cause });
  });

  it('refuses an invalid policy before it reads anything', async () => {
    const policy = { thresholds: { warn: 'high' } } as never;
    await expect(replay('/no/such/file', { policy })).rejects.toMatchObject({ code: 'config' });
  });

  it('treats - as the name of a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ctxb-replay-'));
    const before = process.cwd();
    try {
      writeFileSync(join(folder, '-'), TEXT);
      process.chdir(folder);
      expect((await replay('-')).sessions[0]?.context.peak).toBe(163_000);
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });
});

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
