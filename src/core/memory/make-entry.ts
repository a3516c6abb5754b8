import { fieldsOf, textOf } from '../protocol/fields.ts';
import { knownCommand } from './call-summary/known-command.ts';
import { summarizeCall } from './call-summary/summarize-call.ts';
import { type CommandWork, commandWork } from './entries/command-facts.ts';
import { describeInput, describeResult } from './entries/describe.ts';
import { errorSignature } from './entries/error-signature.ts';
import { type FileWork, fileWork } from './entries/file-changes.ts';
import { fingerprint } from './entries/fingerprint.ts';
import { createWorkingFolder, type WorkingFolder } from './entries/working-folder.ts';
import type { CommandFacts, Entry, FileChange, PromptEntry, ToolEntry } from './entry.ts';
import type { Found, PromptFound } from './extract/extract.ts';
import type { EndedCall } from './extract/tool-calls.ts';
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
      case 'prompt':
        return promptEntry(found, mask);
      case 'task':
        return { ...found, agent: found.agent && mask(found.agent), id: mask(found.id), subject: mask(found.subject) };
      case 'state':
        return {
          ...found,
          ...(found.from === undefined ? {} : { from: line(mask(found.from)) }),
          to: line(mask(found.to)),
        };
      case 'remark':
        return { ...found, text: line(mask(found.text)) };
    }
  };
}

function promptEntry({ kind, t, texts, pictures }: PromptFound, mask: Mask): PromptEntry {
  return { kind, t, text: mask(texts), pictures };
}

/** Masked before it is cut: half a secret is not recognised. */
function line(text: string): string {
  return oneLine(text, LONG_LINE_LENGTH);
}

function toolEntry(found: EndedCall, folder: WorkingFolder, mask: Mask): ToolEntry {
  const ended = withoutSecrets(found, mask);
  const { call, result, outcome, t } = ended;
  const { id, name, input } = call.use;
  folder.root(call.root);
  folder.at(call.cwd);
  const work = commandWork(ended);
  return {
    kind: 'tool',
    t: t ?? 0,
    id: line(id),
    name: line(name),
    agent: call.agent && mask(call.agent),
    outcome,
    title: line(mask(describeInput(name, input, cutterWith(mask)))),
    said: line(mask(describeResult(name, outcome, result.text))),
    gist: summarizeCall(ended, { command: work?.command, knownCommand, placeOf: folder.path, mask }),
    input: fingerprint(comparedInput(name, input)),
    output: fingerprint(found.result.text),
    ...signatureOf(ended, mask),
    ...(work === undefined ? {} : { command: maskedCommand(work.command, mask) }),
    ...filesOf(ended, work, folder, mask),
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

function signatureOf({ call, result, outcome }: EndedCall, mask: Mask): Pick<ToolEntry, 'signature'> {
  if (outcome === 'ok') return {};
  // Masked first: a secret whose numbers and folders were taken out is not known again.
  const { text } = result;
  const said = text.length <= 2 * END ? mask(text) : `${mask(text.slice(0, END))}\n${mask(text.slice(-END))}`;
  const signature = errorSignature(call.use.name, said);
  return signature === undefined ? {} : { signature: mask(signature) };
}

/** Of each end of a long result; twice what a signature is made of. */
const END = 4_000;

type Files = Pick<ToolEntry, 'reads' | 'changes' | 'swaps'>;

function filesOf(ended: EndedCall, work: CommandWork | undefined, folder: WorkingFolder, mask: Mask): Files {
  const { call, result, report, outcome } = ended;
  const { name, input } = call.use;
  const files: FileWork | undefined = outcome === 'ok' ? fileWork(name, input, result.text, report) : undefined;
  const reads = name === 'Read' && outcome === 'ok' ? textOf(fieldsOf(input).file_path) : undefined;
  const named = (path: string) => mask(folder.path(path));
  const changes = [
    ...(files?.changes ?? []).map((change) => ({ ...change, path: named(change.path) })),
    ...folder.certain(work?.changes ?? []).map((change) => maskedChange(change, mask)),
  ];
  const swaps = (files?.swaps ?? []).map((swap) => ({ ...swap, path: named(swap.path) }));
  // The place where this command ends is where the next one begins.
  if (work !== undefined && outcome !== 'refused') folder.ran(work.command.text);
  return {
    ...(reads === undefined ? {} : { reads: named(reads) }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(swaps.length === 0 ? {} : { swaps }),
  };
}

function maskedChange({ path, change, to }: FileChange, mask: Mask): FileChange {
  return { path: mask(path), change, ...(to === undefined ? {} : { to: mask(to) }) };
}

function maskedCommand({ discards, ...command }: CommandFacts, mask: Mask): CommandFacts {
  const tail = command.tail === '' ? '' : lastLines(mask(command.tail), TAIL_LINES, TAIL_LENGTH);
  const text = cut(mask(command.text), COMMAND_LENGTH);
  if (discards === undefined) return { ...command, text, tail };
  const { how, paths } = discards;
  return {
    ...command,
    text,
    tail,
    discards: { how, paths: paths === 'all' ? paths : paths.map((path) => mask(path)) },
  };
}
