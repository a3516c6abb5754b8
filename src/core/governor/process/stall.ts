import type { Event, ResultEvent } from '../../protocol/events.ts';
import { agentsOf, isAgentCall } from '../agents/agents.ts';
import { reportsInterrupt } from '../facts.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import { isAtWork } from '../prompts/tasks.ts';
import { titleOf } from '../relief/tool-results.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, clearTimer, decide, emit, isRelieving, type Line, setTimer } from '../steps.ts';

/** Lines that claude writes at intervals even if its call hangs: for an open connection, and for a running tool. */
const HEARTBEATS: readonly string[] = ['keep_alive', 'tool_progress'];

/** Restarts the watch at every line from claude, except those in `HEARTBEATS`. */
export function resetSilence(state: GovernorState, event: Event): GovernorState {
  if (state.run.mode === 'replay' || (event.kind === 'known' && HEARTBEATS.includes(event.name))) return state;
  return forgetSilence(state);
}

/**
 * Time from which claude should have written a line, in milliseconds since the epoch; undefined while none is expected.
 */
export function silentSince(state: GovernorState): number | undefined {
  const { turn, process, work } = state;
  const { wait } = state.limits;
  const hasBackgroundWork = work.tasks.some(isAtWork);
  if (turn.phase === 'idle' && !hasBackgroundWork && state.mailbox.input !== 'closed') return undefined;
  if (process.phase === 'dead' || isRelieving(state) || process.control.questions.length > 0) return undefined;
  // claude has announced how long it waits.
  return wait.phase === 'claude' ? Math.max(process.lastLineAt, wait.until) : process.lastLineAt;
}

/** The tool that has run longest, or else a subagent whose calls are not on the stream. */
export function runningTool(state: GovernorState): { title: string; since: number } | undefined {
  const first = state.work.tools.open.find(({ use }) => !isAgentCall(use.name));
  if (first !== undefined) return { title: titleOf(first.use), since: first.since };
  const agent = agentsOf(state).find(({ isUnseen, phase }) => isUnseen && phase === 'running');
  return agent && { title: `the subagent ${agent.name ?? agent.kind ?? ''}`.trim(), since: state.process.lastLineAt };
}

/** Longest interval between two checks. If a check comes later than twice the interval, the machine has slept. */
const CHECK_MS = 30_000;

/** Stalls in a row after which ctxb gives up. */
const MAX_STALLS = 3;

/** Time for claude to end its child processes and itself. */
const EXIT_TIMEOUT_MS = 5_000;

/** Time for claude to stop its turn, at most the limit for silence. */
const INTERRUPT_TIMEOUT_MS = 10_000;

export function watchSilence(before: GovernorState, after: GovernorState): GovernorState {
  const isPrompted = before.turn.phase === 'idle' && after.turn.phase === 'sent';
  const isAsked = isPrompted || (before.mailbox.input !== 'closed' && after.mailbox.input === 'closed');
  const begins = after.process.checkedAt === undefined && !isEnding(after) && watchedSince(after) !== undefined;
  const state = isAsked || begins ? forgetSilence(after) : after;
  return begins ? scheduleCheck(state) : state;
}

function forgetSilence(state: GovernorState): GovernorState {
  return changedIn(state, 'process', { lastLineAt: state.facts.now });
}

/** Whether claude was told to stop its turn or its process because of a stall. */
function isEnding({ turn, process }: GovernorState): boolean {
  return turn.stopped === 'stall' || process.isHung;
}

export function endProcess(state: GovernorState): GovernorState {
  const hanging = changedIn(state, 'process', { isHung: true });
  return emit(hanging, { kind: 'kill', signal: 'SIGTERM' }, setTimer('exit', EXIT_TIMEOUT_MS));
}

/** Like `silentSince`; undefined also if a stall would have no effect. */
function watchedSince(state: GovernorState): number | undefined {
  const isWatched = limitMs(state) > 0 && state.run.mode === 'act' && state.mailbox.outcome !== 'stalled';
  return isWatched ? silentSince(state) : undefined;
}

