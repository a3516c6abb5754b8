import type { Input } from '../governor/input.ts';
import { promptsInTurn, waiting } from '../governor/prompts/mailbox.ts';
import type { GovernorState } from '../governor/state.ts';
import { type Fields, fieldsOf, isFields, jsonText, stringOf, textOf } from '../protocol/fields.ts';
import { cut, cutterWith, LONG_LINE_LENGTH, lastLines, type Mask, oneLine } from '../text/words.ts';
import { summarizeOutput } from './call-summary/command-output.ts';
import { describeInput, describeResult } from './call-summary/describe-call.ts';
import { summarizeCall } from './call-summary/summarize-call.ts';
import type { CommandFacts, Entry, ToolEntry } from './entry.ts';
import { createExtractor, type ExtractedFact, type ExtractOptions } from './extract/extract.ts';
import { commandFacts, type EndedCall } from './extract/tool-calls.ts';

/** Makes entries from inputs, for runs and for claude's logs: finds facts, then analyzes and masks them. */
export function createEntrySource(options: ExtractOptions & { readonly mask: Mask }) {
  const extractor = createExtractor(options);
  const entryOf = createEntryMaker(options.mask);
  let held: readonly { readonly event: Input['event']; readonly prompt: ExtractedFact }[] = [];

  /** Delays the caller's prompts until claude receives them: the notes contain only prompts that were sent. */
  function releaseSent(
    { event, from, t }: Input,
    found: readonly ExtractedFact[],
    state: GovernorState,
  ): readonly ExtractedFact[] {
    if (from === 'caller') held = [...held, ...found.map((prompt) => ({ event, prompt }))];
    if (held.length === 0) return from === 'caller' ? [] : found;
    const unsent = new Set<Input['event']>(waiting(state).map((prompt) => prompt.event));
    const due = held.filter((each) => !unsent.has(each.event)).map(({ prompt }) => ({ ...prompt, t }));
    held = held.filter((each) => unsent.has(each.event));
    return from === 'caller' ? due : [...found, ...due];
  }

  return {
    earlier: extractor.earlier,
    /** @param state after the input; undefined for a log of claude, which contains only prompts that it received */
    add(input: Input, state?: GovernorState): Entry[] {
      const found = extractor.add(input);
      if (state === undefined) return found.map(entryOf);
      return releaseSent(input, found, state).map((each) => entryOf(asHandoff(each, state)));
    },
  };
}

/** Turns a new conversation into a handoff if ctxb started it; the caller's own `/clear` stays a clear. */
function asHandoff(found: ExtractedFact, state: GovernorState): ExtractedFact {
  const { run, session } = state;
  const isNew = found.kind === 'state' && (found.what === 'clear' || found.what === 'session');
  if (!isNew || run.mode !== 'act' || promptsInTurn(state).some(({ command }) => command === 'clear')) return found;
  // The line that reports the cleared conversation still has the old id.
  const to = found.what === 'clear' ? 'goes on in a fresh context' : `goes on as session ${session.id ?? run.runId}`;
  return { kind: 'state', t: found.t, what: 'handoff', to };
}

/** Maximum code points of a stored command; longer commands, such as heredocs with whole files, are cut. */
const COMMAND_LENGTH = 10_000;

/** Last lines of a failure's output to keep, and their UTF-16 units. */
const TAIL_LINES = 20;
const TAIL_LENGTH = 2_000;

