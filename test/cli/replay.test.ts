import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CTXB } from '../support/ctxb.ts';
import { quoted } from '../support/interactive.ts';
import { atTerminal } from '../support/pty.ts';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

async function replayJson(place: Place, args: readonly string[], stdin?: string | Uint8Array) {
  const run = await ctxb(place, ['replay', '--json', ...args], stdin === undefined ? {} : { stdin });
  return {
    ...run,
    report: JSON.parse(run.stdout.toString()) as { version: number; sessions: Record<string, unknown>[] },
  };
}

const KEYS = [
  ...[
    'file',
    'sessionId',
    'dialect',
    'claudeCodeVersion',
    'model',
    'project',
    'prompt',
    'time',
    'window',
    'turns',
    'calls',
    'context',
    'traffic',
    'compactions',
  ],
  ...['actions', 'cost', 'growth', 'subagents', 'oddities', 'lines'],
];

describe('--json', () => {
  it('has the documented shape', async () => {
    await using place = await createPlace();
    const { report, code } = await replayJson(place, [fixture('compact.ndjson')]);
    expect(code).toBe(0);
    expect(Object.keys(report)).toEqual(['version', 'sessions', 'totals']);
    expect(report.version).toBe(1);
    const [session = {}] = report.sessions;
    expect(Object.keys(session)).toEqual(KEYS);
    expect(session).toMatchObject({
      file: fixture('compact.ndjson'),
      sessionId: expect.any(String),
      dialect: 'stream',
      claudeCodeVersion: '2.1.197',
      model: 'claude-sonnet-4-5',
      window: { tokens: 200_000, source: 'result' },
      turns: 3,
      calls: 5,
      context: { last: 31_500, peak: 160_000, peakFraction: 0.8, basis: 'measured' },
      compactions: [{ trigger: 'manual', by: 'caller', preTokens: 160_008, gaugeBefore: 160_003, firstAfter: 31_000 }],
      actions: expect.any(Array),
      cost: { usd: expect.any(Number), computed: false },
      subagents: [],
      oddities: [],
      lines: { total: expect.any(Number), unknown: 0, malformed: 0 },
    });
    for (const action of session.actions as Record<string, unknown>[]) {
      expect(action).toMatchObject({
        kind: expect.any(String),
        at: { turn: expect.any(Number), call: expect.any(Number) },
        reason: expect.any(String),
        gauge: { used: expect.any(Number), predicted: expect.any(Number), window: 200_000, basis: expect.any(String) },
      });
    }
  });

  it('has null for unknown values', async () => {
    await using place = await createPlace();
    const { report } = await replayJson(
      place,
      ['-'],
      '{"type":"brand_new"}\n{"type":"system","subtype":"compact_boundary"}\n',
    );
    expect(report.sessions).toMatchObject([
      { file: '-', sessionId: null, claudeCodeVersion: null, model: null, cost: { usd: null }, turns: 0, calls: 0 },
    ]);
  });

  it('--series adds one entry for each call', async () => {
    await using place = await createPlace();
    const { report } = await replayJson(place, ['--series', fixture('compact.ndjson')]);
    const [session = {}] = report.sessions;
    expect(Object.keys(session)).toEqual([...KEYS, 'series', 'prompts', 'results']);
    expect(session.series).toHaveLength(5);
    expect((session.series as object[])[0]).toMatchObject({ number: 1, line: 2, context: 100_000, predicted: null });
  });

  it.each(sampled(['tool-turn', 'compact', 'clear', 'crossing', 'partial', 'subagent'], 2))(
    '%s is as expected',
    async (name) => {
      await using place = await createPlace();
      const expected = JSON.parse(readFileSync(fixture(`${name}.expected.json`), 'utf8')) as object;
      const { report } = await replayJson(place, [fixture(`${name}.ndjson`)]);
      const { series, ...rest } = expected as { series?: unknown };
      expect(report.sessions).toEqual([{ ...rest, file: fixture(`${name}.ndjson`) }]);
    },
  );
});

