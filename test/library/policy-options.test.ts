import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Policy } from '../../src/core/governor/policy.ts';
import { CtxbError } from '../../src/index.ts';
import { type PolicyOptions, resolvePolicy } from '../../src/library/policy-options.ts';

/** A part of a policy that the options cannot name would be an error of types here. */
const FORGOTTEN: Record<Exclude<keyof Policy, keyof PolicyOptions>, never> = {};

describe('a policy for the library', () => {
  it('has all defaults of a configuration', () => {
    expect(FORGOTTEN).toEqual({});
    expect(resolvePolicy()).toEqual(DEFAULTS);
    expect(resolvePolicy({ window: undefined, thresholds: {}, zones: { tellAgent: undefined } })).toEqual(DEFAULTS);
  });

  it('accepts shares, percentages and tokens', () => {
    const { thresholds, tools } = resolvePolicy({
      thresholds: { warn: '60%', compact: 0.7, handoff: 190_000 },
      tools: { Read: '6%', mcp__github__list: 5_000 },
    });
    expect(thresholds).toMatchObject({ warn: 0.6, compact: 0.7, handoff: 190_000 });
    expect(tools.byTool).toEqual({ Read: 0.06, mcp__github__list: 5_000 });
  });

  it('keeps the other levels in order when one is set', () => {
    expect(resolvePolicy({ thresholds: { compact: '60%' } }).thresholds.warn).toBeLessThan(0.6);
  });

  it('refuses all invalid values at once', () => {
    const options = { thresholds: { warn: 'high', compct: 0.5 }, strategy: 'hope' } as unknown as PolicyOptions;
    const refused = catching(() => resolvePolicy(options));
    expect(refused).toBeInstanceOf(CtxbError);
    expect(refused).toMatchObject({ code: 'config' });
    for (const key of ['thresholds.warn', 'did you mean thresholds.compact?', 'strategy']) {
      expect(String(refused)).toContain(key);
    }
  });
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
