import { decodeLine } from '../../protocol/decode.ts';
import { cutUnits } from '../../text/words.ts';
import type { ExitEvent, Prompt, RecoveredEvent } from '../input.ts';
import { owedPrompts, promptsInTurn, resumedWork } from '../prompts/mailbox.ts';
import { toPrompt } from '../prompts/prompt.ts';
import type { HandoffDocument, Relief } from '../relief/relief-state.ts';
import { openTools } from '../relief/tool-results.ts';
import type { GovernorState, Turn } from '../state.ts';
import { changed, changedIn, isCompacting } from '../steps.ts';

/** The relief after the death of a process: a running handoff starts over, and a lost document is given again. */
export function reliefAfter(state: GovernorState, event: ExitEvent): Relief {
  const { relief, operation } = state;
  const due = 'plan' in operation ? operation.plan.reason : relief.due;
  const missing = unknownPrompts(state, event).length > 0 ? undefined : missingTurn(state, event);
  const pending = event.logged
    ? (relief.pending ?? (missing && retoldTurn(missing)))
    : (relief.fresh ?? relief.pending);
  const triedAt = isCompacting(state) ? undefined : relief.triedAt;
  const after = { ...relief, due, triedAt, pending, stop: undefined };
  return event.logged ? after : { ...after, exhausted: undefined };
}

/** Owed prompts of a turn that the log lacks. */
export function unknownPrompts(state: GovernorState, event: ExitEvent): readonly Prompt[] {
  const missing = missingTurn(state, event);
  return owedPrompts(state).filter((prompt) => missing?.prompts.includes(prompt));
}

/** The last turn, if the log lacks it because it lags. claude then does not know that turn. */
function missingTurn({ turn }: GovernorState, { delivered }: ExitEvent): Turn['last'] {
  return turn.last?.prompts.some(({ uuid }) => delivered.includes(uuid)) ? undefined : turn.last;
}

function retoldTurn({ prompts, answer }: NonNullable<Turn['last']>): HandoffDocument | undefined {
  const words = prompts.map(({ text }) => text).join('\n\n');
  if (words === '') return undefined;
  const text = `This was asked and answered already, and is missing above:\n\n${excerpt(words)}\n\nThe answer was:\n\n${excerpt(answer)}`;
  return { path: undefined, text, by: 'memory', problems: [] };
}

/** Longest prompt or answer that is repeated, in UTF-16 units. */
const TOLD_LENGTH = 3_000;

function excerpt(text: string): string {
  return text.length <= TOLD_LENGTH ? text : `${cutUnits(text, TOLD_LENGTH)} […]`;
}

/** Why work must resume after the death of a process. */
export function workAfter(state: GovernorState, event: ExitEvent): string | undefined {
  const { turn, work, process, mailbox } = state;
  // Without a log, all prompts without an answer are sent again.
  if (!event.logged) return undefined;
  if (turn.phase === 'idle') return mailbox.work;
  // ctxb's own prompt to resume was not delivered, so it is sent again.
  if (!promptsInTurn(state).some(({ uuid }) => event.delivered.includes(uuid)))
    return resumedWork(state) ?? mailbox.work;
  // The stream can show a tool call that the log lacks.
  const openTool = openTools(work.tools) || event.openTool;
  const end = `ended unexpectedly (${event.signal ?? `exit code ${event.code}`})`;
  const what = `Claude Code ${process.hangs ? 'stopped responding, was ended' : end}`;
  return interruption(what, { ...event, openTool });
}

/** Restores the state of a run whose ctxb died, in a new ctxb. */
export function onRecovered(state: GovernorState, event: RecoveredEvent): GovernorState {
  const { document, answers, spent } = event;
  const pending = document === undefined ? undefined : ({ ...document, by: 'memory', problems: [] } as const);
  const work = answers.length === 0 ? undefined : interruption('The work was interrupted', event);
  const prompts = answers.flatMap((line) => {
    const event = decodeLine(line);
    return event.kind === 'user' ? [{ prompt: toPrompt(event, line), fate: 'owed' } as const] : [];
  });
  const { settled, open, raised, agents, lost } = spent;
  const { cost } = state.limits;
  const counted = { ...cost, counted: cost.counted + open, guessed: cost.guessed || open !== 0 };
  const limits = { ...state.limits, cost: counted, before: settled, raised, lost };
  const relief = { ...state.relief, pending, fresh: pending };
  return changedIn(changedIn(changed(state, { limits, relief }), 'agents', { before: agents }), 'mailbox', {
    prompts,
    work,
  });
}

function interruption(what: string, { finished, openTool }: Pick<ExitEvent, 'finished' | 'openTool'>): string {
  const restartText = `${what} and continues in a new process; the last steps may be missing above.`;
  if (finished) return `${restartText} The last answer did not arrive: give it again.`;
  if (!openTool) return restartText;
  return `${restartText} This was under way and its end is not known: ${openTool}. Look what it has done before you do it again.`;
}
