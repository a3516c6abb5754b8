import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { readEnvironment } from '../../src/config/read-environment.ts';
import { effectiveConfig, type Flags, resolveConfig } from '../../src/config/resolve-config.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-config-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function resolve(world: { env?: Record<string, string>; flags?: Flags; cwd?: string } = {}) {
  return resolveConfig({ cwd: world.cwd ?? root, env: world.env ?? {}, flags: world.flags ?? {} });
}

async function messages(text: string): Promise<string[]> {
  put('.contextbudgetrc.json', text);
  return (await resolve()).findings.map(({ message }) => message);
}

describe('sources of the configuration', () => {
  it('uses the defaults without a file', async () => {
    const { config, sources, findings } = await resolve();
    expect({ config, findings }).toEqual({ config: DEFAULTS, findings: [] });
    expect(new Set(Object.values(sources).map(({ source }) => source))).toEqual(new Set(['default']));
  });

  it.each([
    { name: '.contextbudgetrc', text: 'thresholds:\n  warn: 0.6\n' },
    { name: '.contextbudgetrc', text: '{ "thresholds": { "warn": 0.6 } }' },
    { name: '.contextbudgetrc', text: '{ thresholds: { warn: 0.6 } }' },
    { name: '.contextbudgetrc.json', text: '\uFEFF{ "thresholds": { "warn": 0.6 } }' },
    { name: '.contextbudgetrc.yaml', text: 'thresholds:\n  warn: 60%\n' },
    { name: '.contextbudgetrc.yml', text: 'thresholds: { warn: 0.6 } # early\n' },
    { name: 'package.json', text: '{ "name": "x", "contextbudget": { "thresholds": { "warn": 0.6 } } }' },
  ])('reads $name: $text', async ({ name, text }) => {
    const path = put(name, text);
    const { config, sources, findings } = await resolve();
    expect(findings).toEqual([]);
    expect(config).toEqual({ ...DEFAULTS, thresholds: { ...DEFAULTS.thresholds, warn: 0.6 } });
    expect(sources['thresholds.warn']).toEqual({ source: 'file', where: path });
  });

  it('uses the nearest file, and skips folders without one', async () => {
    put('.contextbudgetrc.json', '{ "task": "far" }');
    const near = put('a/.contextbudgetrc.yaml', 'state: near\n');
    put('a/b/package.json', '{ "name": "contextbudget" }');
    put('a/b/.contextbudgetrc', '\n');
    put('a/b/.contextbudgetrc.yml', '# nothing yet\n');
    mkdirSync(join(root, 'a/b/.contextbudgetrc.json'));
    mkdirSync(join(root, 'a/b/c'));
    const { config, sources } = await resolve({ cwd: join(root, 'a/b/c') });
    expect([config.task, config.state, sources.state.where]).toEqual([undefined, 'near', near]);
  });

  it('ignores a broken package.json without the key', async () => {
    put('package.json', '{ broken');
    expect((await resolve()).findings).toEqual([]);
  });

  it.each([
    '.contextbudgetrc.js',
    '.contextbudgetrc.cjs',
    '.contextbudgetrc.ts',
    '.config/config.cjs',
    '.config/config.js',
  ])('does not execute or read %s', async (name) => {
    put(
      name,
      `require('node:fs').writeFileSync(${JSON.stringify(join(root, 'executed'))}, ''); module.exports = { quiet: true };`,
    );
    // YAML, so that the third party's parser is loaded, with the key by which it imports other files.
    put('.contextbudgetrc.yaml', `$import: ./${name}\n`);
    const before = process.cwd();
    process.chdir(root);
    const { config, findings } = await resolve().finally(() => process.chdir(before));
    const { existsSync } = await import('node:fs');
    expect({ executed: existsSync(join(root, 'executed')), quiet: config.quiet }).toEqual({
      executed: false,
      quiet: false,
    });
    expect(findings.map(({ key }) => key)).toEqual(['$import']);
  });
});

