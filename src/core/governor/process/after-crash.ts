import { cutUnits } from '../../text/words.ts';
import { givePermissions } from '../control/callers-requests.ts';
import type { ExitEvent, Prompt, RecoveredEvent } from '../input.ts';
import { owedPrompts, promptsInTurn, resumedWork } from '../prompts/mailbox.ts';
import { promptIn } from '../prompts/prompt.ts';
import type { HandoffDocument, Relief } from '../relief/relief-state.ts';
import { runningToolTitles } from '../relief/tool-results.ts';
import type { GovernorState, Turn } from '../state.ts';
import { changed, changedIn, isCompacting } from '../steps.ts';

/**
 * The relief after the death of a process. A running handoff starts again, and the agent gets a lost document again.
 */
export function reliefAfter(state: GovernorState, event: ExitEvent): Relief {
  const { relief, operation } = state;
  const due = 'plan' in operation ? operation.plan.reason : relief.due;
  const missing = missingTurn(state, event);
  const undelivered = event.logged
    ? (relief.undelivered ?? (missing && interruptedTurn(missing)))
    : (relief.openingDocument ?? relief.undelivered);
  const triedAt = isCompacting(state) ? undefined : relief.triedAt;
  const after = { ...relief, due, triedAt, undelivered, turnStop: undefined };
  return event.logged ? after : { ...after, exhausted: undefined };
}

/**
 * The prompts that the log lacks. claude logs only the last id of prompts that arrive together, so all earlier ones
 * have arrived too.
 */
export function undeliveredOf(prompts: readonly Prompt[], { delivered }: ExitEvent): readonly Prompt[] {
  const last = prompts.findLastIndex(({ uuid }) => delivered.includes(uuid));
  return prompts.slice(last + 1);
}

/** The last turn if the log lags behind: all its prompts are answered, and the log lacks it. */
function missingTurn(state: GovernorState, event: ExitEvent): Turn['last'] {
  const { last } = state.turn;
  if (last === undefined || undeliveredOf(owedPrompts(state), event).length > 0) return undefined;
  return undeliveredOf(last.prompts, event).length < last.prompts.length ? undefined : last;
}

function interruptedTurn({ prompts, answer }: NonNullable<Turn['last']>): HandoffDocument | undefined {
  const words = prompts.map(({ text }) => text).join('\n\n');
  if (words === '') return undefined;
  const text = `This was asked and answered already, and is missing above:\n\n${excerpt(words)}\n\nThe answer was:\n\n${excerpt(answer)}`;
  return { path: undefined, text, by: 'memory', problems: [] };
}

/** Maximum length of a repeated prompt or answer, in UTF-16 units. */
const QUOTED_LENGTH = 3_000;

function excerpt(text: string): string {
  return text.length <= QUOTED_LENGTH ? text : `${cutUnits(text, QUOTED_LENGTH)} […]`;
}

/** Why work must resume after the death of a process. */
export function workAfter(state: GovernorState, event: ExitEvent): string | undefined {
  // Without a log, all prompts without an answer are sent again.
  if (!event.logged) return undefined;
  if (state.turn.phase === 'idle') return state.mailbox.resumeReason;
  // claude did not get ctxb's own prompt to resume, so ctxb sends it again.
  if (!promptsInTurn(state).some(({ uuid }) => event.delivered.includes(uuid)))
    return resumedWork(state) ?? state.mailbox.resumeReason;
  // The stream can show a tool call that the log lacks.
  const openTool = runningToolTitles(state.work.tools) || event.openTool;
  const end = `ended unexpectedly (${event.signal ?? `exit code ${event.code}`})`;
  const what = `Claude Code ${state.process.isHung ? 'stopped responding, was ended' : end}`;
  return interruption(what, { ...event, openTool });
}

export function onRecovered(state: GovernorState, event: RecoveredEvent): GovernorState {
  const { document, answers, spent, permissions = {} } = event;
  const undelivered = document === undefined ? undefined : ({ ...document, by: 'memory', problems: [] } as const);
  const resumeReason = answers.length === 0 ? undefined : interruption('The work was interrupted', event);
  const prompts = answers.flatMap((line) => promptIn(line) ?? []).map((prompt) => ({ prompt, fate: 'owed' }) as const);
  const { settled, open, raised, agents, lost } = spent;
  const { cost } = state.limits;
  const counted = { ...cost, counted: cost.counted + open, guessed: open + lost !== 0 };
  const limits = { ...state.limits, cost: counted, before: settled, raised, lost };
  const relief = { ...state.relief, undelivered, openingDocument: undelivered };
  const spending = changedIn(changed(state, { limits, relief }), 'agents', { startedBefore: agents });
  const recovered = changedIn(changedIn(spending, 'control', { permissions }), 'mailbox', { prompts, resumeReason });
  // In observe mode no channel is opened, with which claude would get them.
  return state.run.mode === 'observe' ? givePermissions(recovered) : recovered;
}

function interruption(what: string, { finished, openTool }: Pick<ExitEvent, 'finished' | 'openTool'>): string {
  const restartText = `${what} and continues in a new process; the last steps may be missing above.`;
  if (finished) return `${restartText} The last answer did not arrive: give it again.`;
  if (!openTool) return restartText;
  return `${restartText} This was running, and its outcome is unknown: ${openTool}. Check what it has done before you run it again.`;
}
