import type { Fields } from '../../stream/fields.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { Outcome } from '../entry.ts';
import { LONG_LINE_LENGTH, oneLine } from '../words.ts';
import { errorLine } from './error-signature.ts';

/** Inputs that say what a call is about, most telling first. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'prompt', 'skill'];

/** Of a text that may be very long this much is taken: secrets are masked in it before it is cut to a line. */
const NEAR = 4 * LONG_LINE_LENGTH;

/** What a tool was asked for, in words of its input. */
export function describeInput(name: string, input: unknown): string {
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
      return line([fields[TELLING.find((key) => typeof fields[key] === 'string') ?? ''] ?? small(fields)]);
  }
}

/** What came of it: of a success the last line, of a failure the line that names the error. */
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
function small(fields: Fields): string {
  return Object.entries(fields)
    .slice(0, 8)
    .flatMap(([key, value]) => {
      const text = textOf(value) ?? (typeof value === 'number' || typeof value === 'boolean' ? String(value) : '');
      return text === '' ? [] : [`${key}=${oneLine(text, 80)}`];
    })
    .join(' ');
}
