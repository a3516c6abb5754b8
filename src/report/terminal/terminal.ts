import type { Writable } from 'node:stream';
import { agentTotals } from '../../core/governor/agents/agents.ts';
import { knownCostUsd, toUsd } from '../../core/governor/cost/cost.ts';
import type { Decision } from '../../core/governor/decisions.ts';
import { runningTool, silentSince } from '../../core/governor/process/stall.ts';
import { turnsBegun } from '../../core/governor/prompts/turns.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { isCompacting } from '../../core/governor/steps.ts';
import { resetOf } from '../../core/governor/waits/usage-limits.ts';
import type { Wait } from '../../core/governor/waits/waits-state.ts';
import { shorten } from '../../core/text/words.ts';
import { decisionText, isRoutine, observedText } from '../../messages.ts';
import { type Part, statusText } from '../../statusline/status-text.ts';
import { counted, dollars, duration } from '../figures.ts';
import { hanging } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import type { Style } from '../style.ts';
import { createClosingFigures } from './closing-figures.ts';
import { CLEAR_LINE } from './progress.ts';

export type Terminal = ReturnType<typeof createTerminal>;

export interface TerminalOptions {
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  readonly style: Style;
  readonly quiet: boolean;
  readonly statusLine: 'auto' | 'always' | 'never';
  /** Decisions are only reported, not carried out. */
  readonly observe?: boolean;
}

/** ctxb's output on stderr: notices, claude's own stderr, and a status line that stays at the bottom. */
export function createTerminal({ stderr, style, quiet, statusLine: wanted, observe }: TerminalOptions) {
  const drawsStatus = !quiet && (wanted === 'always' || (wanted === 'auto' && stderr.isTTY === true));
  const closing = createClosingFigures();
  const startedAt = performance.now();
  let text = '';
  let latest: GovernorState | undefined;
  let ticking: NodeJS.Timeout | undefined;
  /** Shown at the bottom instead of the status line. */
  let question: string | undefined;
  /** Whether the status line or the question is the last output. */
  let shown = false;
  // The run continues after stderr is closed.
  stderr.on('error', () => {});

  /** Clears the status line before other output. */
  function clear(): void {
    // A question may span several lines, and the user may be typing: move to a new line instead.
    if (shown) stderr.write(question === undefined ? CLEAR_LINE : '\n');
    shown = false;
  }

  function draw(): void {
    if (question !== undefined) {
      if (!shown) stderr.write(question);
      shown = true;
    } else if (drawsStatus && text !== '') {
      stderr.write(`${CLEAR_LINE}${text}`);
      shown = true;
    }
  }

  function relay(content: string): void {
    clear();
    stderr.write(`${content}\n`);
    draw();
  }

  function notice(content: string): void {
    if (!quiet) relay(hanging(style.dim('ctxb:'), onOneLine(content), stderr.columns));
  }

  function update(): void {
    if (latest === undefined) return;
    const next = statusLine(latest, style, (stderr.columns ?? 120) - ECHO.length - 1, Date.now());
    if (next === text && shown) return;
    text = next;
    draw();
  }

  return {
    notice,
    relay,
    clear,
    /** Prints a decision, unless it is routine. */
    decision(decision: Decision): void {
      closing.add(decision);
      if (!isRoutine(decision, observe)) notice(observe ? observedText(decision) : decisionText(decision));
    },
    /** Redraws the status line if it has changed. */
    status(state: GovernorState): void {
      if (!drawsStatus) return;
      latest = state;
      // Updates the duration of a silence while claude prints nothing.
      ticking ??= setInterval(update, TICK_MS).unref();
      update();
    },
    /** Prints the summary at the end of a session. @param record path of the record, if one was written */
    ended(state: GovernorState, record?: string): void {
      clearInterval(ticking);
      clear();
      // Stop drawing the status line.
      text = '';
      for (const text of closing.texts(state, { ms: performance.now() - startedAt, record })) notice(text);
    },
    /**
     * Asks the user a question. Until the answer arrives, the status line is hidden, and the question is printed again
     * after other output.
     *
     * @param answer resolves with the typed line, or undefined without an answer
     */
    async ask(asked: string, answer: () => Promise<string | undefined>): Promise<string | undefined> {
      clear();
      question = asked;
      draw();
      const typed = await answer().catch(() => undefined);
      // The user's Enter has already ended the line.
      if (typed === undefined) clear();
      question = undefined;
      shown = false;
      draw();
      return typed;
    },
  };
}

const TICK_MS = 30_000;

/** Terminals print this after Ctrl-C. The status line leaves room for it, because a wrapped line cannot be cleared. */
const ECHO = '^C';

/** The status line of a run: the parts of the status line in claude's terminal, and the current activity. */
export function statusLine(state: GovernorState, style: Style, width: number, now = state.facts.now): string {
  const { limits, turn } = state;
  const { wait } = state.limits;
  const agents = agentTotals(state);
  const urgent = (text: string): Part => ({ text, rank: 0, paint: style.yellow });
  const footer: Part[] = [
    ...(isCompacting(state) ? [{ text: 'compacting', rank: 1, paint: style.cyan }] : []),
    ...(wait === undefined || !wait.said ? [] : [urgent(waitPart(wait, now, resetOf(limits)))]),
    ...silenceText(state, now).map(urgent),
    ...(limits.cost.uncounted === 'all' ? [urgent('cost unknown')] : []),
    ...(agents.count === 0
      ? []
      : [{ text: `${counted(agents.count, 'agent')} ${dollars(toUsd(agents.microUsd))}`, rank: 5 }]),
    { text: `turn ${turnsBegun(turn)}`, rank: 6 },
  ];
  return statusText(state, knownCostUsd(state), style, width, footer);
}

function waitPart({ cause, until, phase }: Wait, now: number, reset: number | undefined): string {
  if (phase === 'over') return 'the API does not answer';
  if (cause !== 'limit') return 'the API does not answer: waiting';
  const time = duration(Math.max(0, until - now));
  return phase === 'claude' && reset === undefined
    ? `usage limit: claude tries again in ${time}`
    : `usage limit resets in ${time}`;
}

/** Shorter silences are normal: a model may think for a minute. */
const MIN_SILENCE_MS = 2 * 60_000;

/** Maximum length of a tool and its command, in code points. */
const TOOL_LENGTH = 40;

/** `no sign of life for 12 minutes`, or the running tool: `npm test for 12 minutes`. */
function silenceText(state: GovernorState, now: number): string[] {
  const tool = runningTool(state);
  const since = tool?.since ?? silentSince(state);
  if (since === undefined || now - since < MIN_SILENCE_MS || state.run.mode === 'replay') return [];
  const what = tool === undefined ? 'no sign of life' : shorten(onOneLine(tool.title), TOOL_LENGTH);
  return [`${what} for ${counted(Math.floor((now - since) / 60_000), 'minute')}`];
}
