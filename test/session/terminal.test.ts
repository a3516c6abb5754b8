import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { initialState } from '../../src/governor/state.ts';
import { PLAIN } from '../../src/report/style.ts';
import { createTerminal, type TerminalOptions } from '../../src/report/terminal.ts';
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
  it('is drawn, taken away before a line, and drawn again behind it', () => {
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

  it('is not drawn again while it says the same', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    take();
    terminal.status(STATE);
    expect(take()).toBe('');
    terminal.status(CHANGED);
    expect(take()).toContain('1,000,000');
  });

  it('is taken away once, and drawn again when something happens', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    take();
    terminal.clear();
    terminal.clear();
    expect(take()).toBe(CLEAR);
    terminal.status(STATE);
    expect(take()).not.toBe('');
  });

  it('is gone for good when the session is over', () => {
    const { terminal, take } = screen();
    terminal.status(STATE);
    take();
    terminal.ended(STATE);
    terminal.notice('one word more');
    expect(take()).toBe(`${CLEAR}ctxb: one word more\n`);
  });

  it.each([{ columns: 10 }, { columns: 40 }, { columns: 2 }])('is never wider than $columns columns', ({ columns }) => {
    const { terminal, take } = screen({ columns });
    terminal.status(STATE);
    expect([...take().replace(CLEAR, '')].length).toBeLessThan(columns);
  });

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

describe('lines', () => {
  it('of ours lose their control characters and stay one line', () => {
    const { terminal, take } = screen();
    terminal.notice('a\u001b[31mb\u0007\nc\td\u009b2J\r');
    expect(take()).toBe('ctxb: a[31mb c d2J\n');
  });

  it('of ours are left out when it is to be quiet, of claude never', () => {
    const { terminal, take } = screen({ quiet: true });
    terminal.notice('hello');
    terminal.relay('claude says');
    expect(take()).toBe('claude says\n');
  });
});

it('a reader of stderr that went away ends nothing', () => {
  const { terminal, stderr } = screen();
  stderr.destroy(new Error('write EPIPE'));
  expect(() => terminal.notice('hello')).not.toThrow();
});
