import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KEY_PATHS } from '../../src/config/keys.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { allowed, configWith, hostileValues, LIMIT_VALUES, limitsTable, WAYS } from '../support/limit-keys.ts';

const CASES = LIMITS.flatMap((limit) => WAYS.map((way) => ({ limit, way })));

describe("no key in a repository's file lifts a limit", () => {
  it.each(CASES)('$limit, set by $way', ({ limit, way }) => {
    const alone = allowed(limit, configWith(limit, way, {}).config);
    expect(alone).toBeLessThan(10);
    for (const key of KEY_PATHS) {
      for (const value of hostileValues(key)) {
        const { config } = configWith(limit, way, { [key]: value });
        expect(allowed(limit, config), `${key} ${JSON.stringify(value)}`).toBeLessThanOrEqual(alone);
        expect(config.costDir, key).toBeUndefined();
      }
    }
  });

  it('nor do all of them together', () => {
    const all = Object.fromEntries(KEY_PATHS.map((key) => [key, hostileValues(key)[0]]));
    for (const { limit, way } of CASES) {
      const alone = allowed(limit, configWith(limit, way, {}).config);
      expect(allowed(limit, configWith(limit, way, all).config), `${limit}, ${way}`).toBeLessThanOrEqual(alone);
    }
  });

  it('SECURITY.md describes how each limit is protected', () => {
    expect(readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8')).toContain(limitsTable());
  });
});

it('observe is ignored beside a limit, with a notice, and applies without one', () => {
  const { config, warnings } = configWith('agents.max', 'flag', { observe: true });
  expect(config.observe).toBe(false);
  expect(warnings).toMatchObject([
    {
      key: 'observe',
      message: expect.stringMatching(/nothing that lifts agents\.max \(--max-agents\).*it is ignored/),
    },
  ]);
});

it.each(LIMITS)("%s: the lower one of a repository's file and the user's own file applies", (limit) => {
  const { mine } = LIMIT_VALUES[limit];
  const [group = '', name = ''] = limit.split('.');
  const limitIn = (theirs: number | string) =>
    Reflect.get(Reflect.get(configWith(limit, "the user's file", { [limit]: theirs }).config, group) as object, name);
  expect(limitIn(mine / 2)).toBe(mine / 2);
  expect(limitIn(mine * 2)).toBe(mine);
  if (limit === 'limits.time') expect([limitIn(0), limitIn('2s'), limitIn('1h')]).toEqual([mine, 2, mine]);
});
