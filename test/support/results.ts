import type { Call, RecordedRequest, Scenario } from './standin/scenario.ts';

type Block = Record<string, unknown>;

export interface ToolUse {
  readonly name: string;
  readonly input: object;
}

/** A call of a tool, or several at once in one message. */
export type Step = ToolUse | readonly ToolUse[];

/** Texts of claude after the last result. */
const REMINDERS = /(?:\s*<system-reminder>\n(?:(?!<system-reminder>)[\s\S])*<\/system-reminder>)+\s*$/;

/** The results of tools in a request, oldest first: what the model was given of each, without claude's reminders. */
export function resultsIn(request: RecordedRequest | undefined): { id: string; text: string }[] {
  return (request?.body.messages ?? [])
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []))
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id, content }) => ({ id: String(tool_use_id), text: allText(content).replace(REMINDERS, '') }));
}

/** The end of a request after the model's last text: results, and texts of hooks. */
export function newestWords(request: RecordedRequest | undefined): string {
  const messages = request?.body.messages ?? [];
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .map(({ content }) => allText(content))
    .join('\n');
}

function allText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Block[])
    .map(({ text, content: inner }) => (typeof text === 'string' ? text : allText(inner)))
    .join('\n');
}

/** Lines as Read shows them, without their numbers. claude trims the last one when it adds a reminder. */
export function linesOf(result: string): { number: number; line: string }[] {
  return result.split('\n').flatMap((text) => {
    const found = /^(\d+)(?:\t(.*))?$/.exec(text);
    return found === null ? [] : [{ number: Number(found[1]), line: found[2] ?? '' }];
  });
}

/** Tokens of a context, counted from what the request really holds. */
export function contextOf(request: RecordedRequest, from = 20_000): number {
  return from + Math.ceil(JSON.stringify(request.body.messages).length / 4);
}

/** An agent that makes the given calls one after the other, and whose context is as large as what it was given. */
export function caller(steps: readonly Step[], from = 20_000): Scenario {
  return {
    calls: (request, index): Call => {
      const step = steps[index];
      const context = contextOf(request, from);
      return step === undefined ? { text: 'done', context } : { tools: 'name' in step ? [step] : step, context };
    },
  };
}

/** An agent that reads a file to its end, going on where it was told to. */
export function reader(path: string): Scenario {
  return onwards({ name: 'Read', input: { file_path: path } });
}

/** An agent that makes a call, and follows each hint of its result to continue with Read. */
export function onwards(first: ToolUse): Scenario {
  let path = (first.input as { file_path?: string }).file_path;
  return {
    calls: (request, index): Call => {
      const context = contextOf(request);
      if (index === 0) return { tools: [first], context };
      const words = newestWords(request);
      path = /The full result is in (\S+): /.exec(words)?.[1] ?? path;
      const offset = /[Cc]ontinue with (?:Read, )?offset=(\d+)/.exec(words)?.[1];
      if (offset === undefined) return { text: 'done', context };
      return { tools: [{ name: 'Read', input: { file_path: path, offset: Number(offset) } }], context };
    },
  };
}
