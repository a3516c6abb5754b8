import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { readGauge } from '../../src/core/governor/gauge/gauge.ts';
import { judgeStatus } from '../../src/statusline/judge-status.ts';
import { newestLines, readStatusInput, type StatusInput } from '../../src/statusline/status-input.ts';
import { recordedInputs } from '../support/status-inputs.ts';

function fixture(path: string): string {
  return readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8');
}

/** As the real claude writes it: new, after a turn, after a compaction. */
function status(name: 'new' | 'turn' | 'after-compaction'): StatusInput {
  const input = readStatusInput(fixture(`terminal/status-${name}.json`), 0);
  if (input === undefined) throw new Error('no status');
  return input;
}

function log(name: string): string[] {
  return fixture(`recordings/${name}.session.jsonl`).trim().split('\n');
}

const usage = (used: number) => ({ input: used, cacheCreation: 0, cacheRead: 0, output: 5 });

describe('the input', () => {
  it('is parsed as claude writes it', () => {
    expect(readStatusInput(JSON.stringify(recordedInputs()['status line turn']), 0)).toEqual({
      transcript: expect.stringMatching(/^\/home\/me\/.*\.jsonl$/),
      model: 'claude-opus-5-5',
      project: '/project',
      costUsd: expect.any(Number),
      window: 1_000_000,
      usage: { input: 4, cacheCreation: expect.any(Number), cacheRead: expect.any(Number), output: expect.any(Number) },
      limits: {},
    });
  });

  it.each([
    { name: 'nothing', text: '' },
    { name: 'no JSON', text: '{"session_id":' },
    { name: 'a list', text: '[]' },
    { name: 'null', text: 'null' },
  ])('is undefined for $name', ({ text }) => {
    expect(readStatusInput(text, 0)).toBeUndefined();
  });

  it('ignores fields of the wrong type', () => {
    const odd = {
      model: 'x',
      cost: { total_cost_usd: '1' },
      workspace: null,
      context_window: [],
      cwd: 7,
      rate_limits: { five_hour: 1 },
    };
    expect(readStatusInput(JSON.stringify(odd), 0)).toEqual({
      transcript: undefined,
      model: undefined,
      project: undefined,
      costUsd: undefined,
      window: undefined,
      usage: undefined,
      limits: {},
    });
  });
});

