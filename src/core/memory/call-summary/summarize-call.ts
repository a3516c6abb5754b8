import { type Fields, fieldsOf, listOf, numberOf, ownOf, textOf, textsOf } from '../../protocol/fields.ts';
import { describeInput, describeResult } from '../entries/describe.ts';
import type { CommandFacts } from '../entry.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { commandEnd } from '../extract/tool-calls.ts';
import { counted, durationText, LONG_LINE_LENGTH, type Mask, oneLine } from '../words.ts';
import type { Printed } from './command-output.ts';
import { listed } from './found-files.ts';
import { summarizeEdit, summarizeRead, summarizeSearch } from './summarize-files.ts';
import {
  bare,
  bytesOf,
  describeKept,
  NAME,
  NO_TEXT,
  PATH,
  type Quote,
  quoteWith,
  shortenedLine,
  sizeText,
  summarizeText,
  TEXT,
} from './text-result.ts';

export interface SummaryContext {
  /** Of the command that it ran. */
  readonly command: CommandFacts | undefined;
  /** Sums up what a command printed, where its format is known; without it, the last line is told. */
  readonly summarizeOutput?: (command: string, output: Printed, quote: Quote) => string | undefined;
  /** A path as it is named in the notes. */
  readonly placeOf: (path: string) => string;
  readonly mask: Mask;
}

/**
 * A call and its result on one line, at most 500 code points, as it fits the kind of tool: counts, names and the most
 * telling line. Text from tools stands between backticks.
 */
export function summarizeCall(ended: EndedCall, context: SummaryContext): string {
  const quote = quoteWith(context.mask);
  const tell = (ended.outcome === 'ok' && ownOf(SUMMARIES, ended.call.use.name)) || summarizeOther;
  const line = summarizeCommand(ended, context, quote) ?? tell(ended, quote, context.placeOf);
  return shortenedLine(oneLine(line, 4 * LONG_LINE_LENGTH), LONG_LINE_LENGTH);
}

/** The command, how it ended, and a summary of its output, or else the last line. */
function summarizeCommand(ended: EndedCall, context: SummaryContext, quote: Quote): string | undefined {
  const { command } = context;
  if (command === undefined) return undefined;
  const head = `${bare(ended.call.use.name)} ${quote(command.text, TEXT)} ${commandEnd(command, ended.outcome)}`;
  if (command.background && command.exit === null) {
    const [, file] = WRITTEN_TO.exec(ended.result.text) ?? [];
    return file === undefined ? head : `${head}, its output in ${quote(file, PATH)}`;
  }
  const output = outputOf(ended, command, context, quote);
  return output === '' ? head : `${head} — ${output}`;
}

const WRITTEN_TO = /Output is being written to: (\/\S{1,500}\.output)\./;

function outputOf(
  ended: EndedCall,
  { text, exit }: CommandFacts,
  { summarizeOutput }: SummaryContext,
  quote: Quote,
): string {
  const { outcome, result, call } = ended;
  const printed = printedBy(ended);
  const kept = describeKept(ended, quote);
  // For a search, status 1 is an answer: nothing found.
  const isAnswer = outcome === 'ok' || exit === 1;
  const summary = isAnswer ? summarizeOutput?.(text, { text: printed, isPart: kept !== undefined }, quote) : undefined;
  if (summary !== undefined) return kept === undefined ? summary : `${summary}; ${kept}`;
  if (outcome === 'ok') return kept ?? (printed.trim() === '' ? 'no output' : summarizeText(printed, 'last', quote));
  const said = describeResult(call.use.name, outcome, result.text);
  return said === '' ? '' : quote(said, TEXT);
}

/** What claude adds to the output. */
const BESIDE = /(?:^|\n)Shell cwd was reset to [^\n]{0,1000}\s{0,9}$/;
const BEFORE = /^(?:Error: )?Exit code \d{1,3}(?:\n|$)/;

function printedBy({ report, result }: EndedCall): string {
  const { stdout, stderr } = fieldsOf(report);
  const output = textOf(stdout) ?? result.text.replace(BEFORE, '');
  const errors = (textOf(stderr) ?? '').trim();
  // Some versions of claude report the two apart; a failing program says why on stderr.
  const whole = output.trim() === '' ? errors : output;
  const tail = whole.slice(-2_000);
  const clean = whole.slice(0, whole.length - tail.length) + tail.replace(BESIDE, '');
  return NO_TEXT.test(clean) ? '' : clean;
}

type Summarize = (ended: EndedCall, quote: Quote, placeOf: SummaryContext['placeOf']) => string;

/** By the names of tools, for calls that succeeded. */
const SUMMARIES: Readonly<Record<string, Summarize>> = {
  Read: summarizeRead,
  Write: summarizeEdit,
  Edit: summarizeEdit,
  MultiEdit: summarizeEdit,
  NotebookEdit: summarizeEdit,
  Grep: summarizeSearch,
  Glob: summarizeSearch,
  Task: summarizeAgent,
  Agent: summarizeAgent,
  TaskOutput: summarizeTaskOutput,
  WebFetch: summarizeFetch,
  WebSearch: summarizeWebSearch,
};

