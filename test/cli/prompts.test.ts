import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROTOCOL } from '../support/ctxb.ts';
import { inSoak, sized } from '../support/size.ts';
import { createPlace, inputLines, inputOf, type Place, runFake, STREAM, startFake } from './fakes.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The user lines that claude got. */
function promptsTo(place: Place): Record<string, unknown>[] {
  return inputLines(place).filter((line) => line.type === 'user');
}

function contentsTo(place: Place): unknown[] {
  return promptsTo(place).map(({ message }) => (message as { content: unknown }).content);
}

interface PromptCase {
  readonly title: string;
  readonly flags?: readonly string[];
  readonly claude?: readonly string[];
  readonly stdin?: string;
  readonly prompts: readonly unknown[];
}

const CASES: readonly PromptCase[] = [
  { title: 'an argument', claude: ['-p', 'one'], prompts: ['one'] },
  { title: 'an argument without -p', claude: ['one'], prompts: ['one'] },
  { title: 'an argument after --', claude: ['-p', '--', '--not-an-option'], prompts: ['--not-an-option'] },
  { title: 'stdin', stdin: 'from stdin\n', prompts: ['from stdin\n'] },
  { title: 'stdin that looks like JSON', stdin: '{"type":"user"}', prompts: ['{"type":"user"}'] },
  {
    title: 'an argument and stdin',
    claude: ['-p', 'review this'],
    stdin: '  a\r\nb\n\n',
    prompts: ['review this\n  a\r\nb\n\n'],
  },
  { title: 'characters of several bytes', claude: ['-p', '日本'], stdin: '🙂', prompts: ['日本\n🙂'] },
  { title: '--prompt', flags: ['--prompt', 'one'], prompts: ['one'] },
  { title: '--prompt twice', flags: ['--prompt', 'one', '--prompt', 'two'], prompts: ['one', 'two'] },
  { title: '--prompt=…', flags: ['--prompt=--one'], prompts: ['--one'] },
  { title: 'an argument before --prompt', flags: ['--prompt', 'two'], claude: ['-p', 'one'], prompts: ['one', 'two'] },
  { title: '--prompt, and an empty stdin', flags: ['--prompt', 'one'], stdin: '', prompts: ['one'] },
  { title: 'a prompt of several lines', flags: ['--prompt', 'one\ntwo'], prompts: ['one\ntwo'] },
  { title: 'a large prompt', stdin: 'x'.repeat(1_000_000), prompts: ['x'.repeat(1_000_000)] },
];

describe('prompts reach claude, one turn each', () => {
  it.each(CASES)('$title', async ({ flags = [], claude = [], stdin, prompts }) => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake: 'answers',
      flags,
      claude,
      env: { PLAY_INPUT: place.path('input') },
      ...(stdin === undefined ? {} : { stdin }),
    });
    expect(run.code).toBe(0);
    expect(contentsTo(place)).toEqual(prompts);
    for (const { uuid } of promptsTo(place)) expect(uuid).toMatch(UUID);
  });

  it('a prompt has the form that claude documents', async () => {
    await using place = await createPlace();
    await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'], env: { PLAY_INPUT: place.path('input') } });
    expect(promptsTo(place)).toEqual([
      {
        type: 'user',
        message: { role: 'user', content: 'one' },
        parent_tool_use_id: null,
        session_id: '',
        uuid: expect.stringMatching(UUID),
      },
    ]);
  });
});

