import { fieldsOf, textOf } from '../../stream/fields.ts';
import { describeResult } from '../entries/describe.ts';
import type { CommandFacts } from '../entry.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { commandEnd } from '../notebook/command-text.ts';
import { type KnownCommand, knownCommand } from './known-command.ts';
import { bare, type Quote, TEXT } from './quote.ts';
import { sumUp } from './sum-up.ts';
import { tellKept, tellText } from './text-result.ts';

/** Kinds of commands that say with the exit status 1 what they have found. */
const ANSWERS: ReadonlySet<KnownCommand['kind']> = new Set(['grep', 'diff']);

/** The command, how it ended, and what it printed: in its own units where they are known, else the last line. */
export function tellCommand(ended: EndedCall, command: CommandFacts, quote: Quote): string {
  const head = `${bare(ended.call.use.name)} ${quote(command.text, TEXT)} ${commandEnd(command, ended.outcome)}`;
  const summary = summaryOf(ended, command, quote);
  return summary === '' ? head : `${head} — ${summary}`;
}

function summaryOf(ended: EndedCall, { text, exit, background }: CommandFacts, quote: Quote): string {
  const { outcome, result, call } = ended;
  if (background && exit === null) return '';
  const known = outcome === 'ok' || exit === 1 ? knownCommand(text) : undefined;
  if (outcome === 'ok' || (known !== undefined && ANSWERS.has(known.kind))) return outputOf(ended, known, quote);
  const said = describeResult(call.use.name, outcome, result.text);
  return said === '' ? '' : quote(said, TEXT);
}

function outputOf(ended: EndedCall, known: KnownCommand | undefined, quote: Quote): string {
  const printed = printedBy(ended);
  const kept = tellKept(ended, quote);
  const summary = known && sumUp(kept === undefined ? known : { ...known, limit: 0 }, printed, quote);
  if (summary !== undefined) return kept === undefined ? summary : `${summary}; ${kept}`;
  return kept ?? (printed.trim() === '' ? 'no output' : tellText(printed, 'last', quote));
}

/** What claude says beside the output. */
const BESIDE = /(?:^|\n)Shell cwd was reset to [^\n]{0,1000}\s{0,9}$/;
const BEFORE = /^(?:Error: )?Exit code \d{1,3}(?:\n|$)/;
const NOTHING = /^\(\S+ completed with no output\)$/;

function printedBy({ report, result }: EndedCall): string {
  const { stdout, stderr } = fieldsOf(report);
  const output = textOf(stdout) ?? result.text.replace(BEFORE, '');
  const errors = (textOf(stderr) ?? '').trim();
  // Several versions report the two apart; the last words of a failing program are among the errors.
  const whole = output.trim() === '' ? errors : output;
  const tail = whole.slice(-2_000);
  const clean = whole.slice(0, whole.length - tail.length) + tail.replace(BESIDE, '');
  return NOTHING.test(clean) ? '' : clean;
}
