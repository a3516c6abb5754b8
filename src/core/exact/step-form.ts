import { fieldsOf, listOf } from '../protocol/fields.ts';
import { stepLines } from './entries.ts';
import { createMessage, hasOpenStep, isResult, type Message, type ToolResult } from './message.ts';
import { stepText } from './own-words.ts';
import { hasText, type Round } from './parts.ts';
import type { Form } from './whole-rounds.ts';

/** Models that reject a thought when anything before it has changed. */
const PRESERVES_THOUGHTS = /(?:fable|mythos)-5-[12]\b|(?:opus|sonnet|haiku)-5-5\b/;

/**
 * Selects the form in which the API accepts whole steps. Older models need the thoughts of an open step with its
 * results, but `--resume` would duplicate claude's rows with thoughts; for these models the steps become words of the
 * user.
 */
export function stepForm(messages: readonly Message[], model: string): Form {
  return hasOpenStep(messages) && !PRESERVES_THOUGHTS.test(model) && hasThoughts(messages) ? QUOTED_FORM : BUILT_FORM;
}

/** Whether the model has thought in the current turn. A thought appears as a message without words and calls. */
function hasThoughts(messages: readonly Message[]): boolean {
  const prompt = messages.findLastIndex((message) => message.role === 'user' && !isResult(message));
  return messages.slice(prompt + 1).some(({ role, text, toolUses }) => {
    return role === 'assistant' && text === '' && toolUses.length === 0;
  });
}

/**
 * Builds new rows for a step. With claude's own rows of tool calls, a session would resume from everything before the
 * compaction.
 */
function buildStep({ words, calls }: Round, results: readonly ToolResult[]): Message[] {
  const toolUses = calls.map(({ use: { tool_use_id, tool, input } }) => ({ tool_use_id, tool, input }));
  const reply = createMessage('assistant', words, { toolUses });
  return results.length === 0 ? [reply] : [reply, createMessage('user', '', { toolResults: results })];
}

function quoteStep(round: Round, results: readonly ToolResult[]): Message[] {
  if (round.calls.length === 0) return [createMessage('assistant', round.words)];
  const texts = new Map(results.map(({ tool_use_id, text }) => [tool_use_id, text]));
  const calls = round.calls.map(
    ({ use }) => `${use.tool} ${JSON.stringify(use.input)}\n${texts.get(use.tool_use_id) ?? ''}`,
  );
  return [createMessage('user', stepText(stepLines(round), calls))];
}

const BUILT_FORM: Form = { mostSteps: 3, write: buildStep };
const QUOTED_FORM: Form = { mostSteps: 1, write: quoteStep };

/** Why unseen results cannot be kept; undefined if all are text. */
export function lossReason({ messages }: Round): string | undefined {
  const results = messages.flatMap(({ toolResults = [] }) => toolResults);
  const isLost = results.some((result) => !hasText(result) || isPicture(result));
  return isLost ? 'the model has yet to see what a tool gave back beside text' : undefined;
}

/** Files that a text does not fully represent. */
const NON_TEXT_TYPES: readonly unknown[] = ['image', 'pdf', 'parts', 'notebook'];

function isPicture({ result }: ToolResult): boolean {
  return [result, ...listOf(result)].some((part) => NON_TEXT_TYPES.includes(fieldsOf(part).type));
}