describe('sources', () => {
  it('reads every recording below a folder, by name, and nothing else', async () => {
    await using place = await createPlace();
    await mkdir(place.path('logs/b'), { recursive: true });
    await copyFile(fixture('tool-turn.ndjson'), place.path('logs/z.ndjson'));
    await copyFile(fixture('tool-turn.session.jsonl'), place.path('logs/b/a.jsonl'));
    await place.file('logs/notes.txt', 'no recording');
    const { report, code } = await replayJson(place, [place.path('logs')]);
    expect(report.sessions.map(({ file }) => file)).toEqual([
      place.path('logs/b/a.jsonl'),
      place.path('logs/z.ndjson'),
    ]);
    expect(report.sessions.map(({ dialect }) => dialect)).toEqual(['session', 'stream']);
    expect(code).toBe(0);
  });

  it.each([{ args: ['-'] }, { args: [] }])('stdin with $args', async ({ args }) => {
    await using place = await createPlace();
    const { report } = await replayJson(place, args, readFileSync(fixture('tool-turn.ndjson')));
    expect(report.sessions).toMatchObject([{ file: '-', calls: 3, turns: 1 }]);
  });

  it('attaches the logs of subagents to their session, even in a folder', async () => {
    await using place = await createPlace();
    await mkdir(place.path('logs/s/subagents'), { recursive: true });
    await copyFile(fixture('subagent.session.jsonl'), place.path('logs/s.jsonl'));
    const log = 'agent-a1207fa5aad315583.jsonl';
    await copyFile(fixture(`subagent.session/subagents/${log}`), place.path(`logs/s/subagents/${log}`));
    for (const path of ['logs', 'logs/s.jsonl']) {
      const { report } = await replayJson(place, [place.path(path)]);
      expect(report.sessions).toMatchObject([{ subagents: [{ id: 'a1207fa5aad315583', peak: 9_400, calls: 2 }] }]);
    }
  });

  it('names unreadable files, prints the rest, exit 2', async () => {
    await using place = await createPlace();
    const missing = place.path('missing.ndjson');
    const { report, stderr, code } = await replayJson(place, [missing, fixture('tool-turn.ndjson')]);
    expect(report.sessions).toHaveLength(1);
    expect(stderr).toContain(missing);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('reports a folder without recordings', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', place.cwd]);
    expect(run.stdout.toString()).toBe('');
    expect(run.stderr).toContain(`${place.cwd}: no recordings found: claude writes such lines with `);
    expect(run.code).toBe(2);
  });
});

describe('lines', () => {
  it('counts unknown and malformed lines, but not blank ones', async () => {
    await using place = await createPlace();
    const lines = [
      '{"type":"brand_new"}',
      '{"type":"system","subtype":"brand_new"}',
      'not json',
      '[1]',
      '42',
      '',
      '   ',
      '{"type":',
      '{"type":"user","message":{"role":"user","content":"hello"}}',
    ];
    const { report, code } = await replayJson(place, ['-'], lines.join('\n'));
    expect(report.sessions[0]?.lines).toEqual({ total: 7, unknown: 2, malformed: 4 });
    expect(code).toBe(0);
  });

  it.each([
    {
      title: 'a text',
      stdin: 'All tests pass.\nNothing is left to do.\n',
      says: 'stdin: no line is from claude',
      code: 2,
    },
    { title: 'empty', stdin: '', says: 'stdin is empty', code: 2 },
  ])('reports input without lines from claude: $title', async ({ stdin, says, code }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay'], { stdin });
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(says);
  });

  it('refuses a compressed file, and names the cause', async () => {
    await using place = await createPlace();
    await place.file('wrapped.ndjson', gzipSync(readFileSync(fixture('tool-turn.ndjson'))));
    const run = await ctxb(place, ['replay', 'wrapped.ndjson']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('is it compressed?') });
  });

  it('may be one JSON array', async () => {
    await using place = await createPlace();
    const text = readFileSync(fixture('tool-turn.ndjson'), 'utf8').trimEnd();
    await place.file('lines.ndjson', text);
    await place.file('array.ndjson', `[${text.split('\n').join(',\n')}]`);
    const [lines, array] = await Promise.all(
      ['lines.ndjson', 'array.ndjson'].map((file) => ctxb(place, ['replay', '--csv', file])),
    );
    expect(array).toMatchObject({ code: 0, stderr: '' });
    expect(String(array?.stdout)).toBe(String(lines?.stdout).replace('lines.ndjson', 'array.ndjson'));
  });

  it('may end in CRLF or without a line end', async () => {
    await using place = await createPlace();
    const bytes = readFileSync(fixture('tool-turn.ndjson'), 'utf8').trimEnd().replaceAll('\n', '\r\n');
    const { report } = await replayJson(place, ['-'], bytes);
    expect(report.sessions).toMatchObject([{ calls: 3, lines: { malformed: 0 } }]);
  });
});

