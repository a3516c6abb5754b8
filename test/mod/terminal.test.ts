import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { midTurnText, noteText, stepLinesText, summaryText } from '../../src/core/exact/own-words.ts';
import { type Engine, isSeenByModel } from '../../src/mod/engine.ts';
import { foldedText, statusPieces } from '../../src/mod/terminal/commands.ts';
import { createLogReader } from '../../src/mod/terminal/log-reader.ts';
import { PluginState, readLateLines } from '../../src/mod/terminal/plugin-state.ts';
import { createTerminalSession, policyFor } from '../../src/mod/terminal/session.ts';

describe('the log of a session', () => {
  /** Reads a log as it grows: the lines of each reading. */
  function readings(...sizes: readonly string[]): string[][] {
    return readingsOf(sizes, (bytes, { offset, length }) => bytes.subarray(offset, offset + length));
  }

  function readingsOf(
    sizes: readonly string[],
    read: (bytes: Buffer, part: { readonly offset: number; readonly length: number }) => Buffer,
  ): string[][] {
    const log = createLogReader('/log');
    return sizes.map((text) => {
      const bytes = Buffer.from(text);
      const lines: string[] = [];
      for (let part = log.nextPart(bytes.length); part !== undefined; part = log.nextPart(bytes.length)) {
        lines.push(...log.lines(read(bytes, part).toString('base64')));
      }
      return lines;
    });
  }

  it('is read as it grows, each line complete and once', () => {
    expect(readings('', 'one\ntw', 'one\ntw', 'one\ntwö\n', 'one\ntwö\nthree\n')).toEqual([
      ...[[], ['one'], []],
      ...[['twö'], ['three']],
    ]);
  });

  it('is read as it grows even if claude returns the whole file', () => {
    const grown = ['one\n', 'one\ntwo\n', 'one\ntwo\nthree'];
    expect(readingsOf(grown, (bytes) => bytes)).toEqual([['one'], ['two'], []]);
  });

  it('is read in parts if it is long, and only its end if it is longer', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index} ${'x'.repeat(10_000)}`);
    const read = readings(`${lines.join('\n')}\n`)[0] ?? [];
    expect(read.length).toBeLessThan(900);
    expect(read.length).toBeGreaterThan(700);
    const written = new Set(lines);
    expect(read.every((line) => written.has(line))).toBe(true);
    expect(read.at(-1)).toBe(lines.at(-1));
    expect(new Set(read).size).toBe(read.length);
  });

  it('continues after a line that is longer than a part', () => {
    expect(readings(`${'x'.repeat(9_000_000)}\nlast\n`)[0]?.at(-1)).toBe('last');
  });
});

describe("the user's settings", () => {
  const manifest = JSON.parse(readFileSync('plugin/.claude-plugin/plugin.json', 'utf8'));
  const presets = Object.entries(manifest.userConfig).map(([name, option]) => [
    name,
    (option as { readonly default: unknown }).default,
  ]);

  it('are those of a run by default', () => {
    const { thresholds, compaction } = policyFor(Object.fromEntries(presets));
    expect(thresholds).toEqual(DEFAULTS.thresholds);
    expect(compaction).toEqual({ ...DEFAULTS.compaction, when: 'boundary' });
  });

  it.each([
    ['60', 0.6],
    [' 60 % ', 0.6],
    [60, 0.6],
    ['economic', 'economic'],
    ['never', 'economic'],
    ['0', 'economic'],
    [200, 'economic'],
  ])('accepts %j: compacts at %j', (compactAt, taken) => {
    const { compaction, thresholds } = policyFor({ compactAt });
    expect(compaction.moment).toBe(taken);
    expect(thresholds.compact).toBe(taken === 'economic' ? DEFAULTS.thresholds.compact : taken);
  });
});

describe('a session', () => {
  const known = { window: 200_000, model: undefined, usage: undefined, limits: {} };
  const line = (value: object) => JSON.stringify({ sessionId: 's', timestamp: '2026-11-22T10:00:00.000Z', ...value });
  const usage = (tokens: number) => ({ input_tokens: 4, cache_read_input_tokens: tokens - 4, output_tokens: 5 });
  /** So many calls, each with a tool, up to so many tokens. */
  const calls = (count: number, tokens: number) =>
    Array.from({ length: count }, (_, index) => {
      const [id, tool] = [`msg_${index}`, `tool_${index}`];
      const content = [{ type: 'tool_use', id: tool, name: 'Bash', input: { command: `run ${index}` } }];
      const full = Math.round(20_000 + ((tokens - 20_000) * (index + 1)) / count);
      const result = [{ type: 'tool_result', tool_use_id: tool, content: 'done' }];
      return [
        line({
          type: 'assistant',
          message: { id, role: 'assistant', model: 'claude-sonnet-4-6', content, usage: usage(full) },
        }),
        line({ type: 'user', message: { role: 'user', content: result } }),
      ];
    }).flat();
  const RESULT = { type: 'tool_result', tool_use_id: 'tool_0', content: 'done' };
  const said = (text: string) => ({ role: 'user' as const, text, toolUses: [], handle: text });
  const round = (at: number) => {
    const [id, text] = [`tool_${at}`, 'done '.repeat(20_000)];
    const use = { tool_use_id: id, tool: 'Bash', input: { command: `run ${at}` }, text, result: text };
    return [
      { role: 'assistant' as const, text: '', toolUses: [use], handle: `a${at}` },
      {
        ...{ role: 'user' as const, text: '', toolUses: [], handle: `r${at}` },
        toolResults: [{ tool_use_id: id, text, result: text }],
      },
    ];
  };
  const prompt = line({ type: 'user', message: { role: 'user', content: 'never touch legacy' } });
  const begun = () => {
    const session = createTerminalSession({});
    session.report(known);
    return session;
  };

  it.each([
    ['pays', 20, 130_000, true],
    ['does not pay yet', 20, 35_000, false],
    ['follows too soon on another', 7, 130_000, false],
    ['is at its level', 3, 170_000, true],
  ])('is compacted if that %s', (_, count, tokens, isDue) => {
    const session = begun();
    session.read([prompt, ...calls(count, tokens)]);
    expect(session.isDue()).toBe(isDue);
  });

  it('stays due until claude asks the mod to compact, and a failed attempt is not repeated immediately', () => {
    const session = begun();
    session.read([prompt, ...calls(20, 130_000)]);
    expect([session.isDue(), session.isDue()]).toEqual([true, true]);
    expect(session.compact([], { isMidTurn: false }).outcome.answered).toBe(false);
    expect(session.isDue()).toBe(false);
  });

  it('keeps texts that were sent during a turn in their place, whether the log has them yet or not', () => {
    const session = begun();
    const queued = (text: string) =>
      line({ type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: text } });
    const [first = '', , ...rest] = calls(2, 130_000);
    session.read([prompt, first, line({ type: 'user', message: { role: 'user', content: [RESULT] } })]);
    session.read([queued('mind the tests'), ...rest]);
    const messages = [said('never touch legacy'), ...[0, 1, 2, 3].flatMap(round), said('and now')];
    const texts = (isMidTurn: boolean) =>
      session.compact(messages, { isMidTurn }).messages?.map(({ text }) => text.split('\n').at(-1)) ?? [];
    const between = texts(false);
    expect(between.filter((text) => text === 'mind the tests')).toHaveLength(1);
    expect(between.indexOf('mind the tests')).toBeLessThan(between.indexOf('and now'));
    // What the log has, and what stands as a prompt of its own, was told.
    for (const text of ['mind the tests', 'and now']) session.recordText(text);
    expect(texts(true)).toEqual(between);
    session.recordText('be quick');
    expect(texts(true)).toContain('be quick');
    // Between turns it waits, and begins the next one.
    expect(texts(false)).toEqual(between);
    session.read([line({ type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'manual' } })]);
    expect(texts(true)).not.toContain('mind the tests');
    session.recordText('of before');
    session.clear();
    expect(texts(true)).not.toContain('of before');
  });

  it('knows whether the log contains the last call', () => {
    const session = begun();
    session.read([prompt, ...calls(2, 30_000)]);
    const after = (input: number) => ({ ...known, usage: { input, cacheCreation: 0, cacheRead: 0, output: 0 } });
    const isBehind = (tokens: number) => {
      session.report(after(tokens));
      return session.isBehind();
    };
    expect([30_000, 35_000].map(isBehind)).toEqual([false, true]);
  });

  it('reads the log after a compaction until the log contains it', async () => {
    const plugin = new PluginState({});
    plugin.news = { from: 130_000 };
    const before = [prompt, ...calls(20, 130_000)];
    const metadata = { trigger: 'manual', postTokens: 21_000 };
    const boundary = line({ type: 'system', subtype: 'compact_boundary', compactMetadata: metadata });
    const { engine, naps } = engineWith((nap) => (nap < 9 ? before : [...before, boundary]));
    await readLateLines(engine, plugin);
    expect(naps()).toBe(9);
    expect(plugin.session.size()).toBeLessThan(130_000);
  });

  const cleared = (afterClear = 'offer') => {
    const session = createTerminalSession({ afterClear });
    session.read([prompt, ...calls(20, 130_000)]);
    session.clear();
    return session;
  };

  it('starts with empty context and notes after /clear, and offers the earlier notes until the next turn', () => {
    const session = cleared();
    expect(session.judged().gauge).toMatchObject({ basis: 'none', used: 0 });
    expect(session.handBack()).toBeUndefined();
    expect(session.offered()).toBe('1 prompt');
    session.endOffer();
    expect(session.offered()).toBeUndefined();
  });

  it('hands back what /clear removed once the user asks for it, even later and after a second /clear', () => {
    const session = cleared();
    session.endOffer();
    session.clear();
    expect(session.back()).toBe('1 prompt');
    expect(session.handBack()).toContain('`run 19`');
    expect([session.back(), session.offered()]).toEqual([undefined, undefined]);
  });

  it('offers nothing if that is disabled', () => {
    expect(cleared('never').offered()).toBeUndefined();
  });

  it('does not describe a finished turn as running', () => {
    const session = begun();
    session.read([prompt, ...calls(2, 30_000)]);
    expect(session.handoff(0, true)).toContain('Work in progress, word for word');
    expect(session.handoff(0, false)).not.toContain('Work in progress, word for word');
  });

  it('hands back requests and work', () => {
    const session = begun();
    expect(session.handBack()).toBeUndefined();
    session.read([prompt, ...calls(2, 30_000)]);
    const told = session.handBack();
    expect(told).toContain('never touch legacy');
    expect(told).toContain('`run 0`');
    expect(told).not.toContain('scratch.md');
    expect(session.handoff(0)).not.toContain('scratch.md');
  });
});

it('the band is the status line, in pieces that claude can color', () => {
  const plugin = new PluginState({});
  plugin.costUsd = 0.5;
  const pieces = statusPieces(plugin, 80);
  expect(wordsOf(pieces)).toBe('ctxb ░░░░░░░░░░░░░░░░░░░░ not measured yet · $0.50 this session');
  expect(pieces[1]).toEqual({ text: '░░░░░░░░░░░░░░░░░░░░ not measured yet', dimColor: true });
});

it.each([
  ['a compaction', { from: 191_000 }, 'compacted 191k → 0 (−100%)'],
  ['one that took nothing', { from: undefined }, 'nothing left to cut'],
  ['one that claude has not logged yet', { from: 0 }, 'compacted'],
])('the band shows news: %s', (_, news, told) => {
  const plugin = new PluginState({});
  plugin.news = news;
  expect(wordsOf(statusPieces(plugin, 120))).toContain(` · ${told}`);
});

it('the band shows an offer', () => {
  const plugin = new PluginState({});
  const said = (content: string) =>
    JSON.stringify({ type: 'user', sessionId: 's', message: { role: 'user', content } });
  plugin.session.read(['one', 'two'].map(said));
  plugin.session.clear();
  expect(wordsOf(statusPieces(plugin, 120))).toContain(' · /ctxb:back hands back 2 prompts');
});

const wordsOf = (pieces: readonly { readonly text: string }[]) => pieces.map(({ text }) => text).join('');

it.each([
  [stepLinesText(['Bash a', 'Bash b']), '[ctxb] 2 steps, one line each (ctrl+o shows all)'],
  [noteText('', 0), '[ctxb] compacted here (ctrl+o shows all)'],
  [summaryText('Long ago'), "[ctxb] claude's summary of what came before (ctrl+o shows all)"],
  [midTurnText('mind the tests'), undefined],
  ['[ctxb] is what my log says', undefined],
  ['and go on', undefined],
])('folds a message of an exact compaction to one line, and keeps the words of the user: %j', (text, drawn) => {
  expect(foldedText(text)).toBe(drawn);
});

it.each([
  ['what is said while the model works', { turnId: 't', origin: { kind: 'composer' } }, true],
  ['what a program says', { turnId: 't', origin: { kind: 'sdk' } }, true],
  ['what older versions tell no origin of', { turnId: 't' }, true],
  ['what begins a turn', { origin: { kind: 'composer' } }, false],
  ['a command', { turnId: 't', command: {}, origin: { kind: 'composer' } }, false],
  ['the end of a background task', { turnId: 't', origin: { kind: 'task-notification' } }, true],
])('%s is handed back after a compaction: %j', (_, event, isPutBack) => {
  expect(isSeenByModel({ text: 'words', ...event })).toBe(isPutBack);
});

/** An engine with a log that grows while the plugin sleeps. @param linesAt the log after so many naps */
function engineWith(linesAt: (naps: number) => readonly string[]) {
  let naps = 0;
  const bytes = () => Buffer.from(`${linesAt(naps).join('\n')}\n`);
  const engine = {
    clock: { sleep: async () => void naps++ },
    fs: {
      exists: async () => true,
      stat: async () => ({ size: bytes().length }),
      read: async (_: string, { offset, length }: { readonly offset: number; readonly length: number }) => ({
        base64: bytes()
          .subarray(offset, offset + length)
          .toString('base64'),
      }),
    },
    session: {
      info: async () => ({ transcriptPath: '/log' }),
      usage: async () => ({ context: { window: 200_000 }, rateLimits: [] }),
      model: async () => 'claude-sonnet-4-6',
    },
    ui: { invalidate() {} },
  };
  return { engine: engine as unknown as Engine, naps: () => naps };
}
