import { type Fields, fieldsOf, textOf } from '../protocol/fields.ts';
import { summarizeOutput } from './call-summary/command-output.ts';
import { summarizeCall } from './call-summary/summarize-call.ts';
import { describeInput, describeResult, errorSignature } from './entries/describe.ts';
import type { CommandFacts, Entry, FileChange, Swap, ToolEntry } from './entry.ts';
import type { Found } from './extract/extract.ts';
import { commandEffects, commandFacts, type EndedCall } from './extract/tool-calls.ts';
import { createWorkingFolder, type WorkingFolder } from './paths.ts';
import type { ShellEffects } from './shell/shell-effects.ts';
import { cut, cutterWith, LONG_LINE_LENGTH, lastLines, type Mask, oneLine } from './words.ts';

/** Commands longer than this (heredocs with whole files) are kept in part. */
const COMMAND_LENGTH = 10_000;

/** Of a failure's output this much of the end is kept. */
const TAIL_LINES = 20;
const TAIL_LENGTH = 2_000;

/** Makes entries of what was found, in order: analysed, bounded and masked. */
export function createEntryMaker(mask: Mask): (found: Found) => Entry {
  const folder = createWorkingFolder();
  return (found) => {
    switch (found.kind) {
      case 'call':
        return toolEntry(found, folder, mask);
      case 'prompt': {
        const { kind, t, texts, pictures } = found;
        return { kind, t, text: mask(texts), pictures };
      }
      case 'task':
        return { ...found, agent: found.agent && mask(found.agent), id: mask(found.id), subject: mask(found.subject) };
      case 'state':
        return { ...found, from: found.from && line(mask(found.from)), to: line(mask(found.to)) };
      case 'remark':
        return { ...found, text: line(mask(found.text)) };
    }
  };
}

/** Masked before it is cut: half a secret is not recognised. */
function line(text: string): string {
  return oneLine(text, LONG_LINE_LENGTH);
}

function toolEntry(found: EndedCall, folder: WorkingFolder, mask: Mask): ToolEntry {
  const ended = withoutSecrets(found, mask);
  const { call, result, outcome, t } = ended;
  const { id, name, input } = call.use;
  folder.at(call.root, call.cwd);
  const command = commandFacts(ended);
  const effects = commandEffects(ended);
  const files = filesOf(ended, effects, folder, mask);
  // The place where this command ends is where the next one begins.
  if (command !== undefined && outcome !== 'refused') folder.ran(command.text);
  return {
    kind: 'tool',
    t: t ?? 0,
    id: line(id),
    name: line(name),
    agent: call.agent && mask(call.agent),
    outcome,
    title: line(mask(describeInput(name, input, cutterWith(mask)))),
    said: line(describeResult(name, outcome, result.text)),
    gist: summarizeCall(ended, { command, summarizeOutput, placeOf: folder.path, mask }),
    input: fingerprint(comparedInput(name, input)),
    output: fingerprint(found.result.text),
    signature: outcome === 'ok' ? undefined : errorSignature(name, result.text),
    command: command && maskedCommand(command, effects, mask),
    ...files,
  };
}

/** Masked before lines are picked from it: a line of a key, or a secret split over two blocks, is not known alone. */
function withoutSecrets(ended: EndedCall, mask: Mask): EndedCall {
  const { text, texts } = ended.result;
  return { ...ended, result: { ...ended.result, text: mask(texts ?? text) } };
}

/** The input without the description, which differs for equal commands. */
function comparedInput(name: string, input: unknown): unknown {
  if (name !== 'Bash') return input;
  const { description: _, ...deed } = fieldsOf(input);
  return deed;
}

type Files = Pick<ToolEntry, 'reads' | 'changes' | 'swaps'>;

function filesOf(ended: EndedCall, effects: ShellEffects | undefined, folder: WorkingFolder, mask: Mask): Files {
  const { call, result, report, outcome } = ended;
  const { name, input } = call.use;
  if (outcome !== 'ok') return {};
  const work = fileWork(name, input, result.text, report);
  const reads = name === 'Read' ? textOf(fieldsOf(input).file_path) : undefined;
  const named = (path: string) => mask(folder.path(path));
  const moved = (to: string | undefined) => (to === undefined ? {} : { to: mask(to) });
  const changes = [
    ...work.changes.map((change) => ({ ...change, path: named(change.path) })),
    ...folder
      .certain(effects?.changes ?? [])
      .map(({ path, change, to }) => ({ path: mask(path), change, ...moved(to) })),
  ];
  const swaps = work.swaps.map(({ path, before, after }) => {
    return { path: named(path), before: fingerprint(before), after: fingerprint(after) };
  });
  return {
    reads: reads === undefined ? undefined : named(reads),
    ...(changes.length === 0 ? {} : { changes }),
    swaps: swaps.length === 0 ? undefined : swaps,
  };
}