/** Makes entries from facts, in order: analyzed, bounded and masked. */
export function createEntryMaker(mask: Mask): (found: ExtractedFact) => Entry {
  /** The project's folder; paths inside are stored relative to it. */
  let root: string | undefined;
  const placeOf = (path: string) => {
    const rest = root !== undefined && path.startsWith(root) ? path.slice(root.length) : '';
    return /^[\\/]./.test(rest) ? rest.slice(1) : path.replace(/^\.\//, '');
  };
  return (found) => {
    switch (found.kind) {
      case 'call':
        root ??= found.root || undefined;
        return toolEntry(found, placeOf, mask);
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

/** Cuts to one line. Callers mask first, because a cut secret is not recognized. */
function line(text: string): string {
  return oneLine(text, LONG_LINE_LENGTH);
}

function toolEntry(found: EndedCall, placeOf: (path: string) => string, mask: Mask): ToolEntry {
  const ended = withoutSecrets(found, mask);
  const { use, input, agent, result, outcome, t = 0 } = ended;
  const { id, name } = use;
  const command = commandFacts(ended);
  return {
    kind: 'tool',
    t,
    id: line(id),
    name: line(name),
    agent: agent && mask(agent),
    outcome,
    title: line(mask(describeInput(name, input, cutterWith(mask)))),
    said: line(describeResult(name, outcome, result.text)),
    gist: summarizeCall(ended, { summarizeOutput, placeOf, mask }),
    input: fingerprint(inputToCompare(use)),
    command: command && maskedCommand(command, mask),
    ...fileOf(ended, (path) => mask(placeOf(path))),
  };
}

/** Masks the whole result: a single line of a key, or half of a secret split over two blocks, is not recognized. */
function withoutSecrets(ended: EndedCall, mask: Mask): EndedCall {
  const { text, texts } = ended.result;
  return { ...ended, result: { ...ended.result, text: mask(texts ?? text) } };
}

/** The input without its description, which may differ between equal commands. */
function inputToCompare({ name, input }: EndedCall['use']): unknown {
  if (name !== 'Bash') return input;
  const { description: _, ...compared } = fieldsOf(input);
  return compared;
}

const FILE_TOOLS = /^(?:Read|Write|Edit|MultiEdit|NotebookEdit)$/;

function fileOf(
  { use: { name }, input, result, report, outcome }: EndedCall,
  named: (path: string) => string,
): Partial<ToolEntry> {
  const path = textOf(input.file_path ?? input.notebook_path);
  if (outcome !== 'ok' || !path || !FILE_TOOLS.test(name)) return {};
  if (name === 'Read') return { reads: named(path) };
  const isNew = typeof report.type === 'string' ? report.type === 'create' : result.text.startsWith('File created');
  const change = name === 'Write' && isNew ? 'created' : 'edited';
  return { change: { path: named(path), change }, reverse: reverseOf(input) };
}

/** Fingerprint of the input that takes an edit back; undefined if the edit changes nothing of meaning. */
function reverseOf(input: Fields): string | undefined {
  const { old_string: before, new_string: after } = input;
  if (meaningOf(before) === meaningOf(after)) return undefined;
  return fingerprint({ ...input, old_string: after, new_string: before });
}

/** Imports in common languages (Go lists quoted paths), comments, brackets, and empty lines. */
const INSIGNIFICANT_LINE =
  /^(?:import\b|from\s+\S+\s+import\b|export\s.*\bfrom\b|(?:pub\s+)?use\s+[\w:{]|using\s+[\w.]+;|#\s*include\b|require\b|(?:const|let|var)\s+.*\brequire\(|(?:[\w.]+\s+)?"[\w./@-]+"(?:\s*\/\/.*)?$|\}\s*from\s+['"]|\/\/|\/\*|\*|#|<!--|--\s|[()[\]{},;]*$)/;

/** The lines with a meaning, sorted. */
function meaningOf(text: unknown): string {
  const lines = stringOf(text)
    .split('\n')
    .map((line) => line.trim());
  return lines
    .filter((line) => !INSIGNIFICANT_LINE.test(line))
    .sort()
    .join('\n');
}

function maskedCommand(command: CommandFacts, mask: Mask): CommandFacts {
  const { text, tail } = command;
  return {
    ...command,
    text: cut(mask(text), COMMAND_LENGTH),
    tail: lastLines(mask(tail), TAIL_LINES, TAIL_LENGTH),
  };
}

/**
 * A hash that is equal for equal values, in any order of keys. Not for security: two 32-bit FNV-1a hashes with
 * different seeds.
 */
function fingerprint(value: unknown): string {
  const text = jsonText(value, withSortedKeys);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

function withSortedKeys(_: string, value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
