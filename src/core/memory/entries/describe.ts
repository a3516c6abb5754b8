import type { Fields } from '../../protocol/fields.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import type { Outcome } from '../entry.ts';
import { type Cutter, LONG_LINE_LENGTH } from '../words.ts';
import { errorLine } from './error-signature.ts';

/** Inputs that say what a call is about, most telling first. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'prompt', 'skill'];

/** Of a text that may be very long this much is taken: secrets are masked in it before it is cut to a line. */
const NEAR = 4 * LONG_LINE_LENGTH;

/** Code points of the inputs whose keys say nothing to us. */
const KEY_LENGTH = 80;
const VALUE_LENGTH = 80;

/** What a tool was asked for, in words of its input. `cutTo` is for those of which only the beginning is told. */
export function describeInput(name: string, input: unknown, cutTo: Cutter): string {
  const fields = fieldsOf(input);
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
      return line([fields[TELLING.find((key) => typeof fields[key] === 'string') ?? ''] ?? small(fields, cutTo)]);
  }
}

/** The outcome: of a success the last line, of a failure the line that names the error. */
export function describeResult(name: string, outcome: Outcome, text: string): string {
  const line = outcome === 'ok' ? undefined : errorLine(name, text);
  return (line ?? lastLine(text)).slice(0, NEAR);
}

function lastLine(text: string): string {
  const end = text.trimEnd();
  return end.slice(end.lastIndexOf('\n') + 1);
}

function line(parts: readonly unknown[]): string {
  const texts = parts.filter((part): part is string => typeof part === 'string' && part !== '');
  return texts.map((text) => text.slice(0, NEAR)).join(' ');
}

function range({ offset, limit }: Fields): string | undefined {
  if (typeof offset !== 'number' && typeof limit !== 'number') return undefined;
  const from = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `lines ${from}-${from + limit - 1}` : `from line ${from}`;
}

/** The short values of an input whose keys say nothing to us (tools of MCP servers). */
function small(fields: Fields, cutTo: Cutter): string {
  return Object.entries(fields)
    .slice(0, 8)
    .flatMap(([key, value]) => {
      const text = textOf(value) ?? (typeof value === 'number' || typeof value === 'boolean' ? String(value) : '');
      return text === '' ? [] : [`${cutTo(key, KEY_LENGTH)}=${cutTo(text, VALUE_LENGTH)}`];
    })
    .join(' ');
}
