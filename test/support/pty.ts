import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program at a terminal of 120 columns. */
export interface AtTerminal extends AsyncDisposable {
  /** Types it, as from a keyboard. */
  type(text: string): void;
  /**
   * Resolves with what was written since the last time up to where it fits; the rest is for the next time. Rejects when
   * the program ends before. Blanks are left out, as programs jump over them, and so may be what stood in its place before.
   */
  shows(fits: RegExp): Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** What a terminal is told beside the text: colours, places, titles. */
const ESCAPES = /\u001b(?:\[[0-9;?>=]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9]|[=>78M])/g;
/** @param command a line for the shell */
export function atTerminal(
  command: string,
  { env, cwd }: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): AtTerminal {
  const shell = `stty cols 120 rows 40; ${command}`;
  const program = spawn('script', ['-qfec', shell, '/dev/null'], { env: { ...env, TERM: 'xterm-256color' }, cwd });
  let raw = '';
  let taken = 0;
  let changed = () => {};
  let isOver = false;
  const ended = once(program, 'close').then(([code]) => {
    isOver = true;
    changed();
    return code as number | null;
  });
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    raw += chunk;
    changed();
  });
  program.stdin.on('error', () => {});
  const text = () => raw.replace(ESCAPES, '').replace(/\s+/g, '');

  return {
    type: (keys) => void program.stdin.write(keys),
    shows: (fits) =>
      new Promise((resolve, reject) => {
        changed = () => {
          const shown = text().slice(taken);
          const found = fits.exec(shown);
          if (found) {
            const length = found.index + found[0].length;
            taken += length;
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
