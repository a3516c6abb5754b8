import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Entry } from '../../src/core/memory/entry.ts';
import type { DetailFile } from '../../src/core/memory/notebook/notebook.ts';
import { createNotebook } from '../../src/core/memory/notebook/notebook.ts';
import { logOf, type Round, SESSION, type Victim } from './kill.ts';

const FILES: readonly DetailFile[] = [
  'human-input.md',
  'state-changes.md',
  'dead-ends.md',
  'artifacts.md',
  'commands.md',
];

/** Rewritten each time, like the index. */
const TOOL_LOG = 'tool-log.md';

/** Visible traces of an interrupted write. */
export interface Torn {
  /** The log ends in the middle of a line. */
  readonly log: boolean;
  /** A detail file lacks something that is in the log. */
  readonly detail: boolean;
  /** A file was being replaced, or one copy of the index is older than the other. */
  readonly index: boolean;
}

/** The faults in what a kill has left; none is what there must be. */
export function faultsAfterKill(victim: Victim): string[] {
  const notes = readNotes(victim.context);
  return [
    ...indexFaults(notes),
    ...toolLogFaults(notes),
    ...logFaults(notes, victim),
    ...detailFaults(notes, 'begin as'),
  ];
}

/** The faults after a run that came to its end. */
export function faultsAfterEnd(victim: Victim): string[] {
  const notes = readNotes(victim.context);
  const { code, stderr, seen, calls } = victim.rounds.at(-1) ?? {};
  return [
    ...(code === 0 && seen?.length === calls ? [] : [`the run ended with ${code} after ${seen?.length} calls`]),
    // The last line of a run says where they are.
    ...(stderr?.replace(/; notes: \S+\n$/, '').includes('notes') ? [`told on stderr: ${stderr}`] : []),
    ...(notes.torn === '' ? [] : ['the log ends in the middle of a line']),
    ...indexFaults(notes),
    ...toolLogFaults(notes),
    ...(notes.toolLog === toolLogOf(notes.entries) ? [] : ['tool-log.md is not what the log says']),
    ...logFaults(notes, victim),
    ...detailFaults(notes, 'be'),
    ...numberFaults(notes),
    ...pointerFaults(notes),
    ...leftovers(join(victim.context, 'sessions')).map((name) => `${name} was left behind`),
  ];
}

export function tornBy(victim: Victim): Torn {
  const notes = readNotes(victim.context);
  const [index, copy] = notes.indexes;
  return {
    log: notes.torn !== '',
    detail: FILES.some((file) => notes.texts[file] !== notes.expected[file]),
    index: index !== copy || leftovers(victim.context).some((name) => /\.\d+$/.test(name)),
  };
}

/**
 * Cuts the files as a kill at the worst moment could have left them: the log anywhere, in the middle of a character
 * too, and each detail file anywhere before what the log then says.
 */
export function tear(victim: Victim, random: () => number): void {
  const session = join(victim.context, 'sessions', SESSION);
  const log = logOf(victim.context);
  truncateSync(log, Math.floor(random() * Buffer.byteLength(read(log) ?? '')));
  const { entries, expected } = readNotes(victim.context);
  for (const file of FILES) {
    const whole = Buffer.from(expected[file] ?? '');
    const kept = random() < 0.3 ? whole.length : Math.floor(random() * whole.length);
    writeFileSync(join(session, file), whole.subarray(0, kept));
  }
  writeFileSync(join(session, 'scratch.md.12345'), '# Working');
  writeFileSync(join(session, TOOL_LOG), '# Tool log\n\n7');
  victim.onlyLogged(new Set(entries.flatMap((entry) => (entry.kind === 'tool' ? [numberOf(entry.id)] : []))));
}

interface Notes {
  /** Of the session, and of the folder above. */
  readonly indexes: readonly (string | undefined)[];
  readonly toolLog: string | undefined;
  readonly lines: readonly string[];
  /** The text after the log's last newline. */
  readonly torn: string;
  readonly entries: readonly Entry[];
  readonly texts: Readonly<Record<string, string>>;
  /** The detail files as the log says. */
  readonly expected: Readonly<Record<string, string>>;
}

