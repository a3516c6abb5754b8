import { fieldsOf } from '../../stream/fields.ts';
import { describeInput, describeResult } from '../entries/describe.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { counted } from '../words.ts';
import { bare, NAME, type Quote, TEXT } from './quote.ts';
import { tellKept, tellText } from './text-result.ts';

/** A tool of an MCP server is named by both, `mcp__server__tool`. */
const MCP = /^mcp__(.+?)__(.+)$/s;

/** Any tool: what it was asked for and what came of it. */
export function tellOther(ended: EndedCall, quote: Quote): string {
  const { call, result } = ended;
  const { todos } = fieldsOf(call.use.input);
  if (call.use.name === 'TodoWrite' && Array.isArray(todos)) return `TodoWrite: ${todosText(todos)}`;
  const pictures = result.images === 0 ? [] : [counted(result.images, 'picture')];
  const text = result.text === '' && pictures.length > 0 ? [] : [tellKept(ended, quote) ?? textOf(ended, quote)];
  return `${headOf(call.use, quote)}: ${[...pictures, ...text].join(', ')}`;
}

function todosText(todos: readonly unknown[]): string {
  const done = todos.filter((item) => fieldsOf(item).status === 'completed').length;
  return `${counted(todos.length, 'item')}, ${done} completed`;
}

function textOf({ call, result }: EndedCall, quote: Quote): string {
  return tellText(result.text, MCP.test(call.use.name) ? 'first' : 'last', quote);
}

/** What did not do what it was to do says the error, whatever tool it is. */
export function tellFailure({ call, result, outcome }: EndedCall, quote: Quote): string {
  const said = describeResult(call.use.name, outcome, result.text);
  return `${headOf(call.use, quote)} ${outcome}${said === '' ? '' : `: ${quote(said, TEXT)}`}`;
}

function headOf({ name, input }: EndedCall['call']['use'], quote: Quote): string {
  const [, server, tool] = MCP.exec(name) ?? [];
  const title = describeInput(name, input, (text, length) => quote(text, length).slice(1, -1));
  const asked = title === '' ? '' : ` ${quote(title, TEXT)}`;
  if (server === undefined || tool === undefined) return `${bare(name)}${asked}`;
  return `MCP ${quote(server, NAME)} ${quote(tool, NAME)}${asked}`;
}
