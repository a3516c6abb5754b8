import { describe, expect, it } from 'vitest';
import { inSoak, sampled } from '../support/size.ts';
import { createPlace, ctxb, fakeArguments, runFake, STREAM } from './fakes.ts';

const ESCAPE = /\u001b/;
/** Anything but printable characters, newline and the status line's own means. */
const CONTROL = /[\u0000-\u0008\u000b-\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/;

/** A context of 71 %: the warning is due, a compaction is not. */
const WARNED = { PLAY_CONTEXTS: '142000' };

describe('notices', () => {
  it('are lines that begin with ctxb:, without escape codes unless stderr is a terminal', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one', '--prompt', 'two'], env: WARNED });
    expect(run.stderr).toMatch(/^ctxb: warning: the context is 71% full \(142,\d{3} of 200,000 tokens, measured\)\n$/);
  });

  it('are omitted with --quiet', async () => {
    await using place = await createPlace();
    const flags = ['--quiet', '--status-line', 'always', '--prompt', 'one'];
    const run = await runFake(place, { fake: 'answers', flags, env: WARNED });
    expect(run.stderr).toBe('');
  });

  inSoak('are omitted with CTXB_QUIET=true', async () => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake: 'answers',
      flags: ['--prompt', 'one'],
      env: { ...WARNED, CTXB_QUIET: 'true' },
    });
    expect(run.stderr).toBe('');
  });

  it('do not change stdout', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'], env: WARNED });
    expect(run.stdout.toString()).toBe('answer to one\n');
  });

  it('name a prompt that claude would ignore', async () => {
    await using place = await createPlace();
    const claude = ['-p', '--input-format', 'stream-json', ...STREAM, 'ignored prompt'];
    const run = await runFake(place, { fake: 'answers', claude });
    expect(run.stderr).toContain('"ignored prompt" is ignored');
  });

  it('name the words that claude would ignore', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', claude: ['fix', 'the', 'bug'] });
    expect(run.stderr).toContain('ignored: the bug');
    expect(run.stdout.toString()).toBe('answer to fix\n');
  });
});

describe('the status line', () => {
  it('is drawn with --status-line always, and cleared before each line and at the end', async () => {
    await using place = await createPlace();
    const flags = ['--status-line', 'always', '--prompt', 'one', '--prompt', 'two'];
    const run = await runFake(place, { fake: 'answers', flags, claude: STREAM, env: WARNED });
    expect(run.stderr).toContain('142,');
    expect(run.stderr).toContain('\r\u001b[2Kctxb: warning: the context is 71% full');
    expect(run.stderr.endsWith('\r\u001b[2K')).toBe(true);
    // Nothing but the clearing: without a terminal there are no colors.
    expect(run.stderr.replaceAll('\r\u001b[2K', '')).not.toMatch(ESCAPE);
  });

  it.each([{ when: 'never' }, { when: 'auto' }])(
    'is not drawn with --status-line $when and no terminal',
    async ({ when }) => {
      await using place = await createPlace();
      const run = await runFake(place, { fake: 'answers', flags: ['--status-line', when, '--prompt', 'one'] });
      expect(run.stderr).toBe('');
    },
  );

  inSoak('has no colours with NO_COLOR', async () => {
    await using place = await createPlace();
    const flags = ['--status-line', 'always', '--prompt', 'one'];
    const run = await runFake(place, {
      fake: 'answers',
      flags,
      env: { NO_COLOR: '1', FORCE_COLOR: '1', TERM: 'xterm' },
    });
    expect(run.stderr).not.toMatch(/\u001b\[[0-9;]*m/);
  });

  inSoak('refuses another value', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--status-line', 'allways', '--prompt', 'one'] });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('did you mean "always"?');
  });
});

describe('text from elsewhere cannot control the terminal', () => {
  const EVIL = '\u001b[31m\u001b]0;owned\u0007\u009b2J\rred\u0000';

  it('a model name', async () => {
    await using place = await createPlace();
    const flags = ['--status-line', 'always', '--prompt', 'one', '--prompt', 'two'];
    const run = await runFake(place, { fake: 'answers', flags, env: { ...WARNED, PLAY_MODEL: 'x\u001b[31m\u0007' } });
    expect(run.stderr.replaceAll('\r\u001b[2K', '')).not.toMatch(ESCAPE);
    expect(run.stderr).not.toMatch(CONTROL);
  });

  it("claude's error text", async () => {
    await using place = await createPlace();
    const env = { PLAY_CONTEXTS: '160000', PLAY_ERROR: `Error: ${EVIL.replaceAll('\u0000', '')} end` };
    const run = await runFake(place, { fake: 'compact-fails', flags: ['--prompt', 'one', '--prompt', 'two'], env });
    expect(run.stderr).toContain('not compacted (failed)');
    expect(run.stderr).not.toMatch(ESCAPE);
    expect(run.stderr).not.toMatch(CONTROL);
    expect(run.stderr).not.toContain('\r');
  });

  it("the caller's own ignored words", async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', claude: ['fix', EVIL.replaceAll('\u0000', '')] });
    expect(run.stderr).toContain('ignored:');
    expect(run.stderr).not.toMatch(ESCAPE);
  });

  it.each([
    { title: 'an unknown command', args: [EVIL.replaceAll('\u0000', '')] },
    { title: 'a missing program', args: ['run', '--prompt', 'x', '--', '/no/such/\u001b[31mclaude'] },
    { title: 'a missing file', args: ['replay', '/no/such/\u001b[31mfile'] },
  ])('$title', async ({ args }) => {
    await using place = await createPlace();
    const run = await ctxb(place, args);
    expect(run.code).not.toBe(0);
    expect(run.stderr).not.toMatch(ESCAPE);
  });
});

describe("claude's own stderr", () => {
  it.each(
    sampled(
      [
        { title: 'lines', said: 'one\ntwo\n', stderr: 'one\ntwo\n' },
        { title: 'blank lines', said: 'one\n\n\ntwo\n', stderr: 'one\n\n\ntwo\n' },
        { title: 'no newline at the end', said: 'one\ntwo', stderr: 'one\ntwo\n' },
        { title: 'characters of several bytes', said: '日本 🙂\n', stderr: '日本 🙂\n' },
        { title: 'a long line', said: `${'x'.repeat(300_000)}\n`, stderr: `${'x'.repeat(300_000)}\n` },
      ],
      3,
    ),
  )('is relayed line by line: $title', async ({ said, stderr }) => {
    await using place = await createPlace();
    const file = await place.file('said', said);
    const run = await runFake(place, { fake: 'writes-stderr', flags: ['--prompt', 'one'], env: { PLAY_FILE: file } });
    expect(run.stderr).toBe(stderr);
    expect(run.stdout.toString()).toBe('answer to one\n');
  });

  it('is relayed with --quiet too', async () => {
    await using place = await createPlace();
    const file = await place.file('said', 'a warning of claude\n');
    const run = await runFake(place, {
      fake: 'writes-stderr',
      flags: ['--quiet', '--prompt', 'one'],
      env: { PLAY_FILE: file },
    });
    expect(run.stderr).toBe('a warning of claude\n');
  });
});

it('one line at the end of a run sums it up', async () => {
  await using place = await createPlace();
  const { code, stderr } = await ctxb(place, fakeArguments({ fake: 'answers', flags: ['--prompt', 'one'] }));
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(
      /^ctxb: 1 turn, 1 call in \d+\.\d s; largest call \S+ of 200k tokens \(\d+%\); \$\d\.\d+; notes: \.context\/sessions\/\S+\n$/,
    ),
  });
});