function readNotes(context: string): Notes {
  const session = join(context, 'sessions', SESSION);
  const lines = (read(logOf(context)) ?? '').split('\n');
  const torn = lines.pop() ?? '';
  const entries = lines.flatMap(parse);
  return {
    indexes: [read(join(session, 'scratch.md')), read(join(context, 'scratch.md'))],
    toolLog: read(join(session, TOOL_LOG)),
    lines,
    torn,
    entries,
    texts: Object.fromEntries(FILES.map((file) => [file, read(join(session, file)) ?? ''])),
    expected: detailsOf(entries),
  };
}

function detailsOf(entries: readonly Entry[]): Record<string, string> {
  const notebook = createNotebook();
  const pages = entries.flatMap((entry) => notebook.add(entry).pages);
  return Object.fromEntries(
    FILES.map((wanted) => [
      wanted,
      pages
        .filter(({ file }) => file === wanted)
        .map(({ text }) => text)
        .join(''),
    ]),
  );
}

/** Faults of the tool log, which may lack the newest calls. */
function toolLogFaults({ toolLog, entries }: Notes): string[] {
  if (toolLog === undefined) return [];
  const count = Number(/^([\d,]+) tool calls? in /m.exec(toolLog)?.[1]?.replaceAll(',', ''));
  const last = entries.filter(({ kind }) => kind === 'tool')[count - 1];
  const known = last && toolLogOf(entries.slice(0, entries.indexOf(last) + 1));
  return known === toolLog ? [] : [`tool-log.md is not what it was after ${count} calls: ${toolLog.slice(0, 200)}`];
}

function toolLogOf(entries: readonly Entry[]): string {
  const notebook = createNotebook();
  for (const entry of entries) notebook.add(entry);
  return notebook.toolLog.render();
}

function indexFaults({ indexes }: Notes): string[] {
  return indexes.flatMap((text, copy) => {
    const name = copy === 0 ? "the session's scratch.md" : 'scratch.md';
    if (text === undefined) return [`${name} is missing`];
    const lines = text.split('\n');
    const isWhole = /^# Working memory of session /.test(text) && /^.+ → \S+\.md\n$/m.test(`${lines.at(-2)}\n`);
    return isWhole && lines.at(-1) === '' && lines.length <= 201 ? [] : [`${name} is not whole: ${text.slice(-200)}`];
  });
}

/**
 * Entries, and lines that were cut off; of each run those of its beginning, in order, and at most the last one seen is
 * missing.
 */
function logFaults({ lines, entries }: Notes, { rounds, torn }: Victim): string[] {
  const calls = entries.flatMap((entry) => (entry.kind === 'tool' ? [numberOf(entry.id)] : []));
  const prompts = entries.flatMap((entry) => (entry.kind === 'prompt' ? [entry.text] : []));
  const known = rounds.flatMap(({ first, seen, killed }) => {
    const logged = calls.filter((number) => number >= first && number < first + 1_000);
    const least = killed ? seen.length - 1 : seen.length;
    return logged.length >= least ? logged.map((_, index) => first + index) : [Number.NaN];
  });
  const said = rounds.flatMap(({ prompts: all, first }) => {
    const logged = prompts.filter((text) => isOf(text, first)).length;
    return all.slice(0, logged);
  });
  const damaged = lines.filter((line) => parse(line).length === 0 && !torn.includes(line));
  return [
    ...damaged.map((line) => `a line of the log does not parse: ${line.slice(0, 100)}`),
    ...(calls.join() === known.join() ? [] : [`calls in the log: ${calls.join(' ')}`]),
    ...(prompts.join() === said.join() ? [] : [`prompts in the log: ${prompts.map((text) => text.slice(0, 20))}`]),
    ...rounds
      .filter((round) => !round.killed && !hasAllPrompts(round, prompts))
      .map(({ first, code, stderr }) => `no prompts of ${first}, which ended with ${code}: ${stderr}`),
  ];
}

function hasAllPrompts({ prompts }: Round, logged: readonly string[]): boolean {
  return prompts.every((prompt) => logged.includes(prompt));
}