function maskedCommand(command: CommandFacts, effects: ShellEffects | undefined, mask: Mask): CommandFacts {
  const { text, tail } = command;
  const { how, paths } = effects?.discards ?? {};
  return {
    ...command,
    text: cut(mask(text), COMMAND_LENGTH),
    tail: tail === '' ? '' : lastLines(mask(tail), TAIL_LINES, TAIL_LENGTH),
    discards: how && paths && { how, paths: paths === 'all' ? paths : paths.map((path) => mask(path)) },
    commits: effects?.commits || undefined,
  };
}

/** Deeper values count as equal: no tool's input nests so deep, and a hostile one must not end the run. */
const MAX_DEPTH = 32;

/**
 * A short text that is equal for equal values, whatever the order of their keys. Not for security: it tells repeated
 * tool calls and edits apart from others. Two 32-bit FNV-1a hashes with different starts.
 */
function fingerprint(value: unknown): string {
  const text = typeof value === 'string' ? value : canonical(value, 0);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

function canonical(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(',')}}`;
}

interface FileWork {
  readonly changes: readonly FileChange[];
  /** With the texts themselves. */
  readonly swaps: readonly Swap[];
}

const NONE: FileWork = { changes: [], swaps: [] };

/** Tools that write files. */
const WRITES = /^(?:Write|(?:Multi|Notebook)?Edit)$/;

function fileWork(name: string, input: unknown, text: string, report: unknown): FileWork {
  const fields = fieldsOf(input);
  const path = textOf(name === 'NotebookEdit' ? fields.notebook_path : fields.file_path) ?? '';
  if (!WRITES.test(name) || path === '') return NONE;
  const change = name === 'Write' && isNew(text, fieldsOf(report)) ? 'created' : 'edited';
  return { changes: [{ path, change }], swaps: readSwaps(path, fields) };
}

function isNew(text: string, report: Fields): boolean {
  return typeof report.type === 'string' ? report.type === 'create' : text.startsWith('File created');
}

function readSwaps(path: string, fields: Fields): Swap[] {
  const edits = Array.isArray(fields.edits) ? fields.edits.map(fieldsOf) : [fields];
  return edits.flatMap((edit) => {
    const before = textOf(edit.old_string);
    const after = textOf(edit.new_string);
    if (before === undefined || after === undefined || isIncidental(before, after)) return [];
    return [{ path, before, after }];
  });
}

/** A longer edit is not incidental. */
const MAX_LENGTH = 4_000;

/** An import of another file or package, in the forms of common languages; Go writes a list of quoted paths. */
const IMPORT =
  /^(?:import\b|from\s+\S+\s+import\b|export\s.*\bfrom\b|(?:pub\s+)?use\s+[\w:{]|using\s+[\w.]+;|#\s*include\b|require\b|(?:const|let|var)\s+.*\brequire\(|(?:[\w.]+\s+)?"[\w./@-]+"(?:\s*\/\/.*)?$|\}\s*from\s+['"])/;

/** Comments, brackets and empty lines. */
const SILENT = /^(?:\/\/.*|\/\*.*|\*.*|#(?!include).*|<!--.*|--\s.*|[()[\]{},;]*)$/;

/** Debug output, and marks of temporary code. */
const PROBE =
  /\bDEBUG\b|\bdebugger\b|\bTEMP(?:ORARY)?\b|\bEXPERIMENT\b|\bXXX\b|[Rr]emove (?:after|before|when|me|this)|\b(?:temporarily|debug logging)\b|console\.\w+\(|\bf?print(?:ln|f)?!?\(|\bdbg!|\beprint|\bFprint(?:ln|f)?\(os\.Std|\bfmt\.Print|\bt\.Logf?\(|\blog\.(?:Print|print)|\bSystem\.(?:out|err)\.|\bvar_dump\(|\bbinding\.pry|\bbreakpoint\(\)|\bset_trace\(|\bputs\s/;

/**
 * Whether an edit is no approach: it adds or removes imports, comments, white space or debug output. Undoing it says
 * nothing about what works. Symmetric in its arguments.
 */
export function isIncidental(before: string, after: string): boolean {
  if (before.length + after.length > MAX_LENGTH) return false;
  const lines = different(before, after);
  if (lines.length === 0) return before.replace(/\s+/g, '') === after.replace(/\s+/g, '');
  return lines.every((line) => SILENT.test(line) || IMPORT.test(line)) || lines.some((line) => PROBE.test(line));
}

/** The lines that only one of the two has, trimmed. */
function different(before: string, after: string): string[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  return [...old.filter((line) => !young.includes(line)), ...young.filter((line) => !old.includes(line))];
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}
