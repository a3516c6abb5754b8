import { type Fields, textOf } from '../../protocol/fields.ts';
import { MASKED_LENGTH } from '../../text/words.ts';
import type { Outcome } from '../entry.ts';

/** Input keys that describe a call, most informative first. */
export const DESCRIPTIVE_KEYS = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'description',
  'prompt',
  'skill',
];

/** Maximum code points of unknown keys and of their values. */
const KEY_LENGTH = 80;
const VALUE_LENGTH = 80;

type Cut = (text: string, length: number) => string;

/** Describes the input of a call. @param cutTo shortens values of unknown keys */
export function describeInput(name: string, fields: Fields, cutTo: Cut): string {
  switch (name) {
    case 'Grep':
    case 'Glob':
      return line([fields.pattern, fields.path ?? fields.glob]);
    case 'Task':
    case 'Agent':
      return line([fields.subagent_type, fields.description]);
    case 'Read':
      return line([fields.file_path, range(fields)]);
    default:
      return line([
        fields[DESCRIPTIVE_KEYS.find((key) => typeof fields[key] === 'string') ?? ''] ?? small(fields, cutTo),
      ]);
  }
}

/** The last line of a success, or the line that names the error of a failure. */
export function describeResult(name: string, outcome: Outcome, text: string): string {
  const line = outcome === 'ok' ? undefined : errorLine(name, text);
  const end = text.trimEnd();
  return (line ?? end.slice(end.lastIndexOf('\n') + 1)).slice(0, MASKED_LENGTH);
}

function line(parts: readonly unknown[]): string {
  const texts = parts.filter((part): part is string => typeof part === 'string' && part !== '');
  return texts.map((text) => text.slice(0, MASKED_LENGTH)).join(' ');
}

function range({ offset, limit }: Fields): string | undefined {
  if (typeof offset !== 'number' && typeof limit !== 'number') return undefined;
  const from = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `lines ${from}-${from + limit - 1}` : `from line ${from}`;
}

function small(fields: Fields, cutTo: Cut): string {
  return Object.entries(fields)
    .slice(0, 8)
    .flatMap(([key, value]) => {
      const text = textOf(value) ?? (typeof value === 'number' || typeof value === 'boolean' ? String(value) : '');
      return text === '' ? [] : [`${cutTo(key, KEY_LENGTH)}=${cutTo(text, VALUE_LENGTH)}`];
    })
    .join(' ');
}

/** UTF-16 units that are searched at each end of a text; errors are at the beginning or at the end. */
const SCAN = 2_000;

/** Colors, and claude's marks around an error. */
const MARKUP = /\u001b\[[0-9;?]*[A-Za-z]|<\/?(?:tool_use_error|error)>/g;

/** Lines that report a failure without its cause; any failed run prints them. */
const EMPTY_WORDS =
  /^(?:(?:Error: )?Exit code \d+|exit status \d+|FAIL(?:ED|URE)?|Error:?|Errors?:? ?\d*|Failures:?|Shell cwd was reset.*|\[.{1,40}\] ERROR task failed|.*(?:Command failed with exit code \d+|ELIFECYCLE|A complete log of this run|process (?:exited|completed)|build failed, waiting).*|(?:g?make|ninja)(?:\[\d+\])?: .*|[-=_*~^.\s│|]+|Traceback \(most recent call last\):?|(?:\[.{1,40}\] )?(?:(?:Finished|Done|Completed) in .*|\d+ (?:issues?|errors?|problems?)[.:]?)|FAILED \((?:failures|errors)=.*|npm (?:ERR!|error)(?: (?:code|errno|path|command|Lifecycle script)\b.*)?)$/i;

/** Lines that name a failed test, an error, or a place in a file with a message. */
const FAILURE_LINE =
  /^(?:--- FAIL:|\(fail\) |FAIL(?:ED)?:?\s+\S|not ok \d+|[✗✘✖×●]\s|\d+\) |test .* \.\.\. FAILED)|\b[A-Z]\w*(?:Error|Exception|Failure)\b|\b(?:error|fatal|panic(?:ked)?|fehler)(?:\[\w+\])?(?: \w{1,8})?:|\berror TS\d+|^ERROR\b|\bpanicked at\b|^\S+\.\w{1,6}[:(]\d+(?:[:,]\d+)?\)?:|^\d+:\d+\s+error\b|^E\s{2,}\S|^!\s|\[rejected\]/;

/** Words for failures without a standard form. */
const FAILURE_WORD =
  /\b(?:error|failed|failure|cannot|can't|could ?n[o']t|unable to|not found|no such|denied|refused|rejected|invalid|undefined|unexpected|unknown|missing|timed? ?out|conflict|unsupported|abort(?:ed)?|does not exist|doesn't exist|is not (?:a|an|recognized)|not permitted|already exists)\b/i;

function errorLine(tool: string, text: string): string | undefined {
  const lines = ends(text)
    .replace(MARKUP, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !EMPTY_WORDS.test(line));
  // claude's own tools report the error in the first line and then quote the input.
  if (tool !== 'Bash' && !tool.startsWith('mcp__')) return lines[0];
  return (
    lines.find((line) => FAILURE_LINE.test(line)) ?? lines.find((line) => FAILURE_WORD.test(line)) ?? lines.slice(-3)[0]
  );
}

/** Both ends of a long text, without partial lines. */
function ends(text: string): string {
  if (text.length <= 2 * SCAN) return text;
  const head = text.slice(0, SCAN);
  const tail = text.slice(-SCAN);
  const lastBreak = head.lastIndexOf('\n');
  return `${lastBreak < 0 ? head : head.slice(0, lastBreak)}\n${tail.slice(tail.indexOf('\n') + 1)}`;
}