function isOf(prompt: string, first: number): boolean {
  const number = Number(/^prompt (\d+)/.exec(prompt)?.[1]);
  return number >= first && number < first + 1_000;
}

function detailFaults({ texts, expected }: Notes, relation: 'be' | 'begin as'): string[] {
  return FILES.filter((file) => {
    const [text = '', wanted = ''] = [texts[file], expected[file]];
    return relation === 'be' ? text !== wanted : !beginsAs(wanted, text);
  }).map((file) => `${file} should ${relation} what the log says: ${difference(texts[file], expected[file])}`);
}

/** A file can end in the middle of a character. */
function beginsAs(whole: string, part: string): boolean {
  return whole.startsWith(part.replace(/\uFFFD$/, ''));
}

function difference(text = '', wanted = ''): string {
  let at = 0;
  while (at < text.length && text[at] === wanted[at]) at++;
  const show = (whole: string) => JSON.stringify(whole.slice(Math.max(0, at - 40), at + 60));
  return `at ${at} of ${text.length} there is ${show(text)}, expected ${show(wanted)} of ${wanted.length}`;
}

/** Counted in the files themselves, without the code that made them. */
function numberFaults({ texts, entries }: Notes): string[] {
  const tools = entries.filter((entry) => entry.kind === 'tool');
  const commands = tools.filter(({ command }) => command !== undefined);
  const ids = (file: DetailFile, pattern: RegExp) =>
    [...(texts[file] ?? '').matchAll(pattern)].map(([, id]) => Number(id)).join(' ');
  const numbersOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => numberOf(id)).join(' ');
  return [
    ...FILES.filter((file) => !isCounted(texts[file] ?? '')).map((file) => `the entries of ${file} are not 1, 2, 3 …`),
    ...(ids('commands.md', /^exit .* · toolu_(\d+)$/gm) === numbersOf(commands) ? [] : ['commands.md has others']),
  ];
}

function isCounted(text: string): boolean {
  const numbers = [...text.matchAll(/^## #(\d+) · /gm)].map(([, number]) => Number(number));
  return numbers.every((number, index) => number === index + 1);
}

/** Every line of the index leads to the entry with its number. */
function pointerFaults({ indexes, texts }: Notes): string[] {
  const [index = ''] = indexes;
  return index.split('\n## ').flatMap((section) => {
    const file = / → \S+\/([\w-]+\.md)$/m.exec(section)?.[1] ?? '';
    const lines = (texts[file] ?? '').split('\n');
    return [...section.matchAll(/^- #(\d+): .*\[L(\d+)-(\d+)\]$/gm)]
      .filter(([, number, from, to]) => !leadsTo(lines, Number(number), Number(from), Number(to)))
      .map(([line]) => `in ${file} there is no such entry: ${line}`);
  });
}

function leadsTo(lines: readonly string[], number: number, from: number, to: number): boolean {
  const isEntry = lines[from - 1]?.startsWith(`## #${number} · `) ?? false;
  return (
    isEntry && lines[to] === '' && (lines[to + 1] === '' || lines[to + 1]?.startsWith(`## #${number + 1} · `) === true)
  );
}

/** Everything in a folder of ctxb that is not to stay there after a run. */
export function leftovers(context: string): string[] {
  const kept = new Set([
    '.gitignore',
    'CTXB.TAG',
    'journal.ndjson',
    'mailbox.ndjson',
    'health.ndjson',
    'scratch.md',
    'memory.ndjson',
    'session.json',
  ]);
  return (
    readdirSync(context, { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() &&
          !kept.has(entry.name) &&
          !FILES.some((file) => file === entry.name) &&
          entry.name !== TOOL_LOG,
      )
      // What a killed run needs to be taken up stays until somebody does that, or cleans up.
      .filter((entry) => basename(entry.parentPath) !== 'runs')
      .map((entry) => join(entry.parentPath.slice(context.length), entry.name))
  );
}

function numberOf(id: string): number {
  return Number(id.slice('toolu_'.length));
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function parse(line: string): Entry[] {
  try {
    const entry = JSON.parse(line) as Entry & { readonly v?: number };
    return entry.v === 1 && typeof entry.kind === 'string' ? [entry] : [];
  } catch {
    return [];
  }
}
