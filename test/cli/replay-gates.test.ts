import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb } from './fakes.ts';

const COMPACT = fixture('compact.ndjson');
const NATIVE = fixture('native-mid-turn.session.jsonl');
const SMALL = fixture('tool-turn.ndjson');

describe('gates', () => {
  it.each(
    sampled(
      [
        { args: ['--fail-over', '85%', '--max-compactions', '1', '--max-unplanned', '1', '--max-cost', '1'], says: [] },
        {
          args: ['--fail-over', '75%'],
          says: [`${COMPACT} (session 2ca20535-eb66-43be-96ec-4185d43d4749): call 3 had a`],
        },
        { args: ['--fail-over', '.75'], says: ['over 75%'] },
        { args: ['--fail-over', '150000'], says: ['over 150,000'] },
        { args: ['--max-compactions', '0'], says: [`${COMPACT} `, `${NATIVE} `] },
        {
          args: ['--max-unplanned', '0'],
          says: [`${NATIVE} (session 0f6be75f-5fff-46e9-b95e-98a47f248929): 1 compaction by`],
        },
        { args: ['--max-cost', '0.60'], says: ['it cost $0.71, more than $0.60: beyond that by call 3'] },
        { args: ['--max-cost', '0.6', '--json'], says: ['beyond that by call 3'] },
      ],
      2,
    ),
  )('$args', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', ...args, COMPACT, NATIVE, SMALL]);
    expect(run.code).toBe(says.length === 0 ? 0 : 3);
    const verdict = says.length === 0 ? 'gates passed: 3 sessions' : `${says.length} of 3 sessions do`;
    expect(run.stderr.split('\n').filter(Boolean)).toEqual(
      [verdict, ...says].map((said) => expect.stringContaining(said)),
    );
    // The report comes all the same, and has nothing that was not asked for.
    expect(run.stdout.toString()).toContain(SMALL.slice(-16));
    expect(run.stdout.toString()).not.toContain('"series"');
  });

  it.each(
    sampled(
      [
        { title: 'an empty folder', files: ['empty'] },
        { title: 'an empty recording', files: ['empty.ndjson'] },
        { title: 'an empty recording on stdin', files: ['-'] },
        { title: 'sessions that are too old', files: ['--since', '9999-01-01', COMPACT] },
        { title: 'a folder without a recording', files: ['others'] },
        { title: 'a session without a call', files: ['no-call.ndjson'] },
      ],
      3,
    ),
  )('fail for $title, unless that is permitted', async ({ files }) => {
    await using place = await createPlace();
    for (const folder of ['empty', 'others']) mkdirSync(place.path(folder));
    await place.file('empty.ndjson', '');
    await place.file('no-call.ndjson', '{"type":"user","message":{"role":"user","content":"hello"}}\n');
    await place.file('others/log.ndjson', '{"level":30,"msg":"started"}\n');
    for (const gate of [
      ['--fail-over', '85%'],
      ['--max-compactions', '0'],
      ['--max-unplanned', '0'],
      ['--max-cost', '1'],
    ]) {
      const run = await ctxb(place, ['replay', ...gate, ...files]);
      expect(run).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('the gates had no session with a call to check'),
      });
    }
  });

  it.each(
    sampled(
      [
        { title: 'without a gate', args: [] },
        { title: 'with one', args: ['--max-cost', '1'] },
        { title: 'as JSON', args: ['--json'] },
        { title: 'with --what-if', args: ['--what-if'] },
        { title: 'one call explained', args: ['--explain', '1'] },
      ],
      3,
    ),
  )('refuses a named file that is not a recording, $title', async ({ args }) => {
    await using place = await createPlace();
    const file = await place.file('passwd', 'root:x:0:0:root:/root:/bin/sh\n');
    const run = await ctxb(place, ['replay', ...args, file]);
    const says = `ctxb: ${file}: no line is from claude (is it compressed?): claude writes such lines with --output-format stream-json --verbose\n`;
    expect({ ...run, stdout: run.stdout.toString() }).toMatchObject({ code: 2, stdout: '', stderr: says });
    const beside = await ctxb(place, ['replay', file, COMPACT]);
    expect(beside).toMatchObject({ code: 2, stderr: says });
    expect(beside.stdout.toString()).toContain(COMPACT.slice(-16));
    expect(beside.stdout.toString()).not.toContain('passwd');
  });

  it('omits other files of a folder', async () => {
    await using place = await createPlace();
    await place.file('log.ndjson', '{"level":30,"msg":"started"}\n');
    await place.file('run.ndjson', readFileSync(COMPACT));
    const run = await ctxb(place, ['replay', '--max-cost', '1', place.cwd]);
    expect(run).toMatchObject({
      code: 0,
      stderr: 'ctxb: skipped 1 file without a line from claude\nctxb: gates passed: 1 session\n',
    });
    expect(run.stdout.toString()).not.toContain('log.ndjson');
  });

  it('says how many compressed and rotated recordings of a folder it leaves out', async () => {
    await using place = await createPlace();
    for (const name of ['run.ndjson', 'run.ndjson.1', 'run.ndjson.bak']) await place.file(name, readFileSync(COMPACT));
    const run = await ctxb(place, ['replay', '--max-cost', '1', place.cwd]);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^ctxb: skipped 2 files such as \S+run\.ndjson\.(1|bak): in a folder, only \.jsonl and \.ndjson are read\nctxb: gates passed: 1 session\n$/,
    );
  });

  it('reads lines behind the time that a CI service writes', async () => {
    await using place = await createPlace();
    const lines = readFileSync(COMPACT, 'utf8').trim().split('\n');
    await place.file('ci.ndjson', lines.map((line) => `2026-04-25T12:00:00.0000000Z ${line}\n`).join(''));
    const peaks = [COMPACT, 'ci.ndjson'].map(async (file) => {
      const { stdout } = await ctxb(place, ['replay', '--json', file]);
      return JSON.parse(stdout.toString()).totals;
    });
    const [plain, prefixed] = await Promise.all(peaks);
    expect(prefixed).toEqual(plain);
  });

  it('a failed gate outranks an unreadable file', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--max-compactions', '0', 'missing.ndjson', COMPACT]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('missing.ndjson');
  });

  it.each(
    sampled(
      [
        { args: ['--fail-over', '85'], expected: 'a fraction of the window' },
        { args: ['--fail-over', '101%'], expected: 'a fraction of the window' },
        { args: ['--fail-over', '0'], expected: 'a fraction of the window' },
        { args: ['--fail-over', 'most'], expected: 'a fraction of the window' },
        { args: ['--max-compactions', '-1'], expected: 'whole number' },
        { args: ['--max-compactions', '1.5'], expected: 'whole number' },
        { args: ['--max-unplanned', ''], expected: 'whole number' },
        { args: ['--max-cost', '2,50'], expected: '2.50' },
        { args: ['--max-cost', '$2'], expected: '2.50' },
        { args: ['--since', 'yesterday'], expected: '3d or 12h' },
        { args: ['--since', '2026-13-01'], expected: '3d or 12h' },
        { args: ['--since', '2026-02-30'], expected: '3d or 12h' },
      ],
      3,
    ),
  )('$args is refused with the name of the option', async ({ args, expected }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', ...args, COMPACT]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`ctxb: ${args[0]}: expected `) });
    expect(run.stderr).toContain(expected);
    expect(run.stdout.toString()).toBe('');
  });
});