describe('text on stdin that does not belong to a prompt', () => {
  it('is refused before a prompt is sent, with the remedy', async () => {
    await using place = await createPlace();
    const env = { PLAY_INPUT: place.path('input') };
    const run = await runFake(place, {
      fake: 'answers',
      flags: ['--prompt', 'one'],
      claude: ['-p'],
      stdin: 'log',
      env,
    });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^ctxb: the text on stdin is not sent, .*\(claude -p "…" reads both\), .*\/dev\/null$/m);
    expect(existsSync(place.path('input')) ? contentsTo(place) : []).toEqual([]);
  });

  it('is not awaited on a pipe that stays open', async () => {
    await using place = await createPlace();
    const { code, stderr } = await startFake(place, { fake: 'answers', flags: ['--prompt', 'one'] }).finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('--prompts FILE', () => {
  it('takes JSON strings and user lines, and skips blank lines', async () => {
    await using place = await createPlace();
    const blocks = [{ type: 'text', text: 'three' }];
    const content = [
      '"one"',
      '',
      '   ',
      '{"type":"user","message":{"role":"user","content":"two"}}',
      `{"type":"user","uuid":"0f4e9d1c-7b25-4b51-9d52-1c1d3e2f4a5b","message":{"role":"user","content":${JSON.stringify(blocks)}}}`,
      '"four\\nlines"',
    ];
    const file = await place.file('prompts.ndjson', `${content.join('\r\n')}\n\n`);
    const env = { PLAY_INPUT: place.path('input') };
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', file], env });
    expect(run.code).toBe(0);
    expect(contentsTo(place)).toEqual(['one', 'two', blocks, 'four\nlines']);
    expect(promptsTo(place)[2]?.uuid).toBe('0f4e9d1c-7b25-4b51-9d52-1c1d3e2f4a5b');
  });

  inSoak('comes after the argument and --prompt', async () => {
    await using place = await createPlace();
    const file = await place.file('prompts.ndjson', '"three"\n');
    const env = { PLAY_INPUT: place.path('input') };
    await runFake(place, {
      fake: 'answers',
      flags: ['--prompts', file, '--prompt', 'two'],
      claude: ['-p', 'one'],
      env,
    });
    expect(contentsTo(place)).toEqual(['one', 'two', 'three']);
  });

  it('is read from the work folder', async () => {
    await using place = await createPlace();
    await place.file('prompts.ndjson', '"one"\n');
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', 'prompts.ndjson'] });
    expect(run.stdout.toString()).toBe('answer to one\n');
  });

  it('is stdin if it is named -', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', '-'], stdin: '"one"\n"two"\n' });
    expect(run.stdout.toString()).toBe('answer to one\nanswer to two\n');
  });

  it.each(['prompts.ndjson', '-'])('%s may have a byte order mark on each line, as joined files have', async (path) => {
    await using place = await createPlace();
    const text = '\ufeff"one"\r\n\ufeff"two"\r\n';
    await place.file('prompts.ndjson', text);
    const stdin = path === '-' ? text : '';
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', path], stdin });
    expect(run.stdout.toString()).toBe('answer to one\nanswer to two\n');
  });

  it('is refused on stdin if it is too long', async () => {
    await using place = await createPlace();
    const stdin = `"${'x'.repeat(64 * 1024 * 1024)}"\n`;
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', '-'], stdin });
    expect(run.stderr).toContain('--prompts -: cannot be read (expected at most 67108864 bytes, found more)');
    expect(run.stdout.toString()).toBe('');
  });

  it.each([
    { title: 'text that is not JSON', line: 'fix the bug' },
    { title: 'a number', line: '42' },
    { title: 'null', line: 'null' },
    { title: 'an array', line: '["one"]' },
    { title: 'an object of another type', line: '{"type":"result"}' },
    { title: 'an object without type', line: '{"prompt":"one"}' },
    { title: 'a user line without message', line: '{"type":"user"}' },
    { title: 'a cut line', line: '{"type":"user","message":{"role":"us' },
    { title: 'an empty prompt', line: '""' },
  ])('names the line that is $title, and starts nothing', async ({ line }) => {
    await using place = await createPlace();
    const file = await place.file('prompts.ndjson', `"one"\n\n${line}\n"four"\n`);
    const env = { PLAY_INPUT: place.path('input') };
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', file], env });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`${file}:3: `);
    expect(run.stdout.toString()).toBe('');
    await expect(inputOf(place)).rejects.toThrow('ENOENT');
  });

  it.each([
    { title: 'not there', name: 'missing.ndjson' },
    { title: 'a folder', name: '.' },
  ])('cannot be read when it is $title: exit 2', async ({ name }) => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', place.path(name)] });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`--prompts ${place.path(name)}: cannot be read`);
  });

  it('an empty file is refused', async () => {
    await using place = await createPlace();
    const file = await place.file('prompts.ndjson', '\n\n');
    const run = await runFake(place, { fake: 'answers', flags: ['--prompts', file] });
    expect(run.code).toBe(2);
  });
});

describe('refused prompts', () => {
  it.each([{ flags: ['--prompt', 'one'] }, { flags: ['--prompts', 'file'] }])(
    '$flags with --input-format stream-json',
    async ({ flags }) => {
      await using place = await createPlace();
      const run = await runFake(place, { fake: 'answers', flags, claude: PROTOCOL });
      expect(run.code).toBe(2);
      expect(run.stderr).toContain('--input-format stream-json');
    },
  );

  it.each([
    { title: 'nothing at all', claude: ['-p', '--output-format', 'json'], stdin: '' },
    { title: 'blanks as the argument', claude: ['-p', ' \n'], stdin: '' },
    { title: 'blanks on stdin', claude: ['--continue'], stdin: '  \n' },
  ])('no prompt, but $title: claude gets it unchanged and reports the fault itself', async (given) => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'refuses', ...given });
    const { claude: args, stdin } = given;
    expect(run).toMatchObject({ code: 1, stderr: `Error: no prompt in ${JSON.stringify({ args, stdin })}\n` });
  });

  it('claude reports an unknown option before a word', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'refuses', claude: ['-p', '--brand-new', 'fix it'] });
    expect(run).toMatchObject({ code: 1, stderr: "error: unknown option '--brand-new'\n" });
  });

  it('refuses a word that may be the value of an option unknown to ctxb', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', claude: ['-p', '--brand-new', 'fix it'] });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--brand-new');
    expect(run.stderr).toContain('--prompt');
    expect(run.stderr).toContain('fix it');
  });

  inSoak('accepts --brand-new=…', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', claude: ['-p', '--brand-new=1', 'fix it'] });
    expect(run.stdout.toString()).toBe('answer to fix it\n');
  });
});