/** `Agent Explore "Count the tests" (12 calls, 37,089 tokens, 3.2 s): 14 lines, 1.2KB, first …`. */
function summarizeAgent({ call, report, result }: EndedCall, quote: Quote): string {
  const input = fieldsOf(call.use.input);
  const fields = fieldsOf(report);
  const type = textOf(fields.agentType) ?? textOf(input.subagent_type);
  const description = textOf(input.description);
  const who = [call.use.name, type && quote(type, NAME), description && quote(description, NAME)]
    .filter(Boolean)
    .join(' ');
  if (fields.isAsync === true || result.text.startsWith('Async agent launched')) {
    const output = textOf(fields.outputFile);
    return `${who} in the background${output === undefined ? '' : `, its output in ${quote(output, PATH)}`}`;
  }
  const effort = effortOf(fields);
  return `${who}${effort === '' ? '' : ` (${effort})`}: ${summarizeText(answerOf(fields) ?? result.text, 'first', quote)}`;
}

function effortOf({ totalToolUseCount, totalTokens, totalDurationMs }: Fields): string {
  return [
    ...told(totalToolUseCount, (calls) => counted(calls, 'call')),
    ...told(totalTokens, (tokens) => counted(tokens, 'token')),
    ...told(totalDurationMs, durationText),
  ].join(', ');
}

function told(value: unknown, tell: (value: number) => string): string[] {
  const number = numberOf(value);
  return number === undefined ? [] : [tell(number)];
}

/** The subagent's answer, without what claude adds to it for the model. */
function answerOf({ content }: Fields): string | undefined {
  return Array.isArray(content) ? textsOf(content.map((block) => fieldsOf(block).text)).join('\n') : undefined;
}

/** The progress of a background task: `TaskOutput a02cdeb (local_agent, running, 12.3KB)`. */
function summarizeTaskOutput({ call, report, result }: EndedCall, quote: Quote): string {
  const { task_type, status, output, result: answer } = fieldsOf(fieldsOf(report).task);
  const id = textOf(fieldsOf(call.use.input).task_id) ?? '';
  const text = textOf(answer) ?? textOf(output);
  const states = textsOf([task_type, status]).map((state) => quote(state, NAME));
  const known = text !== undefined && states.length > 0;
  const extent = known ? ` (${[...states, sizeText(bytesOf(text))].join(', ')})` : '';
  return `TaskOutput ${quote(id, NAME)}${extent}: ${summarizeText(known ? text : result.text, 'last', quote)}`;
}

/** `WebFetch https://example.org (200, 63.1KB): 14 lines, 1.2KB, first …`. */
function summarizeFetch({ call, report, result }: EndedCall, quote: Quote): string {
  const { code, bytes, result: answer } = fieldsOf(report);
  const extent = [...told(code, String), ...told(bytes, sizeText)].join(', ');
  const url = quote(textOf(fieldsOf(call.use.input).url) ?? '', PATH);
  return `WebFetch ${url}${extent === '' ? '' : ` (${extent})`}: ${summarizeText(textOf(answer) ?? result.text, 'first', quote)}`;
}

const MAX_TITLES = 3;

/** `WebSearch query: 10 results: title, title, title... (+7 more)`. */
function summarizeWebSearch({ call, report, result }: EndedCall, quote: Quote): string {
  const query = quote(textOf(fieldsOf(call.use.input).query) ?? '', PATH);
  const { results } = fieldsOf(report);
  // Between the lists of links stand the model's comments on them.
  const links = listOf(results).flatMap((part) => listOf(fieldsOf(part).content));
  const titles = textsOf(links.map((link) => fieldsOf(link).title));
  if (titles.length === 0) return `WebSearch ${query}: ${summarizeText(result.text, 'first', quote)}`;
  return `WebSearch ${query}: ${counted(titles.length, 'result')}: ${listed(titles, MAX_TITLES, (title) => quote(title, NAME))}`;
}

/** A tool of an MCP server: `mcp__server__tool`. */
const MCP = /^mcp__(.+?)__(.+)$/s;

function summarizeOther(ended: EndedCall, quote: Quote): string {
  const { call, result, outcome } = ended;
  const { name, input } = call.use;
  if (outcome !== 'ok') {
    const said = describeResult(name, outcome, result.text);
    return `${headOf(call.use, quote)} ${outcome}${said === '' ? '' : `: ${quote(said, TEXT)}`}`;
  }
  const { todos } = fieldsOf(input);
  if (name === 'TodoWrite' && Array.isArray(todos)) return `TodoWrite: ${todosText(todos)}`;
  const pictures = result.images === 0 ? [] : [counted(result.images, 'picture')];
  const answer = describeKept(ended, quote) ?? summarizeText(result.text, MCP.test(name) ? 'first' : 'last', quote);
  const text = result.text === '' && pictures.length > 0 ? [] : [answer];
  return `${headOf(call.use, quote)}: ${[...pictures, ...text].join(', ')}`;
}

function todosText(todos: readonly unknown[]): string {
  const done = todos.filter((item) => fieldsOf(item).status === 'completed').length;
  return `${counted(todos.length, 'item')}, ${done} completed`;
}

function headOf({ name, input }: EndedCall['call']['use'], quote: Quote): string {
  const [, server, tool] = MCP.exec(name) ?? [];
  const title = describeInput(name, input, (text, length) => quote(text, length).slice(1, -1));
  const asked = title === '' ? '' : ` ${quote(title, TEXT)}`;
  if (server === undefined || tool === undefined) return `${bare(name)}${asked}`;
  return `MCP ${quote(server, NAME)} ${quote(tool, NAME)}${asked}`;
}