function limitMs({ run }: GovernorState): number {
  return (run.policy.recovery.stallAfter ?? 0) * 1000;
}

function scheduleCheck(state: GovernorState): GovernorState {
  return emit(changedIn(state, 'process', { checkedAt: state.facts.now }), setTimer('stall', checkInterval(state)));
}

function checkInterval(state: GovernorState): number {
  return Math.min(CHECK_MS, limitMs(state) / 4);
}

/** Checks for a stall. Ends a claude that has ignored the interrupt. */
export function onStallTimer(state: GovernorState): GovernorState {
  const { now } = state.facts;
  if (isEnding(state)) return endProcess(state);
  const expected = watchedSince(state);
  if (expected === undefined) return changedIn(state, 'process', { checkedAt: undefined });
  // The machine slept, or its clock was set.
  if (Math.abs(now - (state.process.checkedAt ?? now)) > 2 * checkInterval(state))
    return scheduleCheck(forgetSilence(state));
  if (runningTool(state) !== undefined) return scheduleCheck(announceLongTools(state));
  return now - expected < limitMs(state) ? scheduleCheck(state) : onStall(state, now - expected);
}

/** Announces tools that run for a long time. They do not count as a stall, but may never end. */
function announceLongTools(state: GovernorState): GovernorState {
  const { now } = state.facts;
  const isLong = (since: number) => now - since >= limitMs(state);
  const long = state.work.tools.open.filter(
    ({ use, since, isAnnounced }) => !isAnnounced && isLong(since) && !isAgentCall(use.name),
  );
  if (long.length === 0) return state;
  const open = state.work.tools.open.map((tool) => (long.includes(tool) ? { ...tool, isAnnounced: true } : tool));
  return long.reduce(
    (next, { use, since }) =>
      decide(next, 'silence:tool', 'it has not ended yet', { tool: titleOf(use), ms: now - since }),
    changedIn(state, 'tools', { open }),
  );
}

function onStall(state: GovernorState, ms: number): GovernorState {
  const { process, run, turn, mailbox } = state;
  const isLast =
    process.stalls >= MAX_STALLS || !run.policy.recovery.enabled || !run.persistent || mailbox.input !== 'open';
  const tries = process.stalls + 1;
  const stalled = changedIn(state, 'process', { stalls: tries, checkedAt: undefined });
  const next = decide(stalled, 'silence:claude', 'it has stopped responding', { ms, tries, last: isLast });
  if (isLast) {
    // After the end of its input, claude has answered everything and only fails to exit.
    const outcome = state.mailbox.outcome ?? (mailbox.input === 'open' ? 'stalled' : undefined);
    return endProcess(changedIn(next, 'mailbox', { outcome }));
  }
  // claude ignores an interrupt before its turn begins, and has ignored the caller's.
  if (turn.phase !== 'running' || turn.stopped === 'asked') return endProcess(reportLostTasks(next));
  const timer = setTimer('stall', Math.min(INTERRUPT_TIMEOUT_MS, limitMs(state)));
  return sendInterrupt(emit(next, timer), 'stall');
}

/** Reports background tasks that end with claude's process. claude does not report them. */
function reportLostTasks(state: GovernorState): GovernorState {
  if (state.turn.phase !== 'idle') return state;
  const because =
    'What ran in the background gave no sign of life, and was ended with Claude Code, which was started again.';
  return changedIn(state, 'mailbox', { resumeReason: state.mailbox.resumeReason ?? because });
}

/**
 * Continues a stalled turn in another process. A turn that ended by itself did not stall, but its interrupt may stop the
 * next one.
 */
export function onStalledTurnEnd(state: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  if (before.turn.stopped !== 'stall') return state;
  if (!reportsInterrupt(event)) return state.turn.phase === 'sent' ? state : emit(state, clearTimer('stall'));
  const resumeReason =
    'Claude Code stopped responding and was restarted: the turn was interrupted, not by the user, and continues in a new process.';
  return endProcess(changedIn(state, 'mailbox', { resumeReason }));
}
