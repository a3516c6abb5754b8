import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Decision } from '../../src/core/governor/decisions.ts';
import { initialState } from '../../src/core/governor/initial-state.ts';
import { PLAIN } from '../../src/report/style.ts';
import { createTerminal, type Terminal, type TerminalOptions } from '../../src/report/terminal/terminal.ts';
import { runWith } from '../support/governor.ts';

const CLEAR = '\r\u001b[2K';

const RUN = runWith({ policy: DEFAULTS });
const STATE = initialState(RUN);
const CHANGED = initialState({ ...RUN, policy: { ...DEFAULTS, window: 1_000_000 } });

function screen({
  isTTY = true,
  columns = 120,
  ...more
}: Partial<TerminalOptions> & { isTTY?: boolean; columns?: number } = {}) {
  let shown = '';
  const stderr = Object.assign(
    new Writable({
      write(chunk, _, done) {
        shown += String(chunk);
        done();
      },
    }),
    { isTTY, columns },
  );
  const terminal = createTerminal({ stderr, style: PLAIN, quiet: false, statusLine: 'auto', ...more });
  const take = () => {
    const text = shown;
    shown = '';
    return text;
  };
  return { terminal, take, stderr };
}

describe('the status line', () => {
  it('is drawn, cleared before a line, and drawn again after it', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    const drawn = take();
    expect(drawn.startsWith(CLEAR)).toBe(true);
    expect(drawn).not.toContain('\n');
    terminal.notice('hello');
    expect(take()).toBe(`${CLEAR}ctxb: hello\n${drawn}`);
    terminal.relay('claude says');
    expect(take()).toBe(`${CLEAR}claude says\n${drawn}`);
  });

  it('is not drawn again while its text is the same', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    take();
    terminal.status(STATE);
    expect(take()).toBe('');
    terminal.status(CHANGED);
    expect(take()).toContain('1,000,000');
  });

  it('is cleared once, and drawn again when something happens', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    take();
    terminal.clear();
    terminal.clear();
    expect(take()).toBe(CLEAR);
    terminal.status(STATE);
    expect(take()).not.toBe('');
  });

  it('is cleared for good when the session is over', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    take();
    terminal.ended(STATE);
    terminal.notice('one word more');
    expect(take()).toBe(`${CLEAR}ctxb: one word more\n`);
  });

  it.each([{ columns: 10 }, { columns: 40 }, { columns: 80 }, { columns: 4 }])(
    'is never wider than $columns columns, with the ^C that a terminal shows behind it',
    ({ columns }) => {
      const { terminal, take } = screen({ columns });
      terminal.status(CHANGED);
      expect([...take().replace(CLEAR, ''), ...'^C'].length).toBeLessThan(columns);
    },
  );

  it.each([
    { title: 'no terminal', options: { isTTY: false } },
    { title: 'never', options: { statusLine: 'never' } },
    { title: 'quiet', options: { quiet: true, statusLine: 'always' } },
  ] as const)('is not drawn: $title', ({ options }) => {
    const { terminal, take } = screen(options);
    terminal.status(STATE);
    terminal.clear();
    expect(take()).toBe('');
  });
});

describe('a question', () => {
  /** A person who answers when the test says so. */
  function asked(columns = 80) {
    const { terminal, take } = screen({ columns });
    terminal.status(STATE);
    take();
    let answer = (_: string) => {};
    const answered = terminal.ask('Go on? ', () => new Promise((resolve) => (answer = resolve)));
    return { terminal, take, answer: (typed: string) => answer(typed), answered };
  }

  it('replaces the status line', () => {
    expect(asked().take()).toBe(`${CLEAR}Go on? `);
  });

  it('is not overwritten by the status line, which returns after the answer', async () => {
    const { terminal, take, answer, answered } = asked();
    take();
    terminal.status(CHANGED);
    terminal.status(STATE);
    expect(take()).toBe('');
    terminal.status(CHANGED);
    answer('y');
    expect(await answered).toBe('y');
    expect(take()).toMatch(/^\r\u001b\[2K.*1,000,000/);
  });

  it.each([
    { title: 'a notice', say: ({ notice }: Terminal) => notice('hello'), said: 'ctxb: hello' },
    { title: "claude's stderr", say: ({ relay }: Terminal) => relay('claude says'), said: 'claude says' },
  ])('is repeated after other output: $title', ({ say, said }) => {
    const { terminal, take } = asked();
    take();
    say(terminal);
    expect(take()).toBe(`\n${said}\nGo on? `);
  });

  it("is repeated after output on claude's stdout", () => {
    const { terminal, take } = asked();
    take();
    terminal.clear();
    terminal.clear();
    expect(take()).toBe('\n');
    terminal.status(STATE);
    expect(take()).toBe('Go on? ');
  });

  it.each([
    { title: 'is taken back', end: async () => undefined },
    { title: 'cannot be read', end: () => Promise.reject(new Error('EIO')) },
  ])('that $title leaves its line to the next output', async ({ end }) => {
    const { terminal, take } = screen();
    terminal.notice('before');
    take();
    expect(await terminal.ask('Go on? ', end)).toBeUndefined();
    expect(take()).toBe('Go on? \n');
  });

  it('is asked even with --quiet', async () => {
    const { terminal, take } = screen({ quiet: true });
    await terminal.ask('Go on? ', async () => 'y');
    expect(take()).toBe('Go on? ');
  });
});

describe('lines', () => {
  it('of ctxb lose their control characters and stay on one line', () => {
    const { terminal, take } = screen();
    terminal.notice('a\u001b[31mb\u0007\nc\td\u009b2J\r');
    expect(take()).toBe('ctxb: a[31mb c d2J\n');
  });

  it('of ctxb are omitted with --quiet, lines from claude never', () => {
    const { terminal, take } = screen({ quiet: true });
    terminal.notice('hello');
    terminal.relay('claude says');
    expect(take()).toBe('claude says\n');
  });
});

it('a compaction in mid-turn is one line', () => {
  const { terminal, take } = screen();
  terminal.decision({ kind: 'mid-turn', of: 'prompts', promptUuids: ['a'] } as unknown as Decision);
  const native = { kind: 'native-compaction', how: 'summary', when: 'mid-turn', tokens: 72_300 };
  terminal.decision(native as Decision);
  const landed = { kind: 'landed', relief: 'compaction', native: 'mid-turn', freed: 42_300, gauge: { used: 30_000 } };
  terminal.decision(landed as Decision);
  expect(take()).toBe('ctxb: claude compacted mid-turn: 72k → 30k (−59%), by a summary\n');
});

it('a closed stderr does not end the run', () => {
  const { terminal, stderr } = screen();
  stderr.destroy(new Error('write EPIPE'));
  expect(() => terminal.notice('hello')).not.toThrow();
});
