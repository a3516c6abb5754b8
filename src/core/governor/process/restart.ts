import { withoutRunning } from '../agents/agents.ts';
import type { Action } from '../decisions.ts';
import { TIMERS } from '../effects.ts';
import type { ExitEvent, Prompt, RecoveredEvent } from '../input.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import { cut } from '../prompts/sentences.ts';
import { newExact } from '../relief/exact.ts';
import { startHandoff } from '../relief/handoff.ts';
import type { HandoffDocument, Relief, Unfinished } from '../relief/relief-state.ts';
import { openTools } from '../relief/tool-results.ts';
import { type GovernorState, type Mailbox, NOT_COMPACTING } from '../state.ts';
import { chain, changed, changedIn, decided, keep, type Step } from '../steps.ts';
import { NO_STALL } from '../waits/waits-state.ts';

/** The wait before the first new start; it doubles with each further one. */
const FIRST_DELAY_MS = 1_000;

/** Work resumes in a new process: in the same session, or with a document where the session left no log. */
export function restart(state: GovernorState, event: ExitEvent): Step {
  const { turn, process, session } = state;
  const undelivered = undeliveredOf(turn.prompts, event.delivered);
  const attempt = process.restarts + 1;
  const isStalled = state.stall.phase === 'ending';
  const end = isStalled ? 'claude was ended' : `claude ended: ${event.signal ?? `exit code ${event.code}`}`;
  // The log of a session that was left holds a full context.
  const isLeft = state.relief.left !== undefined && session.id === state.relief.left;
  // A process that refused to resume the session shows that there is no session.
  const isVain = !isStalled && process.resumes && process.phase === 'starting' && event.signal === undefined;
  const logged = event.logged && !isLeft && !isVain;
  const dead = changed(withoutProcess(state), {
    process: { phase: 'dead', resumes: logged || session.id === undefined, restarts: attempt },
    mailbox: takeBack(state, undelivered),
    relief: reliefAfter(state, { ...event, logged }),
  });
  const uuids = undelivered.map(({ uuid }) => uuid);
  // What was said in mid-turn and is said again comes as a prompt of its own.
  const again = new Set(undelivered.map(({ text }) => text));
  const midTurn = logged ? state.exact.midTurn.filter(({ text }) => !again.has(text)) : [];
  const told = keep(changedIn(dead, 'exact', { midTurn }), [
    { kind: 'buffered', fate: 'drop' },
    ...FORGOTTEN_TIMERS,
    ...undelivered.flatMap(({ uuid, line }) => (isOwnUuid(state, uuid) ? [] : [{ kind: 'hold', uuid, line } as const])),
    { kind: 'restart', ...decided(state, end), attempt, undelivered: uuids },
  ]);
  // Only the notes know what was said until now.
  if (isForgotten(state, dead, logged)) return chain(told, (next) => startHandoff(next, end));
  const resume = logged ? session.id : undefined;
  const isFirst = session.id === undefined;
  const start = { kind: 'start-claude', resume, isFirst, afterMs: FIRST_DELAY_MS * 2 ** (attempt - 1) } as const;
  return chain(told, (next) => keep(next, [start]));
}

/** A wait for the API outlives the process. */
const FORGOTTEN_TIMERS: readonly Action[] = TIMERS.filter((timer) => timer !== 'wait').map((timer) => ({
  kind: 'clear-timer',
  timer,
}));

/** Neither a log nor a document holds what was said. */
function isForgotten(before: GovernorState, { relief, run }: GovernorState, logged: boolean): boolean {
  return !logged && before.gauge.calls > 0 && relief.pending === undefined && run.policy.handoff.enabled;
}

/** claude joins prompts that arrive together and logs only the last id: the earlier ones have arrived too. */
function undeliveredOf(prompts: readonly Prompt[], delivered: readonly string[]): readonly Prompt[] {
  const last = prompts.findLastIndex(({ uuid }) => delivered.includes(uuid));
  return prompts.slice(last + 1);
}

/** The caller's prompts wait again, before all others. */
function takeBack(state: GovernorState, undelivered: readonly Prompt[]): Mailbox {
  const { mailbox } = state;
  const prompts = undelivered.filter(({ uuid }) => !isOwnUuid(state, uuid));
  const uuids = prompts.map(({ uuid }) => uuid);
  return {
    ...mailbox,
    waiting: [...prompts, ...mailbox.waiting],
    // claude skips prompts that it has seen; these it has not.
    said: mailbox.said.filter((uuid) => !uuids.includes(uuid)),
  };
}

