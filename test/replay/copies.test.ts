import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { markCopies } from '../../src/replay/copies.ts';
import { callsIn } from '../../src/replay/ledger.ts';
import { replaySource } from '../../src/replay/replay.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { replayReport, sumsBy } from '../../src/replay/sums.ts';
import { ownFigures, totalsOf } from '../../src/replay/totals.ts';
import { costText } from '../../src/report/figures.ts';
import { callLines } from '../../src/report/replay/exports.ts';
import { breachesOf } from '../../src/report/replay/gates.ts';
import { fixture } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

const folder = mkdtempSync(join(tmpdir(), 'ctxb-copies-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Six calls, compacted by claude after the fourth. */
const LOG = readFileSync(fixture('native-mid-turn.session.jsonl'), 'utf8').trimEnd().split('\n');
const LAST_CALL = LOG.findLast((line) => line.includes('"type":"assistant"')) ?? '';
const TIME = '2026-11-21T09:00:00.000Z';

/** What claude writes when a session goes on in a log of its own: the old rows under another session, and new ones. */
function forkOf(lines: readonly string[], session: string, calls: number): string[] {
  const opening = { type: 'queue-operation', operation: 'enqueue', timestamp: TIME, sessionId: session };
  const copied = lines.map((line) => JSON.stringify({ ...JSON.parse(line), sessionId: session }));
  const own = Array.from({ length: calls }, (_, at) => {
    const row = JSON.parse(LAST_CALL);
    const message = { ...row.message, id: `msg_01${session}OfItsOwn${at}` };
    return JSON.stringify({ ...row, message, sessionId: session, uuid: `${session}-${at}`, timestamp: TIME });
  });
  return [JSON.stringify(opening), ...copied, ...own];
}

async function judged(name: string, lines: readonly string[], series = false): Promise<SessionSummary> {
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const options = { policy: DEFAULTS, series, stdin: Readable.from([]), mask: unmasked };
  return replaySource({ file, subagents: [] }, options);
}

const FORK = forkOf(LOG, 'forked', 2);

describe('calls in several sessions', () => {
  it('count once, in the original session, whatever the order', async () => {
    const [original, fork] = [await judged('original', LOG), await judged('fork', FORK)];
    const usd = original.cost.usd ?? Number.NaN;
    for (const sessions of [
      [original, fork],
      [fork, original],
    ]) {
      const marked = markCopies(sessions);
      const totals = totalsOf(marked);
      expect(totals).toMatchObject({ sessions: 2, calls: 8, compactions: 1, copiedCalls: 6 });
      expect(totals.usd).toBeCloseTo(fork.cost.usd ?? Number.NaN, 9);
      const [first, second] = [original, fork].map(({ file }) => marked.find((each) => each.file === file));
      expect(first).toBe(original);
      expect(second?.copied).toEqual({
        from: [{ session: original.sessionId, calls: 6 }],
        calls: 6,
        compactions: 1,
        usd: expect.closeTo(usd, 9),
      });
    }
  });

  it('are reported in the session with the copies, whose own figures exclude them', async () => {
    const [, fork] = markCopies([await judged('original', LOG), await judged('fork', FORK, true)]);
    expect(fork && ownFigures(fork)).toMatchObject({ calls: 2, compactions: 0 });
    expect(fork?.calls).toBe(8);
    expect(fork && callsIn(fork)).toHaveLength(2);
    const rows = callLines(fork?.series ?? [], fork ?? expect.unreachable());
    const copied = rows.map((row) => JSON.parse(row).copied);
    expect(copied).toEqual([true, true, true, true, true, true, false, false]);
  });

  it('count once through a chain of forks', async () => {
    const second = forkOf(FORK, 'again', 1);
    const marked = markCopies([
      await judged('again', second),
      await judged('original', LOG),
      await judged('fork', FORK),
    ]);
    expect(totalsOf(marked)).toMatchObject({ calls: 9, compactions: 1, copiedCalls: 14 });
    const names = marked.map(({ copied }) => copied?.from.map(({ session, calls }) => [session, calls]));
    const id = JSON.parse(LAST_CALL).sessionId;
    expect(names).toEqual([
      [
        [id, 6],
        ['forked', 2],
      ],
      undefined,
      [[id, 6]],
    ]);
  });

  it('count in the copy if the original is missing', async () => {
    const [fork] = markCopies([await judged('fork', FORK)]);
    expect(fork && ownFigures(fork)).toMatchObject({ calls: 8, compactions: 1 });
  });

  it('count once toward a cost limit', async () => {
    const [, fork] = markCopies([await judged('original', LOG), await judged('fork', FORK, true)]);
    const own = (fork && ownFigures(fork).usd) ?? Number.NaN;
    const breaches = (maxCost: number) => breachesOf(fork ?? expect.unreachable(), { maxCost });
    expect(breaches(own)).toEqual([]);
    expect(breaches(own - 0.001)).toEqual([expect.stringMatching(/: it cost .*: beyond that by call 8$/)]);
  });

  it.each(['native-mid-turn', 'tool-turn', 'crossing'])(
    "cost the same as in claude's count, in its output and its log: %s",
    async (name) => {
      const recordings = [`${name}.ndjson`, `${name}.session.jsonl`].map((file) => fixture(file));
      const options = { policy: DEFAULTS, series: false, stdin: Readable.from([]), mask: unmasked };
      const [stream, log] = await Promise.all(recordings.map((file) => replaySource({ file, subagents: [] }, options)));
      if (stream === undefined || log === undefined) return expect.unreachable();
      expect(stream.cost.computed).toBe(false);
      // As `ctxb run --record` would have it: the same, with the times of its lines.
      const record = { ...stream, file: 'record', time: log.time };
      for (const sessions of [
        [stream, log],
        [log, record],
        [log, stream, record],
      ]) {
        const { usd, calls } = totalsOf(markCopies(sessions));
        expect([usd, calls]).toEqual([stream.cost.usd, log.calls]);
      }
    },
  );

  it('count separately if a gateway gives all calls the same id', async () => {
    const later = LOG.map((line) => line.replace(/"timestamp":"\d{4}/, '"timestamp":"2031'));
    const other = later.map((line) => JSON.stringify({ ...JSON.parse(line), sessionId: 'another' }));
    const marked = markCopies([await judged('original', LOG), await judged('another', other)]);
    expect(totalsOf(marked)).toMatchObject({ calls: 12, copiedCalls: 0 });
  });

  it('count a compaction once if a fork begins after it', async () => {
    const boundary = LOG.findIndex((line) => line.includes('compact_boundary'));
    const fork = forkOf(LOG.slice(boundary), 'forked', 1);
    const marked = markCopies([await judged('original', LOG), await judged('fork', fork)]);
    expect(totalsOf(marked)).toMatchObject({ compactions: 1 });
  });

  it.each(['day', 'project', 'model'] as const)('are added up once by %s', async (by) => {
    const marked = markCopies([await judged('original', LOG), await judged('fork', FORK)]);
    const sums = sumsBy(marked, by);
    const total = totalsOf(marked);
    expect(sums.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls);
    expect(sums.reduce((sum, { compactions }) => sum + compactions, 0)).toBe(total.compactions);
    expect(sums.reduce((sum, { usd }) => sum + (usd ?? 0), 0)).toBeCloseTo(total.usd ?? Number.NaN, 9);
    expect(replayReport(marked, by).sums).toEqual(sums);
  });
});

it("counts claude's other cost once if the output of a process was saved twice", async () => {
  const [opening = '', ...turn] = readFileSync(fixture('tool-turn.ndjson'), 'utf8').trimEnd().split('\n');
  const first = await judged('first', [opening, ...turn]);
  const usd = first.cost.usd ?? Number.NaN;
  /** The output after some turns, with the cost of a title in each. */
  const output = (turns: number) =>
    Array.from({ length: turns }, (_, at) =>
      turn.map((line) =>
        line
          .replace(/(?<="id":"msg_|"uuid":")/g, `${at}`)
          .replace(/(?<="total_cost_usd":)[\d.]+/, String((at + 1) * (usd + 0.01))),
      ),
    );
  const saved = [1, 3, 2].map((turns) => judged(`after-${turns}`, [opening, ...output(turns).flat()]));
  const totals = totalsOf(markCopies(await Promise.all(saved)));
  expect(totals).toMatchObject({ calls: 3 * first.calls, usd: expect.closeTo(3 * (usd + 0.01), 6) });
});

it('counts the cost before a fork once, even if its turns have several calls', async () => {
  const opening = { type: 'system', subtype: 'init', claude_code_version: '2.1.332', model: 'claude-sonnet-4-5' };
  /** Two calls of 10,000 tokens, each with an answer of 1,000. Only the result has the size of the answers. */
  const output = (session_id: string, total_cost_usd: number) => {
    const usage = { input_tokens: 10_000, output_tokens: 1 };
    const call = (id: string) => ({
      id: `msg_01${session_id}OfThisProcess${id}`,
      model: opening.model,
      content: [],
      usage,
    });
    const calls = ['a', 'b'].map((id) => ({
      type: 'assistant',
      message: call(id),
      parent_tool_use_id: null,
      session_id,
    }));
    const modelUsage = { [opening.model]: { contextWindow: 200_000 } };
    const turn = { usage: { input_tokens: 20_000, output_tokens: 2_000 }, modelUsage, total_cost_usd };
    return [{ ...opening, session_id }, ...calls, { type: 'result', subtype: 'success', session_id, ...turn }].map(
      (line) => JSON.stringify(line),
    );
  };
  const sessions = [await judged('before', output('before', 0.09)), await judged('forked', output('forked', 0.18))];
  const again = await judged('forked-again', output('again', 0.27));
  expect(totalsOf(markCopies([...sessions, again])).usd).toBeCloseTo(0.27, 9);
});

/** A process that resumes a session begins with the cost of the process before. */
it('marks a cost as an upper bound if claude counted calls that are not in the recording', async () => {
  const stream = readFileSync(fixture('tool-turn.ndjson'), 'utf8').trimEnd().split('\n');
  const resumed = stream.map((line) => line.replace(/(?<="total_cost_usd":)[\d.]+/, (usd) => String(Number(usd) + 1)));
  const [alone, continued] = [await judged('alone', stream), await judged('resumed', resumed)];
  const [whole] = markCopies([alone]);
  expect([whole?.cost.unseen, totalsOf([whole ?? alone]).usdUnseen]).toEqual([undefined, undefined]);
  const marked = markCopies([continued]);
  const { sessions, totals, sums = [] } = replayReport(marked, 'day');
  expect(sessions[0]?.cost).toMatchObject({ usd: (alone.cost.usd ?? 0) + 1, unseen: expect.closeTo(1, 2) });
  expect([totals.usdUnseen, sums.some(({ usdUnseen }) => usdUnseen)]).toEqual([true, true]);
  expect(costText(totals)).toMatch(/^≤ \$1\.0\d$/);
  expect(costText({ ...totals, usdPartial: true })).toMatch(/^about \$/);
  expect(marked.flatMap((session) => breachesOf(session, { maxCost: 0.5 }))).toEqual([
    expect.stringMatching(
      /: claude counted \$1\.0\d, more than \$0\.50 \(\$1\.00 of it for calls that are not in the recording\)$/,
    ),
  ]);
});

describe('ids that are not unique', () => {
  const withIds = (name: string, time: string) =>
    LOG.map((line) => {
      const row = JSON.parse(line);
      if (row.type !== 'assistant') return line;
      const id = `msg_${row.message.id.slice(-4)}`;
      return JSON.stringify({ ...row, sessionId: name, message: { ...row.message, id }, timestamp: time });
    });

  it('do not merge calls of two sessions if they are counters that restart', async () => {
    const [one, two] = ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z'];
    const marked = markCopies([await judged('a', withIds('a', one)), await judged('b', withIds('b', two))]);
    expect(totalsOf(marked)).toMatchObject({ calls: 12, copiedCalls: 0 });
  });

  it('match copies by their time', async () => {
    const one = '2026-11-21T10:00:00.000Z';
    const marked = markCopies([await judged('a', withIds('a', one)), await judged('b', withIds('b', one))]);
    expect(totalsOf(marked)).toMatchObject({ calls: 6, copiedCalls: 6 });
  });
});
