import type { ControlRequestEvent } from '../stream/events.ts';
import { fieldsOf, textOf } from '../stream/fields.ts';
import type { Action, HookAnswer, HookName } from './actions.ts';
import { focusText, notesClause } from './focus.ts';
import { commandIn, type Prompt } from './mailbox.ts';
import { decided, type GovernorState } from './state.ts';
import { isOfSubagent } from './subagent-hooks.ts';

/** Ids under which our hooks are registered; claude names one of them when it calls back. */
export const CALLBACKS: Readonly<Record<HookName, string>> = {
  PreCompact: 'ctxb:pre-compact',
  SessionStart: 'ctxb:session-start',
  PostCompact: 'ctxb:post-compact',
  UserPromptSubmit: 'ctxb:user-prompt-submit',
};

/** Characters of prompts that are handed back whole. */
const PROMPT_LIMIT = 8_000;

/** Characters of the beginning of longer ones: evidence needs room too. */
const BEGINNING_LENGTH = 4_000;

/** The answer to a callback of ours, as actions. Always one `answer-hook`. */
export function answerCallback(state: GovernorState, event: ControlRequestEvent): readonly Action[] {
  const input = fieldsOf(event.request.input);
  const { requestId } = event;
  // A subagent's context is its own: the main thread's prompts and notes are no business of it.
  if (isOfSubagent(state, event)) return [plain(requestId, hookOf(event.callbackId))];
  switch (event.callbackId) {
    case CALLBACKS.PreCompact:
      return answerPreCompact(state, requestId, textOf(input.trigger), textOf(input.custom_instructions) ?? '');
    case CALLBACKS.SessionStart:
      return input.source === 'compact' ? restore(state, requestId) : [plain(requestId, 'SessionStart')];
    case CALLBACKS.UserPromptSubmit:
      return [answerPrompt(requestId, textOf(input.prompt) ?? '')];
    default:
      return [plain(requestId, 'PostCompact')];
  }
}

function hookOf(callbackId: string | undefined): HookName {
  const [hook] = Object.entries(CALLBACKS).find(([, id]) => id === callbackId) ?? ['PostCompact'];
  return hook as HookName;
}

function plain(requestId: string, hook: HookName): HookAnswer {
  return { kind: 'answer-hook', requestId, hook, output: {} };
}

/** A command is no request to the model: what goes with it may never reach it. */
function answerPrompt(requestId: string, prompt: string): HookAnswer {
  const answer = plain(requestId, 'UserPromptSubmit');
  return commandIn(prompt) === undefined ? { ...answer, recall: 'prompt' } : answer;
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
    ...(trigger === 'auto' ? [{ kind: 'focus', ...decided(state, 'claude compacts by itself') } as const] : []),
    { ...plain(requestId, 'PreCompact'), output: { systemMessage: `When you summarise, ${focus}` } },
  ];
}

/** After a compaction in mid-turn the next request does not hold the running turn's own prompt: it is given back. */
function restore(state: GovernorState, requestId: string): Action[] {
  const answer: HookAnswer = { ...plain(requestId, 'SessionStart'), recall: 'lost' };
  const spoken = midTurn(state) ? state.turn.prompts : [];
  const prompts = spoken.filter(({ command, event }) => command === undefined && event.blocks.length > 0);
  if (prompts.length === 0) return [answer];
  const texts = prompts.map(wording).join('\n\n');
  const file = `prompts/${fileName(state, prompts[0]?.uuid ?? '')}.md`;
  const fits = texts.length <= PROMPT_LIMIT;
  const path = `${state.run.contextDir}/${file}`;
  const context = fits ? whole(prompts, texts) : beginning(prompts, texts, path);
  const promptUuids = prompts.map((prompt) => prompt.uuid);
  return [
    ...(fits ? [] : [{ kind: 'keep', file, text: texts } as const]),
    { kind: 'restore', ...decided(state, 'compacted in mid-turn'), promptUuids },
    { ...answer, context },
  ];
}

/** The words of a prompt; pictures can only be mentioned. */
function wording({ text, event }: Prompt): string {
  const pictures = event.blocks.filter(({ type }) => type === 'image' || type === 'document').length;
  const mention = pictures === 0 ? [] : [`(with ${pictures === 1 ? 'a picture' : `${pictures} pictures`})`];
  return [...(text === '' ? [] : [text]), ...mention].join('\n');
}

/** The caller's `uuid` is any text; only one that looks like a UUID becomes the name of a file. */
function fileName(state: GovernorState, uuid: string): string {
  return /^[\w-]{8,64}$/.test(uuid) ? uuid : `turn-${state.turn.ended + 1}`;
}

/** claude keeps the prompt verbatim when it compacts before the turn's first call. */
function midTurn(state: GovernorState): boolean {
  return state.compaction.phase === 'idle' && state.turn.phase === 'running' && state.turn.calls > 0;
}

function whole(prompts: readonly Prompt[], texts: string): string {
  return `${opening(prompts)}, word for word:\n\n${texts}`;
}

function beginning(prompts: readonly Prompt[], texts: string, path: string): string {
  const part = cut(texts, BEGINNING_LENGTH);
  return `${opening(prompts)}. Its first ${part.length} of ${texts.length} characters follow; read ${path} for the whole:\n\n${part}`;
}

function opening(prompts: readonly Prompt[]): string {
  const what = prompts.length === 1 ? 'The request' : 'The requests';
  return `The context was compacted while you were working. ${what} that this turn is to answer`;
}

/** The first `length` UTF-16 units, never ending inside a surrogate pair. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