/** A handoff under way starts over, and a document that died with the process is given again. */
function reliefAfter(state: GovernorState, event: ExitEvent): Relief {
  const { relief, handoff } = state;
  const due = 'plan' in handoff ? handoff.plan.reason : relief.due;
  const pending = event.logged ? (relief.pending ?? missingTurn(state, event)) : (relief.fresh ?? relief.pending);
  const unfinished = unfinishedAfter(state, event) ?? relief.unfinished;
  return { ...relief, due, pending, unfinished, resuming: undefined, stop: undefined };
}

/** The log lags: a finished turn may be missing in it, and then claude does not know of it. */
function missingTurn({ turn }: GovernorState, { delivered }: ExitEvent): HandoffDocument | undefined {
  const { last } = turn;
  const words = last?.prompts.map(({ text }) => text).join('\n\n') ?? '';
  if (last === undefined || words === '' || last.prompts.some(({ uuid }) => delivered.includes(uuid))) return undefined;
  const text = `This was asked and answered already, and is missing above:\n\n${retold(words)}\n\nThe answer was:\n\n${retold(last.answer)}`;
  return { path: undefined, text, by: 'memory', problems: [] };
}

/** UTF-16 units of a prompt or an answer that are repeated. */
const TOLD_LENGTH = 3_000;

function retold(text: string): string {
  return text.length <= TOLD_LENGTH ? text : `${cut(text, TOLD_LENGTH)} […]`;
}

function unfinishedAfter(state: GovernorState, event: ExitEvent): Unfinished | undefined {
  const { turn, tools, relief } = state;
  if (turn.phase === 'idle') return undefined;
  const begun = turn.prompts.filter(({ uuid }) => event.delivered.includes(uuid));
  // Our own prompt to resume has not arrived: it is sent again.
  if (begun.length === 0) return relief.resuming;
  // The stream is ahead of the log.
  const openTool = openTools(tools) || event.openTool;
  const end = `ended unexpectedly (${event.signal ?? `exit code ${event.code}`})`;
  const what = `Claude Code ${state.stall.phase === 'ending' ? 'said nothing any more, was ended' : end}`;
  const { prompts = [], answers = begun.map(({ uuid }) => uuid) } = relief.resuming ?? {};
  return { because: interruption(what, { ...event, openTool }), prompts, answers };
}

/** ctxb itself died, and a new ctxb resumes its work. */
export function onRecovered(state: GovernorState, event: RecoveredEvent): Step {
  const { document, answers, spent } = event;
  const pending = document === undefined ? undefined : ({ ...document, by: 'memory', problems: [] } as const);
  const because = interruption('The work was broken off', event);
  const unfinished = answers.length === 0 ? undefined : { because, prompts: [], answers };
  const { settled, open, raised, agents } = spent;
  const cost = { ...state.cost, counted: state.cost.counted + open, guessed: state.cost.guessed || open !== 0 };
  const spending = { ...state.spending, before: settled, raised };
  const fanOut = { ...state.fanOut, before: agents };
  return keep(changed(state, { cost, spending, fanOut, relief: { ...state.relief, pending, unfinished } }));
}

function interruption(what: string, { finished, openTool }: Pick<ExitEvent, 'finished' | 'openTool'>): string {
  const begun = `${what} and goes on in a new process; the last steps may be missing above.`;
  if (finished) return `${begun} The last answer did not arrive: give it again.`;
  if (openTool === undefined || openTool === '') return begun;
  return `${begun} This was under way and its end is not known: ${openTool}. Look what it has done before you do it again.`;
}

/** The state without everything that belonged to the process. */
export function withoutProcess(state: GovernorState): GovernorState {
  const { compaction, control, turn, trigger } = state;
  return changed(state, {
    turn: { ...turn, phase: 'idle', prompts: [], unheard: [] },
    compaction: compaction.phase === 'idle' ? compaction : { ...NOT_COMPACTING, failures: compaction.failures },
    handoff: { phase: 'idle' },
    exact: newExact(state.exact.phase !== 'off'),
    summarising: false,
    control: { ...control, phase: 'closed', asked: false, pending: {}, callbacks: [], held: [], questions: [] },
    trigger: typeof trigger === 'number' ? 'unplaced' : trigger,
    tasks: {},
    subagents: withoutRunning(state),
    fanOut: { ...state.fanOut, asked: [] },
    tools: { ...state.tools, open: [] },
    grace: 'none',
    life: { ...state.life, at: state.now },
    stall: { ...NO_STALL, tries: state.stall.tries },
    spending: state.spending.phase === 'stopping' ? { ...state.spending, phase: 'within' } : state.spending,
  });
}
