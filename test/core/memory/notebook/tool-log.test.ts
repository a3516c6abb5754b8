import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/core/governor/gauge/token-estimate.ts';
import type { ToolEntry } from '../../../../src/core/memory/entry.ts';
import { createToolLog } from '../../../../src/core/memory/notebook/tool-log.ts';
import { command, edit, randomEntries } from '../../../support/notes.ts';

function read(path: string, more: Partial<ToolEntry> = {}): ToolEntry {
  const { change: _, ...rest } = edit(path);
  return { ...rest, name: 'Read', reads: path, gist: `Read \`${path}\` (2 lines, 4B)`, ...more };
}

function logOf(entries: readonly ToolEntry[], historyTokens?: number) {
  const log = createToolLog(historyTokens);
  for (const entry of entries) log.add(entry);
  return log;
}

/** The entries in the file, without times and ids. */
function linesOf(log: ReturnType<typeof createToolLog>): string[] {
  const lines = log.render().split('\n');
  return lines
    .filter((line) => line.startsWith('- '))
    .map((line) => line.replace(/^- .*? · /, '').replace(/ · toolu_\d+$/, ''));
}

/** The files of the entries, in order. */
function namesIn(log: ReturnType<typeof createToolLog>): (string | undefined)[] {
  return linesOf(log).map((line) => /`(\w)`/.exec(line)?.[1]);
}

/** The calls that an entry stands for. */
function callsOf(line: string): number {
  const counts = [...line.matchAll(/(?:read|changed) (\d+) times?\b/g)].map(([, count]) => Number(count));
  return Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

describe('the tool log', () => {
  it('has one entry for a file, with the newest facts and the counts', () => {
    const edited = edit('a.ts', { gist: 'Edit `a.ts` (+1/-0 lines)' });
    const log = logOf([read('a.ts'), read('b.ts'), edited, read('a.ts', { gist: 'Read `a.ts` (3 lines, 9B)' })]);
    expect(linesOf(log)).toStrictEqual([
      'Read `b.ts` (2 lines, 4B)',
      'Read `a.ts` (3 lines, 9B) · read 2 times, changed 1 time',
    ]);
    expect([log.total, log.left]).toStrictEqual([4, 0]);
  });

  it('has an entry for every other call, including repeated commands', () => {
    const log = logOf([command('make', 0), command('make', 0), command('make', 2), read('a', { outcome: 'failed' })]);
    expect(linesOf(log)).toHaveLength(4);
  });

  it('names the subagent of a call', () => {
    expect(linesOf(logOf([read('a.ts', { agent: 'Count `x`\n# y' })]))).toStrictEqual([
      "Read `a.ts` (2 lines, 4B) · subagent `Count 'x' # y`",
    ]);
  });

  it('drops the least recently used entries first; reads and edits renew a file', () => {
    const room = logOf([read('a'), read('b'), read('c')]).tokens;
    const all = logOf([read('a'), read('b'), read('c'), read('a'), read('d')], room + 5);
    expect(namesIn(all)).toStrictEqual(['c', 'a', 'd']);
    expect([all.total, all.left]).toStrictEqual([5, 1]);
    const edited = logOf([read('a'), read('b'), read('c'), edit('a', { gist: 'Edit `a`' }), read('d')], room + 5);
    expect(namesIn(edited)).toStrictEqual(['c', 'a', 'd']);
    const untouched = logOf([read('a'), read('b'), read('c'), command('ls', 0), read('d')], room + 5);
    expect(namesIn(untouched)).not.toContain('a');
  });

  it('counts all calls of a dropped file', () => {
    const log = logOf([read('a'), read('a'), read('a'), command('x'.repeat(5_000), 0)], 150);
    expect([log.total, log.left, linesOf(log).length]).toStrictEqual([4, 3, 1]);
    expect(log.render()).toMatch(/^4 tool calls in 1 entry, .*\nNot here: 3 calls .* memory\.ndjson/m);
  });

  it.each([{ tokens: 12_000 }, { tokens: 2_000 }, { tokens: 400 }])('has at most $tokens tokens', ({ tokens }) => {
    const entries = randomEntries(77, 1_500).filter((entry) => entry.kind === 'tool');
    const log = createToolLog(tokens);
    let calls = 0;
    for (const entry of entries) {
      log.add(entry);
      calls++;
      expect(log.tokens).toBeLessThanOrEqual(tokens);
      expect(log.total).toBe(calls);
      const kept = linesOf(log).reduce((sum, line) => sum + callsOf(line), 0);
      expect(kept + log.left).toBe(calls);
    }
    expect(log.left).toBeGreaterThan(0);
    expect(estimateTokens(log.render())).toBeLessThanOrEqual(tokens);
    expect(log.render().split('\n')).toHaveLength(linesOf(log).length + 7);
    expect(log.render()).toBe(logOf(entries, tokens).render());
  });

  it('has only its own heading, for any texts', () => {
    const log = logOf(randomEntries(78, 800).filter((entry) => entry.kind === 'tool'));
    for (const line of log.render().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)) {
      if (line !== '') expect(line).toMatch(/^(?:# Tool log$|\d|Not here|Text in|- (?:1970-|time not))/);
    }
  });
});
