import { agentTotals } from '../../core/governor/agents/agents.ts';
import { isComputed, knownCostUsd, toUsd } from '../../core/governor/cost/cost.ts';
import { type Decision, type DecisionOf, finishedRelief } from '../../core/governor/decisions.ts';
import { peakShare } from '../../core/governor/gauge/model-windows.ts';
import { runningTool, silentSince } from '../../core/governor/process/stall.ts';
import { openPrompts } from '../../core/governor/prompts/mailbox.ts';
import { turnsBegun } from '../../core/governor/prompts/turns.ts';
import { isComparable, priceOfModel, savedUsd } from '../../core/governor/relief/accounts.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { isCompacting } from '../../core/governor/steps.ts';
import { resetOf, type Wait } from '../../core/governor/waits/waits-state.ts';
import { shorten } from '../../core/text/words.ts';
import type { Output } from '../../io.ts';
import { decisionText, isRoutine, leftUndoneText, observedText } from '../../messages.ts';
import { type Part, paintLine, statusParts } from '../../statusline/status-text.ts';
import { counted, dollars, duration, percent, roundedTokens, tokens } from '../figures.ts';
import { hangingIndent, presentLines } from '../layout.ts';
import { onOneLine } from '../printable.ts';
import type { Style } from '../style.ts';
import { CLEAR_LINE } from './progress.ts';

export type Terminal = ReturnType<typeof createTerminal>;

export interface TerminalOptions {
  readonly stderr: Output;
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
    if (!quiet) relay(hangingIndent(style.dim('ctxb:'), onOneLine(content), stderr.columns));
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
    decision(decision: Decision): void {
      closing.add(decision);
      if (!isRoutine(decision, observe)) notice(observe ? observedText(decision) : decisionText(decision));
    },
    status(state: GovernorState): void {
      if (!drawsStatus) return;
      latest = state;
      // Updates the duration of a silence while claude prints nothing.
      ticking ??= setInterval(update, TICK_MS).unref();
      update();
    },
    ended(state: GovernorState, end: Omit<RunEnd, 'ms'> = {}): void {
      clearInterval(ticking);
      clear();
      text = '';
      for (const text of closing.texts(state, { ms: performance.now() - startedAt, ...end })) notice(text);
    },
    /** Until the answer arrives, no status line is shown, and the question is repeated after other output. */
    async ask(asked: string, answer: () => Promise<string | undefined>) {
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
  const { wait } = limits;
  const agents = agentTotals(state);
  const urgent = (text: string): Part => ({ text, rank: 0, color: 'yellow' });
  const footer: Part[] = [
    ...(isCompacting(state) ? [{ text: 'compacting', rank: 1, color: 'cyan' } as const] : []),
    ...(wait.said ? [urgent(waitPart(wait, now, resetOf(limits)))] : []),
    ...silenceText(state, now).map(urgent),
    ...(limits.cost.uncounted === 'proved' && !limits.cost.known ? [urgent('cost unknown')] : []),
    ...(agents.count === 0
      ? []
      : [{ text: `${counted(agents.count, 'agent')} ${dollars(toUsd(agents.microUsd))}`, rank: 5 }]),
    { text: `turn ${turnsBegun(turn)}`, rank: 6 },
  ];
  return paintLine(statusParts(state, knownCostUsd(state), width, footer), style);
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

export interface RunEnd {
  readonly ms: number;
  readonly record?: string | undefined;
  /** Whether the state for a resume was written; undefined: it was. */
  readonly isResumable?: boolean;
}

export function createClosingFigures() {
  const counts = { compaction: 0, handoff: 0 };
  const leftUndone: DecisionOf<'left-undone'>[] = [];

  function runText(state: GovernorState, { ms, record }: RunEnd): string | undefined {
    const { gauge, turn } = state;
    const { notes } = state.session;
    if (turn.ended === 0 && gauge.calls === 0) return undefined;
    const { compaction, handoff } = counts;
    const done = presentLines(
      compaction > 0 && counted(compaction, 'compaction'),
      handoff > 0 && counted(handoff, 'handoff'),
    );
    return presentLines(
      `${counted(turn.ended, 'turn')}, ${counted(gauge.calls, 'call')} in ${duration(ms)}`,
      peakText(state),
      costText(state, done.length > 0),
      done.length > 0 && done.join(' and '),
      notes && `notes: ${notes}`,
      record && `record: ${record}`,
    ).join('; ');
  }

  return {
    add(decision: Decision): void {
      const relief = finishedRelief(decision);
      if (relief !== undefined) counts[relief]++;
      if (decision.kind === 'left-undone') leftUndone.push(decision);
    },
    texts(state: GovernorState, end: RunEnd): string[] {
      const left = leftUndone.map((decision) => leftUndoneText(decision, unansweredText(state), end.isResumable));
      return presentLines(runText(state, end), ...left);
    },
  };
}

/** `largest call 191k of 1M tokens (19%)`. A compaction may start at a higher context than any call had. */
function peakText({ gauge }: GovernorState): string | undefined {
  const { peak, window } = gauge;
  if (peak === 0) return undefined;
  if (window.tokens === undefined) return `largest call ${roundedTokens(peak)} tokens`;
  return `largest call ${roundedTokens(peak)} of ${roundedTokens(window.tokens)} tokens (${percent(peakShare(gauge))})`;
}

/** Minimum difference worth reporting, in US dollars. */
const MIN_USD = 0.005;

/** `$2.20, about $0.47 less than claude alone`; the comparison appears after a compaction or handoff. */
function costText(state: GovernorState, wasRelieved: boolean): string | undefined {
  const known = knownCostUsd(state);
  if (known === undefined) return undefined;
  const usd = `${isComputed(state.limits.cost) ? 'about ' : ''}${dollars(known)}`;
  if (!wasRelieved || priceOfModel(state) === undefined) return usd;
  if (!isComparable(state)) return `${usd}; claude alone would probably not have answered every prompt`;
  const saved = savedUsd(state);
  if (Math.abs(saved) < MIN_USD) return `${usd}, about as much as claude alone`;
  return `${usd}, about ${dollars(Math.abs(saved))} ${saved > 0 ? 'less' : 'more'} than claude alone`;
}

/** Maximum number of prompts quoted; PROMPT_LENGTH is in code points. */
const MAX_NAMED = 3;
const PROMPT_LENGTH = 40;

/** ` (“Read more files”, “Read the rest”)` */
function unansweredText(state: GovernorState): string {
  const prompts = openPrompts(state);
  const names = prompts.slice(0, MAX_NAMED).map(({ text }) => `“${shorten(onOneLine(text), PROMPT_LENGTH)}”`);
  const more = prompts.length > MAX_NAMED && `${tokens(prompts.length - MAX_NAMED)} more`;
  return names.length === 0 ? '' : ` (${presentLines(...names, more).join(', ')})`;
}
