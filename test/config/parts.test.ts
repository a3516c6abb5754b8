import { describe, expect, it } from 'vitest';
import { closest } from '../../src/config/finding.ts';
import { inTokens } from '../../src/core/governor/policy.ts';
import { CtxbError, type ErrorCode } from '../../src/errors.ts';

describe('closest', () => {
  it.each([
    { word: 'tresholds.warn', candidates: ['thresholds.warn', 'task'], meant: 'thresholds.warn' },
    { word: 'mid_turn', candidates: ['thresholds.midTurn'], meant: 'thresholds.midTurn' },
    { word: 'COSTLIMIT', candidates: ['COST_ON_LIMIT', 'COST_LIMIT_USD'], meant: 'COST_LIMIT_USD' },
    { word: 'limit', candidates: ['limits.limitWait', 'cost.limitUsd', 'cost.limit'], meant: 'cost.limit' },
    { word: 'nmae', candidates: ['task', 'name'], meant: 'name' },
    { word: 'xyz', candidates: ['task', 'state'], meant: undefined },
    { word: '', candidates: ['task'], meant: undefined },
    { word: 'task', candidates: [], meant: undefined },
  ])('$word', ({ word, candidates, meant }) => {
    expect(closest(word, candidates)).toBe(meant);
  });
});

describe('inTokens', () => {
  it.each([
    { threshold: 0.78, window: 200_000, tokens: 156_000 },
    { threshold: 0.29, window: 100, tokens: 29 },
    { threshold: 1, window: 200_000, tokens: 200_000 },
    { threshold: 150_000, window: 200_000, tokens: 150_000 },
  ])('$threshold of $window', ({ threshold, window, tokens }) => {
    expect(inTokens(threshold, window)).toBe(tokens);
  });
});

describe('CtxbError', () => {
  it.each<{ code: ErrorCode; exitCode: number }>([
    { code: 'usage', exitCode: 2 },
    { code: 'config', exitCode: 2 },
    { code: 'unreadable-input', exitCode: 2 },
    { code: 'bug', exitCode: 70 },
    { code: 'command-not-found', exitCode: 127 },
  ])('$code ends with $exitCode', ({ code, exitCode }) => {
    const cause = new Error('underneath');
    const error = new CtxbError(code, 'told', { cause });
    expect(error).toMatchObject({ code, exitCode, cause, message: 'told', name: 'CtxbError' });
  });
});
