import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readClaudeArguments } from '../../src/claude/claude-arguments.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { joinPrompt, readStdinText, watchUnreadStdin } from '../../src/run/prompt-text.ts';

function read(stdin: Readable & { isTTY?: boolean }, hasPrompt = false) {
  const notices: string[] = [];
  return { notices, text: readStdinText(stdin, hasPrompt, (text) => notices.push(text)) };
}

describe('piped text', () => {
  it.each([
    { title: 'text', chunks: ['one\r\n', 'two\n'], text: 'one\r\ntwo\n' },
    { title: 'a character cut in two', chunks: [Buffer.from([0xf0, 0x9f]), Buffer.from([0x99, 0x82])], text: '🙂' },
    { title: 'nothing', chunks: [], text: undefined },
    { title: 'blanks', chunks: [' \n'], text: ' \n' },
  ])('$title', async ({ chunks, text }) => {
    const stdin = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    expect(await read(stdin).text).toBe(text);
  });

  it('is not read from a terminal', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(await read(stdin).text).toBeUndefined();
  });

  it('does not count as empty if it is unreadable', async () => {
    const stdin = new PassThrough();
    const { text } = read(stdin);
    stdin.destroy(new Error('EIO'));
    await expect(text).rejects.toThrow('EIO');
  });
});

describe('text on stdin beside --prompt', () => {
  /** The check, and the notices. */
  function watch(stdin: Readable) {
    const notices: string[] = [];
    const invocation = readClaudeArguments(['-p']);
    if (invocation.kind !== 'headless') throw new Error('not headless');
    const run = { program: 'claude', invocation, config: DEFAULTS, prompts: ['one'] };
    return { notices, refuse: watchUnreadStdin(run, { stdin }, (text) => notices.push(text)) };
  }

  it('is refused', async () => {
    await expect(watch(Readable.from([Buffer.from('log')])).refuse()).rejects.toThrow('is not sent');
  });

  it('is named if it arrives later', async () => {
    const stdin = new PassThrough();
    const { refuse, notices } = watch(stdin);
    await refuse();
    expect(notices).toEqual([]);
    stdin.write('late');
    await vi.waitFor(() => expect(notices).toEqual([expect.stringContaining('is not sent')]));
  });

  it('may be missing', async () => {
    const { refuse, notices } = watch(Readable.from([]));
    await refuse();
    expect(notices).toEqual([]);
  });
});

describe('after 3 seconds of silence on stdin', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('a prompt from elsewhere is sent without it, with a notice', async () => {
    const { text, notices } = read(new PassThrough(), true);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(notices).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await text).toBeUndefined();
    expect(notices).toEqual([expect.stringContaining('continuing without it')]);
  });

  it('the wait continues if stdin is the only prompt, with a notice', async () => {
    const stdin = new PassThrough();
    const { text, notices } = read(stdin);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(notices).toEqual([expect.stringContaining('still waiting')]);
    stdin.end('late');
    expect(await text).toBe('late');
  });

  it('the wait continues if the first byte has arrived', async () => {
    const stdin = new PassThrough();
    const { text, notices } = read(stdin, true);
    stdin.write('a');
    await vi.advanceTimersByTimeAsync(60_000);
    stdin.end('b');
    expect(await text).toBe('ab');
    expect(notices).toEqual([]);
  });
});

it.each([
  { argument: 'a', piped: 'b\n', prompt: 'a\nb\n' },
  { argument: 'a', piped: undefined, prompt: 'a' },
  { argument: undefined, piped: 'b', prompt: 'b' },
  { argument: '', piped: 'b', prompt: 'b' },
  { argument: undefined, piped: undefined, prompt: undefined },
  { argument: '', piped: undefined, prompt: undefined },
])('$argument and $piped are $prompt', ({ argument, piped, prompt }) => {
  expect(joinPrompt(argument, piped)).toBe(prompt);
});
