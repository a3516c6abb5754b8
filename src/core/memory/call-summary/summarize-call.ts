import { type Fields, fieldsOf, groupsIn, ownOf, stringOf, textOf } from '../../protocol/fields.ts';
import { LONG_LINE_LENGTH, type Mask, oneLine, pluralize } from '../../text/words.ts';
import type { CommandFacts } from '../entry.ts';
import { commandEnd, commandFacts, type EndedCall, withoutExitLine } from '../extract/tool-calls.ts';
import { describeInput, describeResult } from './describe-call.ts';
import { summarizeSearch } from './found-files.ts';
import { type DisplayPath, summarizeEdit, summarizeRead } from './summarize-files.ts';
import {
  createQuote,
  describeKept,
  NAME_LENGTH,
  NO_TEXT,
  PATH_LENGTH,
  type Quote,
  shortenLine,
  summarizeText,
  TEXT_LENGTH,
  withoutBackticks,
} from './text-result.ts';

interface SummaryContext {
  /** Summarizes a command's output if its format is known; otherwise the last line is used. */
  readonly summarizeOutput?: (command: string, text: string, isPart: boolean, quote: Quote) => string | undefined;
  readonly placeOf?: DisplayPath;
  readonly mask: Mask;
}

/** A call and its result on one line of at most 500 code points, with text from tools in backticks. */
export function summarizeCall(ended: EndedCall, context: SummaryContext): string {
  const { mask, placeOf = (path) => path } = context;
  const quote = createQuote(mask);
  const tell = (ended.outcome === 'ok' && ownOf(SUMMARIES, ended.use.name)) || summarizeOther;
  const line = summarizeCommand(ended, context, quote) ?? tell(ended, quote, placeOf);
  return shortenLine(oneLine(line, 4 * LONG_LINE_LENGTH), LONG_LINE_LENGTH);
}

function summarizeCommand(ended: EndedCall, context: SummaryContext, quote: Quote): string | undefined {
  const command = commandFacts(ended);
  if (command === undefined) return undefined;
  const head = `${withoutBackticks(ended.use.name)} ${quote(command.text, TEXT_LENGTH)} ${commandEnd(command, ended.outcome)}`;
  if (command.background && command.exit === null) {
    const [file] = groupsIn(OUTPUT_FILE_NOTICE, ended.result.text);
    return file === undefined ? head : `${head}, its output in ${quote(file, PATH_LENGTH)}`;
  }
  const output = outputOf(ended, command, context, quote);
  return output === '' ? head : `${head} — ${output}`;
}

const OUTPUT_FILE_NOTICE = /Output is being written to: (\/\S{1,500}\.output)\./;

function outputOf(ended: EndedCall, { text }: CommandFacts, { summarizeOutput }: SummaryContext, quote: Quote): string {
  if (ended.outcome !== 'ok') return failureOf(ended, quote);
  const printed = printedBy(ended);
  const kept = describeKept(ended, quote);
  const summary = summarizeOutput?.(text, printed, kept !== undefined, quote);
  const known = [summary, kept].filter(Boolean).join('; ');
  return known || (printed.trim() === '' ? 'no output' : summarizeText(printed, 'last', quote));
}

function failureOf({ use, outcome, result }: EndedCall, quote: Quote): string {
  const description = describeResult(use.name, outcome, result.text);
  return description && quote(description, TEXT_LENGTH);
}

/** Text that claude adds to the output. */
const CWD_NOTICE = /(?:^|\n)Shell cwd was reset to [^\n]{0,1000}\s{0,9}$/;

function printedBy({ report, result }: EndedCall): string {
  const { stdout, stderr } = report;
  const output = textOf(stdout) ?? withoutExitLine(result);
  const errors = stringOf(stderr).trim();
  // Some versions of claude report stdout and stderr separately; a failing program explains itself on stderr.
  const whole = output.trim() === '' ? errors : output;
  const withoutNotice = whole.replace(CWD_NOTICE, '');
  return NO_TEXT.test(withoutNotice) ? '' : withoutNotice;
}

type Summarize = (ended: EndedCall, quote: Quote, placeOf: DisplayPath) => string;

/** Summaries of successful calls, by tool name. */
const SUMMARIES: Readonly<Record<string, Summarize>> = {
  Read: summarizeRead,
  Write: summarizeEdit,
  Edit: summarizeEdit,
  NotebookEdit: summarizeEdit,
  Grep: summarizeSearch,
  Glob: summarizeSearch,
};

const MCP = /^mcp__(.+?)__(.+)$/s;

function summarizeOther(ended: EndedCall, quote: Quote): string {
  const { use, input, result, report, outcome } = ended;
  const { name } = use;
  const head = headOf(name, input, quote);
  if (outcome !== 'ok') {
    const failure = failureOf(ended, quote);
    return `${head} ${outcome}${failure && `: ${failure}`}`;
  }
  const { isAsync, outputFile } = report;
  if (isAsync === true) return `${head} in the background: ${quote(stringOf(outputFile), PATH_LENGTH)}`;
  const { todos } = input;
  if (name === 'TodoWrite' && Array.isArray(todos)) {
    const done = todos.filter((item) => fieldsOf(item).status === 'completed').length;
    return `TodoWrite: ${pluralize(todos.length, 'item')}, ${done} completed`;
  }
  const pictures = result.images === 0 ? [] : [pluralize(result.images, 'picture')];
  const answer = describeKept(ended, quote) ?? summarizeText(result.text, 'first', quote);
  const text = result.text === '' && pictures.length > 0 ? [] : [answer];
  return `${head}: ${[...pictures, ...text].join(', ')}`;
}

function headOf(name: string, input: Fields, quote: Quote): string {
  const [server, tool] = groupsIn(MCP, name);
  const title = describeInput(name, input, (text, length) => quote(text, length).slice(1, -1));
  const titleText = title === '' ? '' : ` ${quote(title, TEXT_LENGTH)}`;
  if (server === undefined || tool === undefined) return `${withoutBackticks(name)}${titleText}`;
  return `MCP ${quote(server, NAME_LENGTH)} ${quote(tool, NAME_LENGTH)}${titleText}`;
}
