import type { ControlRequestEvent } from '../stream/events.ts';
import { textOf } from '../stream/fields.ts';
import type { Action, HookName } from './actions.ts';
import { focusText } from './focus.ts';
import type { Prompt } from './mailbox.ts';
import { decided, type GovernorState } from './state.ts';

/** Ids under which our hooks are registered; claude names one of them when it calls back. */
export const CALLBACKS: Readonly<Record<HookName, string>> = {
  PreCompact: 'ctxb:pre-compact',
  SessionStart: 'ctxb:session-start',
};

/**
 * Characters of prompts that are handed back. claude puts a preview of 2 KB in the place of a SessionStart context
 * above 10,000 characters (9,000 arrived whole), and the words around the prompts need room too.
 */
const PROMPT_LIMIT = 8_000;

/** The answer to a callback of ours, as actions. Always one `answer-hook`. */
export function answerCallback(state: GovernorState, event: ControlRequestEvent): readonly Action[] {
  const input = event.request.input as Readonly<Record<string, unknown>> | undefined;
  if (event.callbackId === CALLBACKS.PreCompact) return answerPreCompact(state, event, textOf(input?.trigger));
  return answerSessionStart(state, event, textOf(input?.source));
}

/** The focus of a compaction that claude started itself; with `/compact` the focus came as its argument. */
function answerPreCompact(state: GovernorState, event: ControlRequestEvent, trigger: string | undefined): Action[] {
  const { requestId } = event;
  const focus = trigger === 'auto' ? focusText(state) : '';
  if (focus === '') return [{ kind: 'answer-hook', requestId, hook: 'PreCompact', output: {} }];
  return [
    { kind: 'focus', ...decided(state, 'claude compacts by itself') },
    { kind: 'answer-hook', requestId, hook: 'PreCompact', output: { systemMessage: `When you summarise, ${focus}` } },
  ];
}

/** After a compaction in mid-turn the next request does not hold the running turn's own prompt: it is given back. */
function answerSessionStart(state: GovernorState, event: ControlRequestEvent, source: string | undefined): Action[] {
  const { requestId } = event;
  const spoken = source === 'compact' && midTurn(state) ? state.turn.prompts : [];
  const prompts = spoken.filter(({ command, event }) => command === undefined && event.blocks.length > 0);
  if (prompts.length === 0) return [{ kind: 'answer-hook', requestId, hook: 'SessionStart', output: {} }];
  const texts = prompts.map(wording).join('\n\n');
  const file = `prompts/${fileName(state, prompts[0]?.uuid ?? '')}.md`;
  const fits = texts.length <= PROMPT_LIMIT;
  const path = `${state.run.contextDir}/${file}`;
  const additionalContext = fits ? whole(prompts, texts) : beginning(prompts, texts, path);
  return [
    ...(fits ? [] : [{ kind: 'keep', file, text: texts } as const]),
    {
      kind: 'restore',
      ...decided(state, 'compacted in mid-turn'),
      promptUuids: prompts.map((prompt) => prompt.uuid),
    },
    {
      kind: 'answer-hook',
      requestId,
      hook: 'SessionStart',
      output: { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } },
    },
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
  const part = cut(texts, PROMPT_LIMIT);
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