describe('a time', () => {
  it.each(
    sampled(
      [
        { args: ['--since', '3000w'], code: 0, says: '' },
        { args: ['--since', '2026-11-21T00:00Z'], code: 0, says: '' },
        { args: ['--since', '9999-01-01'], code: 0, says: 'none of 1 session is as new as --since' },
        {
          args: ['--since', '9999-01-01', '--max-compactions', '0'],
          code: 3,
          says: 'none of 1 session is as new as --since',
        },
      ],
      2,
    ),
  )('$args', async ({ args, code, says }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', ...args, COMPACT]);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(says);
    expect(run.stdout.toString() === '').toBe(says !== '');
  });
});

it('--markdown names the gates that were not passed', async () => {
  await using place = await createPlace();
  const run = await ctxb(place, ['replay', '--markdown', '--max-compactions', '0', COMPACT]);
  expect(run.code).toBe(3);
  const text = run.stdout.toString();
  expect(text).toContain('### Context of Claude Code\n\nGates that were not passed:\n\n- ');
  expect(text).toContain('| 80% | 5 | 1 | $0.71 |');
});

it.each([
  ['--csv', '--json'],
  ['--detail', '--markdown'],
  ['--json', '--ndjson', '--csv'],
])('refuses %s with %s', async (...formats) => {
  await using place = await createPlace();
  const run = await ctxb(place, ['replay', ...formats.filter(Boolean), COMPACT]);
  expect(run.code).toBe(2);
  for (const format of formats) expect(run.stderr).toContain(format);
  expect(run.stdout.toString()).toBe('');
});
