import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { type Flags, resolveConfig } from '../../src/config/resolve-config.ts';
import type { ToolsPolicy } from '../../src/core/governor/policy.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ctxb-config-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function resolve({ flags }: { flags: Flags }) {
  return resolveConfig({ cwd, env: {}, flags });
}

describe('rules between keys', () => {
  it.each<{ name: string; flags: Flags; keys: string[] }>([
    { name: 'warn below compact', flags: { 'thresholds.warn': 0.8 }, keys: ['thresholds.warn'] },
    { name: 'warn is not compact', flags: { 'thresholds.warn': '78%' }, keys: ['thresholds.warn'] },
    {
      name: 'compact below midTurn',
      flags: { 'thresholds.compact': 0.9, 'thresholds.midTurn': 0.88 },
      keys: ['thresholds.compact'],
    },
    { name: 'target below compact', flags: { 'compaction.target': 0.78 }, keys: ['compaction.target'] },
    { name: 'units differ, window unknown', flags: { 'thresholds.warn': 190_000 }, keys: [] },
    {
      name: 'units differ, window known',
      flags: { 'thresholds.warn': 190_000, window: 200_000 },
      keys: ['thresholds.warn'],
    },
    {
      name: 'tokens with tokens',
      flags: { 'thresholds.warn': 9_000, 'thresholds.compact': 8_000 },
      keys: ['thresholds.warn'],
    },
    { name: 'defaults of 200k', flags: { window: 200_000 }, keys: [] },
    { name: 'at the native trigger', flags: { window: 200_000, 'thresholds.compact': 167_000 }, keys: [] },
    {
      name: 'above the native trigger',
      flags: { window: 200_000, 'thresholds.compact': 167_001 },
      keys: ['thresholds.compact'],
    },
    {
      name: 'compact below handoff',
      flags: { 'thresholds.compact': 0.8, 'thresholds.handoff': 0.8 },
      keys: ['thresholds.compact'],
    },
    {
      name: 'without compaction its level does not count, warn does',
      flags: { 'compaction.enabled': false, 'thresholds.warn': 0.7, 'thresholds.handoff': 0.7 },
      keys: ['thresholds.warn'],
    },
    {
      name: 'without compaction handoff may lie below compact',
      flags: { 'compaction.enabled': false, 'thresholds.handoff': 0.75 },
      keys: [],
    },
    { name: "a default above the native trigger of 100k is nobody's mistake", flags: { window: 100_000 }, keys: [] },
    { name: 'no native trigger can be placed below 100k', flags: { window: 50_000 }, keys: [] },
  ])('$name', async ({ flags, keys }) => {
    expect((await resolve({ flags })).findings.map(({ key }) => key)).toEqual(keys);
  });

  it('names the level that has to change', async () => {
    const { findings } = await resolve({ flags: { 'thresholds.compact': 0.8, 'thresholds.handoff': '75%' } });
    expect(findings.map(({ message }) => message)).toEqual([
      '--compact-at: expected less than thresholds.handoff (0.75), found 0.8; lower it or raise thresholds.handoff',
    ]);
  });

  it('explains why a threshold above the native trigger is refused', async () => {
    const { findings } = await resolve({ flags: { window: 200_000, 'thresholds.compact': 0.85 } });
    expect(findings[0]?.message).toBe(
      '--compact-at: expected at most 0.835 of the window of 200000 tokens (167000 tokens), found 0.85; ' +
        'claude compacts by itself 33000 tokens below its window, so this would never happen: lower it',
    );
  });
});

describe('defaults stay in order', () => {
  it.each<{ name: string; flags: Flags; warn: number; target: number }>([
    { name: 'a compaction level at the default', flags: {}, warn: 0.7, target: 0.5 },
    { name: 'a lower level takes the warning down', flags: { 'thresholds.compact': '60%' }, warn: 0.538, target: 0.5 },
    { name: 'a much lower one the target too', flags: { 'thresholds.compact': 0.4 }, warn: 0.359, target: 0.256 },
    {
      name: 'what the user set stays',
      flags: { 'thresholds.compact': 0.6, 'thresholds.warn': 0.1 },
      warn: 0.1,
      target: 0.5,
    },
  ])('$name', async ({ flags, warn, target }) => {
    const { config, findings } = await resolve({ flags });
    expect({ warn: config.thresholds.warn, target: config.compaction.target, findings }).toEqual({
      warn,
      target,
      findings: [],
    });
  });

  it.each<{ name: string; flags: Flags; levels: number[] }>([
    { name: 'all as they are', flags: {}, levels: [0.3, 0.5, 0.7, 0.78, 0.85] },
    { name: 'zones follow a low warning', flags: { 'thresholds.warn': 0.35 }, levels: [0.15, 0.25, 0.35, 0.78, 0.85] },
    {
      name: 'all follow a low compaction',
      flags: { 'thresholds.compact': 0.39 },
      levels: [0.15, 0.25, 0.35, 0.39, 0.85],
    },
    {
      name: 'the handoff keeps above a high compaction',
      flags: { 'thresholds.compact': 0.86 },
      levels: [0.3, 0.5, 0.7, 0.86, 0.905],
    },
    {
      name: 'the compaction keeps below a low handoff',
      flags: { 'thresholds.handoff': 0.6 },
      levels: [0.3, 0.353, 0.494, 0.551, 0.6],
    },
    {
      name: 'without compaction the warning keeps below a low handoff',
      flags: { 'compaction.enabled': false, 'thresholds.handoff': 0.6 },
      levels: [0.3, 0.353, 0.494, 0.78, 0.6],
    },
    {
      name: 'tokens, when the window is known',
      flags: { window: 200_000, 'thresholds.compact': 78_000 },
      levels: [30_000, 50_000, 70_000, 78_000, 0.85],
    },
    {
      name: 'tokens above the handoff, when the window is known',
      flags: { window: 1_000_000, 'thresholds.compact': 860_000 },
      levels: [0.3, 0.5, 0.7, 860_000, 0.905],
    },
  ])('$name', async ({ flags, levels }) => {
    const { config, findings } = await resolve({ flags });
    const { thresholds, zones } = config;
    const { warn, compact, handoff } = thresholds;
    expect({ levels: [zones.monitor, zones.warning, warn, compact, handoff], findings }).toEqual({
      levels,
      findings: [],
    });
  });

  it.each<{ name: string; flags: Flags; tools?: Partial<ToolsPolicy> }>([
    {
      name: 'levels of what remains keep below a total',
      flags: { 'tiers.total': 10_000 },
      tools: { warnBelow: 2_000, criticalBelow: 1_000 },
    },
    {
      name: 'the least for a result is no more than the most',
      flags: { 'tools.perCall': 300 },
      tools: { perCall: 300, minTokens: 300, byTool: { Read: 300 } },
    },
    {
      name: 'nor than a share of a window that is known',
      flags: { 'tools.perCall': 0.002, window: 200_000 },
      tools: { perCall: 0.002, minTokens: 400, byTool: { Read: 0.002 } },
    },
    {
      name: 'what is said of all results is said of files too',
      flags: { 'tools.perCall': 2_000 },
      tools: { perCall: 2_000, byTool: { Read: 2_000 } },
    },
  ])('$name', async ({ flags, tools }) => {
    const { config, findings } = await resolve({ flags });
    expect({ tools: config.tools, findings }).toEqual({
      tools: { ...DEFAULTS.tools, ...tools },
      findings: [],
    });
  });
});