describe('precedence', () => {
  it('is flag before variable before file before default', async () => {
    put('.contextbudgetrc.json', '{ "task": "file", "state": "file", "statusLine": "never" }');
    const { config, sources, findings } = await resolve({
      env: { CTXB_TASK: 'variable', CTXB_STATE: 'variable' },
      flags: { task: 'flag', quiet: undefined },
    });
    expect(findings).toEqual([]);
    expect([config.task, config.state, config.statusLine, config.quiet]).toEqual(['flag', 'variable', 'never', false]);
    expect([sources.task, sources.state, sources.quiet]).toEqual([
      { source: 'flag', where: '--task' },
      { source: 'env', where: 'CTXB_STATE' },
      { source: 'default' },
    ]);
  });

  it.each([
    { variable: 'CTXB_WINDOW', text: '200000', key: 'window', value: 200_000 },
    { variable: 'CTXB_THRESHOLDS_COMPACT', text: '0.75', key: 'thresholds.compact', value: 0.75 },
    { variable: 'CTXB_THRESHOLDS_MID_TURN', text: '90%', key: 'thresholds.midTurn', value: 0.9 },
    { variable: 'CTXB_COMPACTION_WHEN', text: 'boundary', key: 'compaction.when', value: 'boundary' },
    { variable: 'CTXB_THRESHOLDS_COMPACT', text: 'economic', key: 'thresholds.compact', value: 0.78 },
    { variable: 'CTXB_THRESHOLDS_COMPACT', text: '60%', key: 'thresholds.compact', value: 0.6 },
    { variable: 'CTXB_COMPACTION_ENABLED', text: 'false', key: 'compaction.enabled', value: false },
    { variable: 'CTXB_QUIET', text: '1', key: 'quiet', value: true },
    { variable: 'CTXB_TASK', text: '123', key: 'task', value: '123' },
    { variable: 'CTXB_MEMORY_ENABLED', text: 'false', key: 'memory.enabled', value: false },
    { variable: 'CTXB_THRESHOLDS_HANDOFF', text: '90%', key: 'thresholds.handoff', value: 0.9 },
    { variable: 'CTXB_STRATEGY', text: 'handoff', key: 'strategy', value: 'handoff' },
    { variable: 'CTXB_ZONES_ON_LARGE_TASK', text: 'relieve', key: 'zones.onLargeTask', value: 'relieve' },
    { variable: 'CTXB_ZONES_TELL_AGENT', text: 'false', key: 'zones.tellAgent', value: false },
    { variable: 'CTXB_HANDOFF_ENABLED', text: '0', key: 'handoff.enabled', value: false },
    { variable: 'CTXB_COST_LIMIT_USD', text: '0.50', key: 'cost.limitUsd', value: 0.5 },
    { variable: 'CTXB_COST_PROJECT_LIMIT_USD', text: '20', key: 'cost.projectLimitUsd', value: 20 },
    { variable: 'CTXB_COST_PERIOD', text: 'month', key: 'cost.period', value: 'month' },
    { variable: 'CTXB_LIMITS_WAIT', text: '1.5h', key: 'limits.wait', value: 5_400 },
    { variable: 'CTXB_LIMITS_OUTAGE_WAIT', text: '0', key: 'limits.outageWait', value: 0 },
    { variable: 'CTXB_COST_ON_LIMIT', text: 'wrap-up', key: 'cost.onLimit', value: 'wrap-up' },
    { variable: 'CTXB_RECOVERY_ENABLED', text: 'false', key: 'recovery.enabled', value: false },
    { variable: 'CTXB_TOOLS_MODE', text: 'advise', key: 'tools.mode', value: 'advise' },
    { variable: 'CTXB_TOOLS_PER_CALL', text: '4%', key: 'tools.perCall', value: 0.04 },
    { variable: 'CTXB_TIERS_TOTAL', text: '60%', key: 'tiers.total', value: 0.6 },
    { variable: 'CTXB_FLOW_PRESET', text: 'lean', key: 'flow.preset', value: 'lean' },
    { variable: 'CTXB_FLOW_CONTEXT_BUDGET_CHARS', text: '90000', key: 'flow.contextBudgetChars', value: 90_000 },
    { variable: 'CTXB_FLOW_HISTORY_RECENT_CHARS', text: '20000', key: 'flow.historyRecentChars', value: 20_000 },
    { variable: 'CTXB_FLOW_HISTORY_OLDER_CHARS', text: '0', key: 'flow.historyOlderChars', value: 0 },
    { variable: 'CTXB_FLOW_CURATOR', text: 'true', key: 'flow.curator', value: true },
  ])('reads $variable=$text, and the same from a flag', async ({ variable, text, key, value }) => {
    for (const world of [{ env: { [variable]: text } }, { flags: { [key]: text } }]) {
      const { config, findings } = await resolve(world);
      expect(findings).toEqual([]);
      expect(config).toHaveProperty(key, value);
    }
  });

  it('accepts overrides for tools by their names, including dots and stars', async () => {
    put('.contextbudgetrc.yaml', 'tools:\n  Read: 12000\n  mcp__a.b__*: 5%\n');
    const { config, sources, findings } = await resolve({ env: { CTXB_TOOLS_PER_CALL: '10%' } });
    expect(findings).toEqual([]);
    expect(config.tools).toEqual({
      ...DEFAULTS.tools,
      perCall: 0.1,
      byTool: { Read: 12_000, 'mcp__a.b__*': 0.05 },
    });
    expect([sources['tools.Read']?.source, sources['tools.Bash']]).toEqual(['file', undefined]);
  });

  const sizes = { contextBudgetChars: 90_000, historyOlderChars: 4_000 };

  it.each([
    { title: 'a preset takes the place of all sizes', env: { CTXB_FLOW_PRESET: 'heavy' }, holds: { preset: 'heavy' } },
    {
      title: 'one size takes the place of its own alone',
      env: { CTXB_FLOW_CONTEXT_BUDGET_CHARS: '80000' },
      holds: { preset: 'lean', contextBudgetChars: 80_000, historyOlderChars: 4_000 },
    },
    {
      title: 'a preset and a size of the same place stand together',
      env: { CTXB_FLOW_PRESET: 'heavy', CTXB_FLOW_HISTORY_OLDER_CHARS: '600' },
      holds: { preset: 'heavy', historyOlderChars: 600 },
    },
    { title: 'without any', env: {}, holds: { ...sizes, preset: 'lean' } },
  ])('variables over a file for briefings: $title', async ({ env, holds }) => {
    put('.contextbudgetrc.json', JSON.stringify({ flow: { preset: 'lean', ...sizes } }));
    const { config, sources, findings } = await resolve({ env });
    expect([config.flow, findings]).toEqual([{ ...holds, curator: false }, []]);
    // What does not hold any more does not come from anywhere.
    const set = Object.entries(sources).filter(([key, { source }]) => key.startsWith('flow.') && source !== 'default');
    expect(set.map(([key]) => key.slice('flow.'.length)).sort()).toEqual(Object.keys(holds).sort());
  });

  it('ignores empty, foreign and reserved variables', async () => {
    const env = { CTXB_TASK: '', CTXB_CLAUDE: '/x', CTXB_TEST_CLAUDE: '/y', CTXB_INBOX: '/z', PATH: '/bin' };
    const { config, findings } = await resolve({ env });
    expect([findings, readEnvironment(env).warnings, config.task]).toEqual([[], [], undefined]);
  });
});

