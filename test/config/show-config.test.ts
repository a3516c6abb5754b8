import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runConfig } from '../../src/cli/config.ts';
import { KEY_SCHEMAS } from '../../src/config/schema.ts';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxb-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function run(
  options: { json?: true; schema?: true },
  env: Record<string, string> = {},
  terminal: { readonly columns?: number } = {},
) {
  const [stdin, stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), terminal), new PassThrough()];
  const exitCode = await runConfig(options, { stdin, stdout, stderr, env, cwd });
  return { exitCode, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

it('prints an aligned line for each key', async () => {
  const path = join(cwd, '.contextbudgetrc');
  writeFileSync(path, 'quiet: true\n');
  const { exitCode, out, err } = await run({}, { CTXB_TASK: 'port it' });
  const lines = out.trimEnd().split('\n');
  expect([exitCode, err, lines.length]).toEqual([0, '', KEY_SCHEMAS.size + 1]);
  const columns = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.split(/ {2,}/);
  expect(columns('key')).toEqual(['key', 'value', 'source']);
  expect(columns('window')).toEqual(['window', '(measured)', 'default']);
  expect(columns('quiet')).toEqual(['quiet', 'true', `file ${path}`]);
  expect(columns('task')).toEqual(['task', '"port it"', 'env CTXB_TASK']);
  // A text that would take all others beyond the edge of a terminal moves its own source alone.
  const short = lines.filter((line) => !line.startsWith('compaction.focus '));
  const starts = short.map((line) => line.search(/(source|default|file \/|env CTXB_\S+)/));
  expect(new Set(starts).size).toBe(1);
  expect(starts[0]).toBeLessThan(60);
});

it('continues a row below its value if the terminal is too narrow', async () => {
  const { out } = await run({}, { CTXB_TASK: 'port the parser and its tests' }, { columns: 44 });
  const lines = out.split('\n');
  expect(lines[0]).toMatch(/^key +value$/);
  expect(lines[1]?.trim()).toBe('source');
  const task = lines.findIndex((line) => line.startsWith('task '));
  const below = lines.slice(task).findIndex((line, at) => at > 0 && line.startsWith('state '));
  const row = lines
    .slice(task, task + below)
    .join(' ')
    .replaceAll(/ +/g, ' ');
  expect(row).toBe('task "port the parser and its tests" env CTXB_TASK');
  expect(lines.filter((line) => line.length > 44)).toEqual([]);
});

it('prints the same as JSON', async () => {
  const { exitCode, out } = await run({ json: true }, { CTXB_THRESHOLDS_WARN: '60%' });
  const printed = JSON.parse(out);
  expect([exitCode, Object.keys(printed)]).toEqual([0, [...KEY_SCHEMAS.keys()]]);
  expect(printed['thresholds.warn']).toEqual({ value: 0.6, source: 'env', where: 'CTXB_THRESHOLDS_WARN' });
  expect(printed.window).toEqual({ value: null, source: 'default' });
});

it('prints the overrides for tools with their sources, after the keys of the group', async () => {
  const path = join(cwd, '.contextbudgetrc.json');
  writeFileSync(path, '{ "tools": { "Read": "6%", "mcp__a.b__*": 4000, "perCall": 9000 } }');
  const { exitCode, out } = await run({ json: true });
  const printed = JSON.parse(out);
  const origin = { source: 'file', where: path };
  expect([exitCode, Object.keys(printed)]).toEqual([0, [...KEY_SCHEMAS.keys(), 'tools.Read', 'tools.mcp__a.b__*']]);
  expect(printed).toMatchObject({
    'tools.perCall': { value: 9_000, ...origin },
    'tools.Read': { value: 0.06, ...origin },
    'tools.mcp__a.b__*': { value: 4_000, ...origin },
  });
  expect((await run({})).out).toMatch(/^tools\.Read +0\.06 +file \/.*\ntools\.mcp__a\.b__\* +4000 +file \/.*\n$/m);
});

it('prints prices in dollars, as they are configured', async () => {
  const written = { input: 1, output: 2.2, cacheWrite: 1.25, cacheWriteHour: 2, cacheRead: 0.1 };
  const { input, output } = written;
  writeFileSync(join(cwd, '.contextbudgetrc'), JSON.stringify({ cost: { prices: { 'glm-5.1': { input, output } } } }));
  const { out } = await run({ json: true });
  expect(JSON.parse(out)['cost.prices'].value).toEqual({ 'glm-5.1': written });
  expect((await run({})).out).toContain('{"glm-5.1":{"input":1,"output":2.2,');
});

it.each(['CTXB_COST_PRICES'])('says that %s must be set in a file', async (name) => {
  const { exitCode, err } = await run({}, { [name]: '{}' });
  expect(exitCode).toBe(2);
  expect(err).toContain(`(${name}); set it in a configuration file, as a variable cannot hold it\n`);
});

it.each<{ json?: true }>([{}, { json: true }])(
  'prints every finding on stderr, and the valid values on stdout ($json)',
  async (options) => {
    const { exitCode, out, err } = await run(options, { CTXB_WINDOW: 'x', CTXB_QUIET: 'maybe', CTXB_TASK: 'port it' });
    expect([exitCode, out]).toEqual([2, expect.stringMatching(/port it/)]);
    expect(out).not.toMatch(/CTXB_(WINDOW|QUIET)/);
    expect(err).toMatch(/^ctxb: window: .*CTXB_WINDOW.*\nctxb: quiet: .*CTXB_QUIET.*\n$/);
  },
);
