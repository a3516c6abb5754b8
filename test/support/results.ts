import type { Call, RecordedRequest, Scenario } from '../../src/standin/scenario.ts';

type Block = Record<string, unknown>;

/** The results of tools in a request, oldest first: what the model was given of each. */
export function resultsIn(request: RecordedRequest | undefined): { id: string; text: string }[] {
  return (request?.body.messages ?? [])
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []))
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id, content }) => ({ id: String(tool_use_id), text: textOf(content) }));
}

/** What a request ends with, behind the last of the model's own words: results, and what hooks told beside them. */
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

function textOf(content: unknown): string {
  return allText(content);
}

/** Lines as Read shows them, without their numbers. */
export function linesOf(result: string): { number: number; line: string }[] {
  return result.split('\n').flatMap((text) => {
    const found = /^(\d+)\t(.*)$/.exec(text);
    return found === null ? [] : [{ number: Number(found[1]), line: found[2] ?? '' }];
  });
}

/** An agent that makes the given calls one after the other, and whose context is as large as what it was given. */
export function caller(tools: readonly { name: string; input: object }[], from = 20_000): Scenario {
  return {
    calls: (request, index): Call => {
      const tool = tools[index];
      const context = from + Math.ceil(JSON.stringify(request.body.messages).length / 4);
      return tool === undefined ? { text: 'done', context } : { tools: [tool], context };
    },
  };
}

/** An agent that reads a file to its end, going on where it was told to. */
export function reader(path: string): Scenario {
  return {
    calls: (request, index): Call => {
      const next = /Go on with offset=(\d+)/.exec(newestWords(request))?.[1];
      const context = 20_000 + Math.ceil(JSON.stringify(request.body.messages).length / 4);
      if (index > 0 && next === undefined) return { text: 'done', context };
      const input = { file_path: path, ...(next === undefined ? {} : { offset: Number(next) }) };
      return { tools: [{ name: 'Read', input }], context };
    },
  };
}