it('prints a few lines without control characters of the recording', async () => {
  await using place = await createPlace();
  const line = {
    type: 'system',
    subtype: 'init',
    session_id: 's',
    model: 'x\u001b[31m\u0007',
    claude_code_version: '1\u009b2J',
  };
  const run = await ctxb(place, ['replay', '-'], { stdin: `${JSON.stringify(line)}\n` });
  expect(run.stdout.toString()).toMatch(/^ {2}file +-\n {2}session/);
  expect(run.stdout.toString()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

it.each(sampled([{ args: [] }, { args: ['--json'] }], 2))(
  'ends quietly if the reader closes the pipe ($args)',
  async ({ args }) => {
    await using place = await createPlace();
    const files = Array.from({ length: 300 }, () => fixture('tool-turn.ndjson'));
    const command = [process.execPath, CTXB, 'replay', ...args, ...files];
    const shell = spawn('sh', ['-c', '"$@" | head -1', 'sh', ...command], {
      cwd: place.cwd,
      env: place.env,
      stdio: 'pipe',
    });
    const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toBe('');
  },
);

it('refuses an impossible level', async () => {
  await using place = await createPlace();
  const run = await ctxb(place, ['replay', '--compact-at', '140%', fixture('tool-turn.ndjson')]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('--compact-at: expected');
});

it.skipIf(process.platform !== 'linux').each([
  { name: 'report', args: ['replay', '--csv', fixture('tool-turn.ndjson')] },
  { name: 'status line', args: ['statusline'] },
])('ends with 2 and a message if $name cannot be written', async ({ args }) => {
  await using place = await createPlace();
  const command = [process.execPath, CTXB, ...args];
  const shell = spawn('sh', ['-c', '"$@" > /dev/full', 'sh', ...command], { cwd: place.cwd, env: place.env });
  shell.stdin.end();
  const ended = new Promise((resolve) => shell.once('close', resolve));
  expect(await text(shell.stderr)).toMatch(/^ctxb: stdout cannot be written: ENOSPC/);
  expect(await ended).toBe(2);
});

it('a tool may be called like a property of every object', async () => {
  await using place = await createPlace();
  const call = (id: string, name: string, input: number) => ({
    type: 'assistant',
    message: {
      ...{
        id,
        role: 'assistant',
        model: 'claude-opus-4-5',
        content: [{ type: 'tool_use', id: `t${id}`, name, input: {} }],
      },
      usage: { input_tokens: input, output_tokens: 5 },
    },
  });
  const result = (id: string) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${id}`, content: 'x'.repeat(4_000) }] },
  });
  const lines = [
    call('1', '__proto__', 1_000),
    result('1'),
    call('2', 'constructor', 2_000),
    result('2'),
    call('3', 'Read', 3_000),
  ];
  const file = await place.file('run.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const rows = (await ctxb(place, ['replay', '--ndjson', file])).stdout.toString().trimEnd().split('\n');
  expect(rows.map((row) => JSON.parse(row).added_tools > 500)).toEqual([false, true, true]);
  const detail = (await ctxb(place, ['replay', '--detail', file])).stdout.toString();
  expect(detail).toMatch(
    /grew by .*__proto__ [\d,]+.*constructor [\d,]+|grew by .*constructor [\d,]+.*__proto__ [\d,]+/,
  );
});

describe('several sessions', () => {
  const LOGS = ['crossing.session.jsonl', 'native-mid-turn.session.jsonl', 'subagent.session.jsonl'];

  async function withLogs(place: Place): Promise<void> {
    const project = place.path('.claude/projects/-home-dev-project');
    for (const name of [...LOGS, 'subagent.session'])
      await cp(fixture(name), `${project}/${name}`, { recursive: true });
  }

  it("are all of claude's logs by default at a terminal", async () => {
    await using place = await createPlace();
    await withLogs(place);
    const env = { ...place.env, LC_ALL: 'C.UTF-8' };
    await using terminal = atTerminal(quoted([process.execPath, CTXB, 'replay']), { env, cwd: place.cwd });
    const shown = await terminal.shows(/3sessions.*\$/);
    expect(shown).toMatch(/firstprompt.*Countthefileswithasubagent.*Begin\..*Dotheverylongthing/);
    expect(await terminal.ended).toBe(0);
  });

  it('are all counted if only some are shown', async () => {
    await using place = await createPlace();
    await withLogs(place);
    const json = async (...args: readonly string[]) => {
      const run = await ctxb(place, ['replay', '--json', ...args, '.claude/projects']);
      return JSON.parse(run.stdout.toString());
    };
    for (const more of [['--retention'], ['--what-if'], ['--by', 'day']]) {
      const { sessions: all, ...whole } = await json(...more);
      const { sessions: some, ...part } = await json('--limit', '1', ...more);
      expect([all.length, some.length]).toEqual([3, 1]);
      expect(part).toEqual(whole);
    }
    const { stdout } = await ctxb(place, ['replay', '--markdown', '--limit', '1', '.claude/projects']);
    expect(stdout.toString()).toContain('**3 sessions**');
  });

  it('are limited and summed as requested', async () => {
    await using place = await createPlace();
    await withLogs(place);
    const rows = async (...args: readonly string[]) => {
      const run = await ctxb(place, ['replay', ...args, '.claude/projects']);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      return run.stdout.toString().trimEnd().split('\n');
    };
    const calls = (lines: readonly string[]) => lines.slice(1, 4).map((line) => Number(line.split(/ +/).at(-2)));
    expect(await rows('--limit', '2')).toHaveLength(6);
    expect((await rows('--by', 'project')).slice(1)).toEqual([
      expect.stringMatching(/^project +3 +1 +\d+ +\$/),
      expect.stringMatching(/^[-─]+$/),
      expect.stringMatching(/^1 project +3 +1 +\d+ +\$/),
    ]);
    const { sums, by } = JSON.parse((await rows('--json', '--by', 'day')).join('\n'));
    expect([by, sums.reduce((sum: number, { calls: count }: { calls: number }) => sum + count, 0)]).toEqual([
      'day',
      calls(await rows()).reduce((sum, count) => sum + count, 0),
    ]);
  });
});
