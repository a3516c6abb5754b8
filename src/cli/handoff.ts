import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { closest } from '../config/finding.ts';
import { contextFolder } from '../config/resolve-config.ts';
import { checkHandoff } from '../core/memory/handoff/check-handoff.ts';
import { parseHandoffFile, renderHandoffFile } from '../core/memory/handoff/handoff-file.ts';
import { renderHandoff } from '../core/memory/handoff/render-handoff.ts';
import type { Notebook } from '../core/memory/notebook/notebook.ts';
import { CtxbError, unreadable } from '../errors.ts';
import type { Io } from '../io.ts';
import { readNotes } from '../replay/read-notes.ts';
import { findSources } from '../replay/sources.ts';
import { counted, groupedIn, tokens } from '../report/figures.ts';
import { onOneLine, printable, printableJson } from '../report/shown.ts';
import { readNotebook } from '../run/notes.ts';
import { GivenFault, readNamed, readPiped } from '../store/files/given-file.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { masked } from '../store/masks/disk-text.ts';
import { redact } from '../store/masks/redact.ts';
import { type HandoffInfo, listHandoffs } from '../store/sessions/handoffs.ts';
import { findSession, listSessions } from '../store/sessions/sessions.ts';
import { type AskFlags, askRun, takesRun } from './ask-run.ts';
import { isRecording } from './inputs.ts';

const EXIT_PROBLEMS = 3;

/** Bytes; more than the check looks at. */
const DOCUMENT_LIMIT = 1024 * 1024;

interface HandoffFlags {
  readonly contextDir?: string;
  readonly cwd?: string;
  readonly out?: string;
  readonly json?: true;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  takesRun(command)
    .allowExcessArguments()
    .addHelpText('after', EXAMPLES)
    .action(async (run: string | undefined, flags: AskFlags) => {
      requireRun(run);
      finish(await askRun(run, 'handoff', flags, io));
    });
  command
    .command('verify')
    .description('check a handoff document: its sections, the files it names, the commands it calls passed')
    .argument('<file>', 'the document; - is stdin')
    .option('--cwd <folder>', 'what its paths are relative to (default: the working folder)')
    .option('--context-dir <folder>', 'where the notes are')
    .addHelpText(
      'after',
      '\nExamples:\n  ctxb handoff verify handoff.md\n  ctxb handoff verify handoff.md --cwd packages/parser',
    )
    .action(async (file: string, flags: HandoffFlags) => finish(await verify(file, flags, io)));
  command
    .command('write')
    .description('print the handoff that the notes of a session amount to')
    .argument('[session]', 'a session of this folder (its id or the beginning of it), or a recording; - is stdin')
    .option('--out <file>', 'write it to this new file instead')
    .option('--context-dir <folder>', 'where the notes are')
    .addHelpText('after', '\nExamples:\n  ctxb handoff write\n  ctxb handoff write session.jsonl --out handoff.md')
    .action(async (name: string | undefined, flags: HandoffFlags) => finish(await write(name, flags, io)));
  command
    .command('list')
    .description('list the handoffs of this folder, newest first')
    .option('--json', 'as JSON')
    .option('--context-dir <folder>', 'where the handoffs are')
    .addHelpText('after', '\nExamples:\n  ctxb handoff list\n  ctxb handoff list --json')
    .action(async (flags: HandoffFlags) => finish(await list(flags, io)));
}

/** @throws CtxbError `usage` for a word that is no subcommand and no run's id */
function requireRun(word: string | undefined): void {
  if (word === undefined || /^[0-9a-f-]+$/.test(word)) return;
  const meant = closest(word, ['verify', 'write', 'list']);
  const todo = meant === undefined ? 'See ctxb handoff --help.' : `Did you mean ${meant}?`;
  throw new CtxbError('usage', `handoff: there is no command "${onOneLine(word)}", and no run has such an id. ${todo}`);
}

const EXAMPLES = `
Without a subcommand it asks a run to hand its work over to a fresh context when
its turn is over, as ctxb compact does. verify prints what is wrong and ends
with 3 when anything is. write without an argument takes the session that was
noted last.

Examples:
  ctxb handoff 3f2a
  ctxb handoff write --out handoff.md
  ctxb handoff verify handoff.md
  ctxb handoff list --json`;

async function verify(file: string, flags: HandoffFlags, io: Io): Promise<number> {
  const cwd = resolve(io.cwd, flags.cwd ?? '.');
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CtxbError('usage', `--cwd ${cwd}: is no folder: name the one that the paths are relative to`);
  }
  const { head, body } = parseHandoffFile(await readDocument(file, io));
  const notebook = await notesOf(head?.session, cwd, flags, io);
  const home = io.env.HOME ?? '';
  const problems = checkHandoff(body, {
    exists: (path) => existsSync(resolve(cwd, path.startsWith('~/') ? join(home, path.slice(2)) : path)),
    outcomeOf: (command) => notebook?.evidence.outcomeOf(command) ?? 'unknown',
  });
  for (const { text } of problems) io.stdout.write(`${onOneLine(text)}\n`);
  if (problems.length === 0) io.stdout.write('Nothing is wrong with it.\n');
  return problems.length === 0 ? 0 : EXIT_PROBLEMS;
}

