import { spawn } from 'node:child_process';
import { once } from 'node:events';
import headless from '@xterm/headless';
import { onTestFailed } from 'vitest';

const { Terminal } = headless;

/** A program at a terminal of 120 columns. */
export interface AtTerminal extends AsyncDisposable {
  /** Types it, as from a keyboard. */
  type(text: string): void;
  /**
   * Resolves with what fits, up to its end, without blanks, as programs jump over them: of what was written since the
   * last time, or, where the program paints the whole screen, of what stands there. Rejects when the program ends before.
   */
  shows(fits: RegExp): Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

const [COLUMNS, ROWS] = [120, 40];

/** Escape sequences: colors, cursor positions, titles. */
const ESCAPES = /\u001b(?:\[[0-9;?>=]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9]|[=>78M])/g;
interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Output since the previous call. */
function written() {
  let raw = '';
  let taken = 0;
  return {
    async write(chunk: string) {
      raw += chunk;
    },
    text: () => raw.replace(ESCAPES, '').replace(/\s+/g, '').slice(taken),
    take(length: number) {
      taken += length;
    },
  };
}

/** The text on the screen. Programs that paint the whole screen write only changed characters. */
function painted() {
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  return {
    write: (chunk: string) => new Promise<void>((resolve) => terminal.write(chunk, resolve)),
    text() {
      const { active } = terminal.buffer;
      const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true));
      return lines.join('').replace(/\s+/g, '');
    },
    take() {},
  };
}

/** @param command a line for the shell */
export function atTerminal(command: string, { env, cwd }: Place, paints = false): AtTerminal {
  const shell = `stty cols ${COLUMNS} rows ${ROWS}; ${command}`;
  const program = spawn('script', ['-qfec', shell, '/dev/null'], { env: { ...env, TERM: 'xterm-256color' }, cwd });
  const seen = paints ? painted() : written();
  let changed = () => {};
  let isOver = false;
  const ended = once(program, 'close').then(([code]) => {
    isOver = true;
    changed();
    return code as number | null;
  });
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    void seen.write(chunk).then(() => changed());
  });
  program.stdin.on('error', () => {});
  onTestFailed(() => {
    console.error(`At the terminal, without blanks:\n${seen.text()}`);
    // Nothing disposes of what a test waits for that has taken too long.
    if (!isOver) program.kill('SIGKILL');
  });

  return {
    type: (keys) => void program.stdin.write(keys),
    shows: (fits) =>
      new Promise((resolve, reject) => {
        changed = () => {
          const shown = seen.text();
          const found = fits.exec(shown);
          if (found) {
            const length = found.index + found[0].length;
            seen.take(length);
            resolve(shown.slice(0, length));
          } else if (isOver) reject(new Error(`The program ended, and ${fits} was not shown: ${shown}`));
        };
        changed();
      }),
    ended,
    async [Symbol.asyncDispose]() {
      if (!isOver) program.kill('SIGKILL');
      await ended;
    },
  };
}