describe('lines of a caller that speaks the protocol', () => {
  const HAND_WRITTEN = '{ "message" : {"role":"user", "content":"a } b \\u00e9"},"type":"user" , "n":1.0 }';
  const OWN_UUID =
    '{"type":"user","uuid":"0f4e9d1c-7b25-4b51-9d52-1c1d3e2f4a5b","message":{"role":"user","content":"x"}}';
  const BLOCKS =
    '{"type":"user","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"text","text":"what is it"}]},"parent_tool_use_id":null,"session_id":""}';

  it.each([
    { title: 'a prompt gets only a uuid', line: HAND_WRITTEN },
    { title: 'content blocks are kept', line: BLOCKS },
  ])('$title', async ({ line }) => {
    await using place = await createPlace();
    await runFake(place, {
      fake: 'answers',
      claude: PROTOCOL,
      stdin: `${line}\n`,
      env: { PLAY_INPUT: place.path('input') },
    });
    const got = (await inputOf(place)).split('\n').find((text) => text.includes('"user"'));
    const [, uuid] = /,"uuid":"([^"]*)"/.exec(got ?? '') ?? [];
    expect(uuid).toMatch(UUID);
    expect(got?.replace(`,"uuid":"${uuid}"`, '')).toBe(line);
  });

  it('keeps the uuid of the caller, byte for byte', async () => {
    await using place = await createPlace();
    const env = { PLAY_INPUT: place.path('input') };
    await runFake(place, { fake: 'answers', claude: PROTOCOL, stdin: `${OWN_UUID}\n`, env });
    expect((await inputOf(place)).split('\n')).toContain(OWN_UUID);
  });

  it.each([
    { title: 'an empty uuid', line: '{"type":"user","uuid":"","message":{"role":"user","content":"x"}}' },
    { title: 'a uuid that is null', line: '{"type":"user","uuid":null,"message":{"role":"user","content":"x"}}' },
    { title: 'no newline at the end', line: '{"type":"user","message":{"role":"user","content":"x"}}' },
  ])('a prompt with $title reaches claude once, with one valid uuid', async ({ line }) => {
    await using place = await createPlace();
    await runFake(place, { fake: 'answers', claude: PROTOCOL, stdin: line, env: { PLAY_INPUT: place.path('input') } });
    expect(promptsTo(place)).toEqual([expect.objectContaining({ message: { role: 'user', content: 'x' } })]);
    if (!line.includes('uuid')) expect(promptsTo(place)[0]?.uuid).toMatch(UUID);
  });

  it('passes other lines on unchanged, in order', async () => {
    await using place = await createPlace();
    const lines = ['not json', '', '{"type":"brand_new"}', BLOCKS];
    const env = { PLAY_INPUT: place.path('input') };
    await runFake(place, { fake: 'answers', claude: PROTOCOL, stdin: `${lines.join('\n')}\n`, env });
    const got = (await inputOf(place)).split('\n').filter((line) => !line.includes('"ctxb:'));
    expect(got.slice(0, 3)).toEqual(lines.slice(0, 3));
  });

  it('answers many simultaneous prompts in order, each once', async () => {
    await using place = await createPlace();
    const texts = Array.from({ length: sized(60, 200) }, (_, number) => `prompt ${number}`);
    const lines = texts.map((content) => JSON.stringify({ type: 'user', message: { role: 'user', content } }));
    const env = { PLAY_INPUT: place.path('input') };
    const run = await runFake(place, { fake: 'answers', claude: PROTOCOL, stdin: `${lines.join('\n')}\n`, env });
    expect(run.code).toBe(0);
    expect(contentsTo(place)).toEqual(texts);
  });
});

inSoak('claude gets its own arguments and ours, without the prompt', async () => {
  await using place = await createPlace();
  const claude = ['-p', 'one', '--model', 'claude-sonnet-4-5', ...STREAM];
  const run = await runFake(place, { fake: 'shows-arguments', claude });
  expect(JSON.parse(run.stdout.toString())).toMatchObject({ args: [...PROTOCOL, '--model', 'claude-sonnet-4-5'] });
});