describe('the judgment', () => {
  it.each([
    { name: 'nothing was said', input: status('new'), lines: [], used: 0, basis: 'none', source: 'asked' },
    {
      name: 'the log is not there',
      input: status('turn'),
      lines: [],
      used: 52_000,
      basis: 'measured',
      source: 'asked',
    },
    {
      name: 'the log has the last call',
      input: { ...status('turn'), usage: usage(163_000) },
      lines: log('crossing'),
      used: 163_000,
      basis: 'measured',
      source: 'asked',
    },
    {
      name: 'the log is behind',
      input: { ...status('turn'), usage: usage(170_000) },
      lines: log('crossing'),
      used: 170_000,
      basis: 'measured',
      source: 'asked',
    },
    {
      name: 'an old claude says nothing',
      input: { ...status('new'), window: undefined },
      lines: log('crossing'),
      used: 163_000,
      basis: 'measured',
      source: 'version',
    },
    {
      name: 'a larger window was measured',
      input: { ...status('new'), window: undefined, usage: usage(300_000) },
      lines: [],
      used: 300_000,
      basis: 'measured',
      source: 'raised',
    },
  ])('when $name', ({ input, lines, used, basis, source }) => {
    const reading = readGauge(judgeStatus(lines, input, DEFAULTS).gauge);
    expect(reading).toMatchObject({ used, basis, windowSource: source });
  });

  it('estimates an empty context after a compaction instead of showing zero', () => {
    const lines = log('native-mid-turn');
    const until = lines.findIndex((line) => line.includes('"compact_boundary"')) + 1;
    const reading = readGauge(judgeStatus(lines.slice(0, until), status('after-compaction'), DEFAULTS).gauge);
    expect(reading.basis).toBe('estimated');
    expect(reading.used).toBeGreaterThan(10_000);
  });

  it('knows the fixed prefix of a context after a compaction, even in a long log', () => {
    const row = (more: object) => JSON.stringify({ sessionId: 's', version: '2.1.300', ...more });
    const answered = (id: string, counts: object) =>
      row({ type: 'assistant', message: { id, model: 'claude-sonnet-4-5', content: [], usage: counts } });
    const boundary = { type: 'system', subtype: 'compact_boundary', compactMetadata: { postTokens: 12_000 } };
    const said = { type: 'user', message: { role: 'user', content: 'x'.repeat(400_000) } };
    const calls = [20_000, 144_000].map((input_tokens, at) => answered(`m${at}`, { input_tokens }));
    const path = join(mkdtempSync(join(tmpdir(), 'ctxb-status-')), 's.jsonl');
    writeFileSync(path, [calls[0], row(said), calls[1], row(boundary), ''].join('\n'));
    const lines = newestLines(path);
    rmSync(dirname(path), { recursive: true });
    const { gauge } = judgeStatus(lines, { ...status('turn'), usage: usage(144_000) }, DEFAULTS);
    expect(gauge).toMatchObject({ basis: 'estimated', used: 32_000 });
  });

  it('counts what is written to the cache even if claude omits it, because a gateway reports it only by lifetime', () => {
    const counts = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 40_000 };
    const split = { ...counts, cache_creation: { ephemeral_5m_input_tokens: 3_000 } };
    const message = { id: 'm', model: 'claude-sonnet-4-5', content: [], usage: split };
    const lines = [JSON.stringify({ type: 'assistant', uuid: 'a', sessionId: 's', version: '2.1.332', message })];
    const input = readStatusInput(JSON.stringify({ context_window: { current_usage: counts } }), 0);
    if (input === undefined) throw new Error('no status');
    expect(judgeStatus(lines, input, DEFAULTS).gauge.used).toBe(43_010);
  });

  it('takes the used limits from claude', () => {
    const limits = { five_hour: { used_percentage: 62, resets_at: 1795360292 }, seven_day: null };
    const input = readStatusInput(JSON.stringify({ rate_limits: limits }), 0);
    if (input === undefined) throw new Error('no status');
    expect(judgeStatus([], input, DEFAULTS).limits.used).toEqual({ five_hour: { share: 0.62, resetsAt: undefined } });
  });

  it.each([
    { reset: 1_000, shown: [] },
    { reset: 1_001, shown: ['five_hour'] },
    { reset: '1970-01-01T00:16:40.000Z', shown: [] },
    { reset: '1970-01-01T00:16:41.000Z', shown: ['five_hour'] },
    { reset: 'soon', shown: ['five_hour'] },
    { reset: null, shown: ['five_hour'] },
  ])('omits the use of a limit that was reset: $reset', ({ reset, shown }) => {
    const limits = { five_hour: { used_percentage: 95, resets_at: reset } };
    expect(Object.keys(readStatusInput(JSON.stringify({ rate_limits: limits }), 1_000_000)?.limits ?? {})).toEqual(
      shown,
    );
  });

  const answer = (read: number) =>
    JSON.stringify({
      ...{ type: 'assistant', uuid: 'a', sessionId: 's', version: '2.1.332' },
      message: { id: 'm', model: 'claude-sonnet-4-5', content: [], usage: { cache_read_input_tokens: read } },
    });

  it.each([
    { read: 150_000, id: 'claude-sonnet-4-5[1m]', tokens: 200_000 },
    { read: 250_000, id: 'claude-sonnet-4-5[1m]', tokens: 1_000_000 },
    { read: 250_000, id: 'claude-sonnet-4-5', tokens: 1_000_000 },
  ])('believes claude, which may not use the mark, until $read tokens of $id refute it', ({ read, id, tokens }) => {
    const input = { ...status('turn'), model: id, window: 200_000, usage: usage(read) };
    expect(judgeStatus([answer(read)], input, DEFAULTS).gauge.window.tokens).toBe(tokens);
  });

  it("prefers the user's window", () => {
    const { gauge } = judgeStatus([], status('turn'), { ...DEFAULTS, window: 400_000 });
    expect(gauge.window).toEqual({ tokens: 400_000, source: 'user', claudesTokens: 200_000 });
  });
});