/** The notes of the session that a document is about: they know how its commands ended. */
async function notesOf(
  session: string | undefined,
  cwd: string,
  flags: HandoffFlags,
  io: Io,
): Promise<Notebook | undefined> {
  const typed = flags.contextDir === undefined ? undefined : resolve(io.cwd, flags.contextDir);
  const folder = await contextFolder({ cwd, env: io.env }, typed);
  const found = session === undefined || session === '' ? undefined : findSession(folder, session);
  if (found !== undefined) return readNotebook(found.path);
  const why = session === undefined ? 'it names no session' : `${folder} has no notes of its session`;
  io.stderr.write(`ctxb: the commands are not looked up: ${printable(why)}\n`);
  return undefined;
}

/** Its beginning: a document that is longer is none. */
async function readDocument(file: string, io: Io): Promise<string> {
  try {
    const read = file === '-' ? readPiped(io.stdin, DOCUMENT_LIMIT) : readNamed(resolve(io.cwd, file), DOCUMENT_LIMIT);
    return (await read).toString('utf8');
  } catch (cause) {
    if (!(cause instanceof GivenFault)) throw unreadable(file, cause);
    throw new CtxbError('unreadable-input', `${file}: is no handoff, a text of at most 1 MiB (${cause.message})`, {
      cause,
    });
  }
}

async function write(name: string | undefined, flags: HandoffFlags, io: Io): Promise<number> {
  const isFile = name !== undefined && isRecording(name, io);
  const { notebook, session, t, folder } = isFile ? await recorded(name, io) : await kept(name, flags, io);
  const { firstPrompt, state } = notebook;
  const facts = { session, task: undefined, state, firstPrompt, running: [], folder, t };
  const head = { version: 1, t, session, reason: 'ctxb handoff write', by: 'memory' } as const;
  const body = renderHandoff(notebook, facts);
  const text = masked(renderHandoffFile({ ...head, tokens: null, window: null, checks: [] }, body));
  if (flags.out === undefined) io.stdout.write(printable(text));
  else if (!writeNewFile(resolve(io.cwd, flags.out), text)) {
    throw new CtxbError('usage', `--out ${flags.out}: is there already: name a new file`);
  }
  return 0;
}

interface Notes {
  readonly notebook: Notebook;
  readonly session: string;
  readonly t: number;
  /** As a reader in the working folder names it; undefined where nothing but a recording is there. */
  readonly folder: string | undefined;
}

async function recorded(name: string, io: Io): Promise<Notes> {
  const path = name === '-' ? name : resolve(io.cwd, name);
  const source = findSources(path)[0] ?? { file: path, subagents: [] };
  const { notebook, session, updated } = await readNotes(source, { stdin: io.stdin, mask: redact });
  return { notebook, session: session ?? name, t: updated, folder: undefined };
}

async function kept(name: string | undefined, flags: HandoffFlags, io: Io): Promise<Notes> {
  const root = await contextFolder(io, flags.contextDir);
  const session = name === undefined ? listSessions(root)[0] : findSession(root, name);
  if (session === undefined) {
    const what =
      name === undefined
        ? `there are no notes in ${root}`
        : `${name}: no recording, and no session in ${root} begins so`;
    throw new CtxbError('usage', `${what}: notes are kept by ctxb run`);
  }
  const { id, path, updatedAt } = session;
  return { notebook: readNotebook(path), session: id, t: Date.parse(updatedAt), folder: relative(io.cwd, path) };
}

async function list(flags: HandoffFlags, io: Io): Promise<number> {
  const folder = await contextFolder(io, flags.contextDir);
  const handoffs = listHandoffs(folder);
  if (flags.json) io.stdout.write(`${printableJson({ version: 1, handoffs }, 2)}\n`);
  else if (handoffs.length === 0) io.stderr.write(printable(`ctxb: no handoffs in ${folder}\n`));
  else io.stdout.write(handoffs.map((handoff) => `${printable(lineOf(handoff, io.cwd))}\n`).join(''));
  return 0;
}

/** `2026-11-21 08:54:03 UTC · by agent · 170,000 tokens · the context is 85% full · 1 problem · .context/handoffs/…` */
function lineOf({ path, head }: HandoffInfo, cwd: string): string {
  const place = relative(cwd, path);
  if (head === undefined) return `${place} (its head is not readable)`;
  const time = new Date(head.t).toISOString().slice(0, 19).replace('T', ' ');
  const size = head.tokens === null ? [] : [`${tokens(head.tokens)} tokens`];
  const checks = head.checks.length === 0 ? [] : [counted(head.checks.length, 'problem')];
  return [`${time} UTC`, `by ${head.by}`, ...size, groupedIn(onOneLine(head.reason)), ...checks, place].join(' · ');
}
