import type { ControlRequestEvent } from '../../stream/events.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { Action, HookAnswer, HookName } from '../actions.ts';
import { readGauge } from '../gauge/gauge.ts';
import { commandIn, type Prompt } from '../prompts/mailbox.ts';
import { giveBack, requestsIn } from '../prompts/prompt-words.ts';
import { focusText, notesClause } from '../relief/focus.ts';
import { documentToGive, noteGiven } from '../relief/fresh-context.ts';
import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { remembered } from '../tool-budget/follow-results.ts';
import { isOfSubagent } from './subagent-hooks.ts';
import { tellWith } from './telling.ts';
import { answerToolHook, type ToolHook } from './tool-hooks.ts';

/** Ids under which our hooks are registered; claude names one of them when it calls back. */
export const CALLBACKS: Readonly<Record<HookName, string>> = {
  PreCompact: 'ctxb:pre-compact',
  SessionStart: 'ctxb:session-start',
  PostCompact: 'ctxb:post-compact',
  UserPromptSubmit: 'ctxb:user-prompt-submit',
  PreToolUse: 'ctxb:pre-tool-use',
  PostToolUse: 'ctxb:post-tool-use',
  PostToolUseFailure: 'ctxb:post-tool-use-failure',
};

/** Answers a callback of ours: always with one `answer-hook`. */
export function answerCallback(state: GovernorState, event: ControlRequestEvent): Step {
  const input = fieldsOf(event.request.input);
  const { requestId } = event;
  const hook = hookOf(event.callbackId);
  if (isToolHook(hook)) return answerToolHook(state, hook, event);
  // A subagent's context is its own: the main thread's prompts and notes are no business of it.
  if (isOfSubagent(state, event)) return keep(state, [plain(requestId, hook)]);
  switch (hook) {
    case 'PreCompact':
      return keep(
        state,
        answerPreCompact(state, requestId, textOf(input.trigger), textOf(input.custom_instructions) ?? ''),
      );
    case 'SessionStart':
      return input.source === 'compact'
        ? keep(state, restore(state, requestId))
        : handOver(state, requestId, 'SessionStart');
    case 'UserPromptSubmit':
      return answerPrompt(state, requestId, textOf(input.prompt) ?? '');
    default:
      return keep(state, [plain(requestId, 'PostCompact')]);
  }
}

function isToolHook(hook: HookName): hook is ToolHook {
  return hook === 'PreToolUse' || hook === 'PostToolUse' || hook === 'PostToolUseFailure';
}

function hookOf(callbackId: string | undefined): HookName {
  const [hook] = Object.entries(CALLBACKS).find(([, id]) => id === callbackId) ?? ['PostCompact'];
  return hook as HookName;
}

function plain(requestId: string, hook: HookName): HookAnswer {
  return { kind: 'answer-hook', requestId, hook, output: {} };
}

/** A command is no request to the model: what goes with it may never reach it. */
function answerPrompt(state: GovernorState, requestId: string, prompt: string): Step {
  if (commandIn(prompt) !== undefined) return keep(state, [plain(requestId, 'UserPromptSubmit')]);
  const { state: after, actions } = handOver(state, requestId, 'UserPromptSubmit');
  const answers = actions.map((action) =>
    action.kind === 'answer-hook' ? ({ ...action, recall: 'prompt' } as const) : action,
  );
  return tellWith(keep(after, answers), 'prompt');
}

/** A fresh context begins with the document of the one before. */
function handOver(state: GovernorState, requestId: string, hook: HookName): Step {
  const document = documentToGive(state);
  if (document === undefined) return keep(state, [plain(requestId, hook)]);
  return keep(remembered(noteGiven(state), document.text), [{ ...plain(requestId, hook), context: document.text }]);
}

/** The focus of a compaction that claude started itself; with `/compact` the focus came as its argument. */
function answerPreCompact(
  state: GovernorState,
  requestId: string,
  trigger: string | undefined,
  said: string,
): Action[] {
  const focus = trigger === 'auto' ? focusText(state) : notesClause(state);
  if (focus === '' || said.includes(focus)) return [plain(requestId, 'PreCompact')];
  return [
    ...(trigger === 'auto' ? [{ kind: 'focus', ...decided(state, nativeReason(state)) } as const] : []),
    { ...plain(requestId, 'PreCompact'), output: { systemMessage: `When you summarise, ${focus}` } },
  ];
}

/** Whether claude does what was asked of it, or compacts for a reason of its own. */
function nativeReason({ trigger, gauge }: GovernorState): string {
  const isPlanned = typeof trigger === 'number' && readGauge(gauge).predicted >= trigger;
  return isPlanned ? `claude compacts at its trigger of ${trigger} tokens` : 'claude compacts unplanned';
}

/** After a compaction in mid-turn the next request does not hold the running turn's own prompt: it is given back. */
function restore(state: GovernorState, requestId: string): Action[] {
  const answer: HookAnswer = { ...plain(requestId, 'SessionStart'), recall: 'lost' };
  const prompts = requestsIn(isMidTurn(state) ? state.turn.prompts : []);
  if (prompts.length === 0) return [answer];
  const { text, actions } = giveBack(state, prompts, opening(prompts));
  const promptUuids = prompts.map((prompt) => prompt.uuid);
  return [
    ...actions,
    { kind: 'restore', ...decided(state, 'compacted in mid-turn'), promptUuids },
    { ...answer, context: text },
  ];
}

/** claude keeps the prompt verbatim when it compacts before the turn's first call. */
function isMidTurn(state: GovernorState): boolean {
  return state.compaction.phase === 'idle' && state.turn.phase === 'running' && state.turn.calls > 0;
}

function opening(prompts: readonly Prompt[]): string {
  const what = prompts.length === 1 ? 'The request' : 'The requests';
  return `The context was compacted while you were working. ${what} that this turn is to answer`;
}