describe('findings', () => {
  it('are all collected, from every source', async () => {
    put(
      '.contextbudgetrc.json',
      '{ "thresholds": { "wran": 1, "warn": "much" }, "quiet": "yes", "tasks": 1, "hooks": 2 }',
    );
    const env = { CTXB_COMPACTION_WEHN: 'boundary', CTXB_WINDOW: 'big' };
    const { findings } = await resolve({ env, flags: { statusLine: 'allways' } });
    expect(readEnvironment(env).warnings.map(({ key }) => key)).toEqual(['CTXB_COMPACTION_WEHN']);
    expect(findings.map(({ key }) => key).sort()).toEqual(
      ['hooks', 'quiet', 'statusLine', 'tasks', 'thresholds.warn', 'thresholds.wran', 'window'].sort(),
    );
    for (const { key, message } of findings) {
      // The name of an option says where it stands.
      const [name, place] = key === 'statusLine' ? ['--status-line', ''] : [key.replace('.', '\\.'), ' \\(.+\\)'];
      expect(message).toMatch(new RegExp(`^${name}: expected .+, found .+${place}; .+`));
    }
  });

  it.each([
    { text: '{ "thresholds": { "wran": 0.6 } }', says: /^thresholds\.wran: .*did you mean warn\?|thresholds\.warn\?$/ },
    { text: '{ "warn": 0.6 }', says: /did you mean thresholds\.warn\?$/ },
    { text: '{ "context_dir": "x" }', says: /did you mean contextDir\?$/ },
    { text: '{ "compaction": { "when": "boundry" } }', says: /found "boundry" .*did you mean "boundary"\?$/ },
    { text: '{ "zzz": 1 }', says: /^zzz: .*remove it$/ },
    { text: '{ "window": 999 }', says: /^window: expected a whole number of tokens, 1000 or more, found 999/ },
    { text: '{ "window": null }', says: /^window: .*found null.*leave it out$/ },
    { text: '{ "thresholds": { "warn": 0 } }', says: /^thresholds\.warn: .*found 0 .*\(default 0\.7\)$/ },
    { text: '{ "thresholds": { "warn": 1.5 } }', says: /^thresholds\.warn: .*found 1\.5/ },
    { text: '{ "thresholds": { "warn": "0%" } }', says: /^thresholds\.warn: .*found "0%"/ },
    { text: '{ "thresholds": { "warn": "101%" } }', says: /^thresholds\.warn: expected a fraction .*found "101%"/ },
    {
      text: '{ "thresholds": 0.5 }',
      says: /^thresholds: expected an object with warn, compact, handoff, midTurn, found 0\.5/,
    },
    { text: '{ "compaction": { "timeoutSeconds": 1e9 } }', says: /^compaction\.timeoutSeconds: / },
    { text: '{ "contextDir": "" }', says: /^contextDir: expected a path, found ""/ },
    { text: '{ "contextDir": "a\\u0000b" }', says: /^contextDir: expected a path, found "a\\u0000b"/ },
    { text: '{ "contextDir": "a\\u001b]0;b" }', says: /^contextDir: expected a path, found "a\\u001b\]0;b"/ },
    { text: '{ "memory": { "enabled": "of" } }', says: /^memory\.enabled: expected true or false, found "of"/ },
    { text: '{ "memory": { "enabld": true } }', says: /^memory\.enabld: .*did you mean (?:memory\.)?enabled\?$/ },
    { text: '{ "thresholds": { "compact": 60 } }', says: /found 60 .*did you mean "60%"\?$/ },
    { text: '{ "thresholds": { "warn": 80 } }', says: /found 80 .*did you mean "80%"\?$/ },
    { text: '{ "strategy": "compct" }', says: /^strategy: .*found "compct" .*did you mean "compact"\?$/ },
    { text: '{ "strategy": 1 }', says: /^strategy: expected one of "compact", .*found 1 .*\(default "compact"\)$/ },
    { text: '{ "zones": { "onLargeTask": "rejct" } }', says: /^zones\.onLargeTask: .*did you mean "reject"\?$/ },
    { text: '{ "zones": { "tellAgent": "no" } }', says: /^zones\.tellAgent: expected true or false, found "no"/ },
    { text: '{ "handoff": true }', says: /^handoff: expected an object with enabled, found true/ },
    {
      text: '{ "cost": { "limitUsd": 0 } }',
      says: /^cost\.limitUsd: expected a number of US dollars from 0.000001.*found 0/,
    },
    { text: '{ "cost": { "limitUsd": "$5" } }', says: /^cost\.limitUsd: .*found "\$5" .*leave it out$/ },
    { text: '{ "cost": { "projectLimitUsd": -1 } }', says: /^cost\.projectLimitUsd: .*found -1/ },
    { text: '{ "cost": { "limitUsd": 1e9 } }', says: /^cost\.limitUsd: .*to 1000000, found 1000000000/ },
    { text: '{ "cost": { "limit": 5 } }', says: /^cost\.limit: .*expected one of limitUsd, projectLimitUsd, / },
    { text: '{ "cost": { "period": "week" } }', says: /^cost\.period: expected one of "day", "month", found "week"/ },
    { text: '{ "cost": { "onLimit": "wrap_up" } }', says: /^cost\.onLimit: .*did you mean "wrap-up"\?$/ },
    { text: '{ "recovery": { "enabled": "on" } }', says: /^recovery\.enabled: expected true or false, found "on"/ },
    { text: '{ "tools": { "mode": "advice" } }', says: /^tools\.mode: .*did you mean "advise"\?$/ },
    { text: '{ "tools": { "perCall": 0 } }', says: /^tools\.perCall: expected a fraction .*\(default 8000\)$/ },
    { text: '{ "tools": { "perCal": 300 } }', says: /^tools\.perCal: .*did you mean (?:tools\.)?perCall\?$/ },
    {
      text: '{ "tools": { "read": 9000 } }',
      says: /^tools\.read: .*perCall or the name of a tool such as Read, mcp__github__\*, found "read" .*remove it$/,
    },
    { text: '{ "tools": { "byTool": { "Read": 9000 } } }', says: /^tools\.byTool: expected one of mode, .*remove it$/ },
    {
      text: '{ "tools": { "Read": "all" } }',
      says: /^tools\.Read: expected a fraction .*found "all" .*leave it out \(default 25000\)$/,
    },
    { text: '{ "tools": { "Read": {} } }', says: /^tools\.Read: expected a fraction of the window/ },
    {
      text: '{ "tools": { "mcp__a.b": 0 } }',
      says: /^tools\.mcp__a\.b: expected a fraction .*found 0 .*leave it out$/,
    },
    { text: '{ "tools": 8000 }', says: /^tools: expected an object with mode, perCall, .*found 8000/ },
    { text: '{ "tools.Read": 9000 }', says: /^tools\.Read: expected one of \$schema, window, .*remove it$/ },
    { text: '{ "zones": { "Read": 9000 } }', says: /^zones\.Read: expected one of onLargeTask, / },
    { text: '{ "tools": { "__proto__": 9000 } }', says: /^tools\.__proto__: expected one of / },
    { text: '{ "tools": { "constructor": 9000 } }', says: /^tools\.constructor: expected one of / },
    { text: '{ "flow": { "preset": "hevy" } }', says: /^flow\.preset: .*found "hevy" .*did you mean "heavy"\?$/ },
    { text: '{ "flow": { "contextBudgetChars": -1 } }', says: /^flow\.contextBudgetChars: .*of characters, 0 or more/ },
    {
      text: '{ "flow": { "historyOlderChars": "20%" } }',
      says: /^flow\.historyOlderChars: .*found "20%" .*leave it out$/,
    },
    {
      text: '{ "flow": { "budgets": {} } }',
      says: /^flow\.budgets: expected one of preset, .*curator, found/,
    },
    { text: '{ "tiers": { "total": "0%" } }', says: /^tiers\.total: expected a fraction .*\(default 100000\)$/ },
    { text: '{ "tiers": { "tools": 9000 } }', says: /^tiers\.tools: expected one of total, / },
    { text: '{ "$schema": 1 }', says: /^\$schema: / },
    { text: '[1]', says: /\.contextbudgetrc\.json: expected an object with .*found \[1\]/ },
    { text: '{ "__proto__": { "polluted": true } }', says: /^__proto__: / },
    { text: '{ "thresholds": { "__proto__": { "polluted": true } } }', says: /^thresholds\.__proto__: / },
    { text: '{ "constructor": { "prototype": { "polluted": true } } }', says: /^constructor: / },
  ])('$text', async ({ text, says }) => {
    expect(await messages(text)).toEqual([expect.stringMatching(says)]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('refuses __proto__ in YAML too', async () => {
    put('.contextbudgetrc.yaml', '__proto__:\n  quiet: true\n');
    const { config, findings } = await resolve();
    expect([config.quiet, findings.map(({ key }) => key)]).toEqual([false, ['__proto__']]);
  });

  const tenfold = (level: number) => `  mcp__${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]`;
  it.each([
    { name: 'holds itself', text: 'tools: &a\n  perCall: *a\n' },
    {
      name: 'stands for billions of values',
      text: ['tools:', '  mcp__0: &a0 [x]', ...Array.from({ length: 9 }, (_, level) => tenfold(level + 1))].join('\n'),
    },
  ])('refuses YAML that $name', async ({ text }) => {
    const path = put('.contextbudgetrc.yaml', text);
    const { findings } = await resolve();
    expect(findings).toEqual([{ key: path, message: expect.stringContaining('found: more than 10000 values') }]);
  });

  it.each([
    { name: '.contextbudgetrc.json', text: '{\n  "quiet": x\n}', at: '2:12', format: 'JSON' },
    { name: '.contextbudgetrc.json', text: '{\n  "quiet": tru\n}', at: '2:15', format: 'JSON' },
    { name: '.contextbudgetrc.json', text: '{\n  "quiet": true,\n}', at: '3:1', format: 'JSON' },
    { name: '.contextbudgetrc.json', text: '{\n  "quiet": true', at: '2:16', format: 'JSON' },
    { name: '.contextbudgetrc.yaml', text: 'quiet: true\n task: [', at: '2:6', format: 'YAML' },
    { name: '.contextbudgetrc', text: '{ "quiet": true', at: '2:1', format: 'YAML' },
    { name: 'package.json', text: '{ "contextbudget": { "quiet": } }', at: '1:31', format: 'JSON' },
  ])('names file, line and column of invalid $format: $text', async ({ name, text, at, format }) => {
    const path = put(name, text);
    const { findings } = await resolve();
    expect(findings).toEqual([
      { key: path, message: expect.stringContaining(`${path}:${at}: expected valid ${format}, found: `) },
    ]);
  });

  it('are thrown together as one error if a command needs a valid configuration', async () => {
    put('.contextbudgetrc.json', '{ "a": 1, "b": 2 }');
    const error = effectiveConfig({ cwd: root, env: {} });
    await expect(error).rejects.toMatchObject({
      code: 'config',
      exitCode: 2,
      message: expect.stringMatching(/\ba: expected .*\n.*\bb: expected /),
    });
    rmSync(join(root, '.contextbudgetrc.json'));
    expect(await effectiveConfig({ cwd: root, env: {} })).toEqual(DEFAULTS);
  });
});
