import type { Writable } from 'node:stream';
import type { Decision } from '../governor/actions.ts';
import type { GovernorState } from '../governor/state.ts';
import { decisionText, isRoutine, observedText } from '../messages.ts';
import { CLEAR_LINE } from './clear-line.ts';
import { createClosingFigures } from './closing-text.ts';
import { onOneLine } from './shown.ts';
import { statusLine } from './status-line.ts';
import type { Style } from './style.ts';

/** What ctxb says to a person, on stderr: notices, claude's own stderr, and a status line that stays at the bottom. */
export interface Terminal {
  /** A line of ctxb's own. */
  notice(text: string): void;
  /** What was decided, if a person need hear of it. */
  decision(decision: Decision): void;
  /** A line of claude's stderr. */
  relay(line: string): void;
  /** Redraws the status line, if it changed. */
  status(state: GovernorState): void;
  /** What there is to say at the end of a session. */
  ended(state: GovernorState): void;
  /** Takes the status line away before something else is written to the same terminal. */
  clear(): void;
}

export interface TerminalOptions {
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  readonly style: Style;
  readonly quiet: boolean;
  readonly statusLine: 'auto' | 'always' | 'never';
  /** Decisions are only noted, and not carried out. */
  readonly observe?: boolean;
}

const ESCAPES = /\u001b\[[0-9;]*m/g;

export function createTerminal({ stderr, style, quiet, statusLine: wanted, observe }: TerminalOptions): Terminal {
  const drawsStatus = !quiet && (wanted === 'always' || (wanted === 'auto' && stderr.isTTY === true));
  const closing = createClosingFigures();
  let text = '';
  let shown = false;
  // A reader of stderr that went away must not end the run.
  stderr.on('error', () => {});

  function clear(): void {
    if (shown) stderr.write(CLEAR_LINE);
    shown = false;
  }

  function draw(): void {
    if (!drawsStatus || text === '') return;
    stderr.write(`${CLEAR_LINE}${text}`);
    shown = true;
  }

  function line(content: string): void {
    clear();
    stderr.write(`${content}\n`);
    draw();
  }

  function notice(content: string): void {
    if (!quiet) line(`${style.dim('ctxb:')} ${onOneLine(content)}`);
  }

  return {
    notice,
    decision: (decision) => {
      closing.add(decision);
      if (!isRoutine(decision)) notice(observe ? observedText(decision) : decisionText(decision));
    },
    relay: line,
    status(state) {
      if (!drawsStatus) return;
      const next = shorten(statusLine(state, style), stderr.columns ?? 120);
      if (next === text && shown) return;
      text = next;
      draw();
    },
    ended(state) {
      clear();
      // Nobody takes it away any more: what is said from now on stands alone.
      text = '';
      for (const said of closing.texts(state.notes)) notice(said);
    },
    clear,
  };
}

/** A line that wraps could not be taken away again, so one that is too long loses its colours and its end. */
function shorten(line: string, columns: number): string {
  const plain = line.replace(ESCAPES, '');
  return plain.length < columns ? line : `${plain.slice(0, Math.max(0, columns - 2))}…`;
}
