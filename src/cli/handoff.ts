import { relative, resolve } from 'node:path';
import { closest } from '../config/finding.ts';
import { contextFolder } from '../config/resolve-config.ts';
import { renderHandoffFile } from '../core/memory/handoff/handoff-file.ts';
import { renderHandoff } from '../core/memory/handoff/render-handoff.ts';
import type { Notebook } from '../core/memory/notebook/notebook.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { readNotes } from '../replay/read-notes.ts';
import { findSources } from '../replay/sources.ts';
import { onOneLine, printable } from '../report/shown.ts';
import { readNotebook } from '../run/notes.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { masked } from '../store/masks/disk-text.ts';
import { redact } from '../store/masks/redact.ts';
import { findSession, listSessions } from '../store/sessions/sessions.ts';
import { type AskFlags, askRun, takesRun } from './ask-run.ts';
import type { CommonFlags, Define } from './command.ts';
import { isRecording } from './inputs.ts';

interface HandoffFlags extends CommonFlags {
  readonly out?: string;
}

export const define: Define = (command, connect) => {
  const ask = askRun('handoff');
  connect(
    takesRun(command).allowExcessArguments().addHelpText('after', EXAMPLES),
    (run: string | undefined, flags: AskFlags, io: Io) => {
      requireRun(run);
      return ask(run, flags, io);
    },
  );
  connect(
    command
      .command('write')
      .description('print a handoff document, made from the notes of a session')
      .argument('[session]', 'a session of this folder (its id or the beginning of it), or a recording; - is stdin')
      .option('--out <file>', 'write it to this new file')
      .option('--context-dir <folder>', 'where the notes are')
      .addHelpText('after', '\nExamples:\n  ctxb handoff write\n  ctxb handoff write session.jsonl --out handoff.md'),
    write,
  );
};

/** @throws CtxbError `usage` for a word that is neither a subcommand nor a run id */
function requireRun(word: string | undefined): void {
  if (word === undefined || /^[0-9a-f-]+$/.test(word)) return;
  const suggestion = closest(word, ['write']);
  const todo = suggestion === undefined ? 'See ctxb handoff --help.' : `Did you mean ${suggestion}?`;
  throw new CtxbError('usage', `handoff: "${onOneLine(word)}" is no command, and no run has this id. ${todo}`);
}

const EXAMPLES = `
Without a subcommand, ctxb handoff asks a run to hand over to a fresh context
when its turn is over. Exit codes: 0 done, 3 not done (stderr says why), 4 no
answer in time. ctxb handoff write takes the newest session with notes.

Examples:
  ctxb handoff 3f2a
  ctxb handoff write --out handoff.md`;

async function write(name: string | undefined, flags: HandoffFlags, io: Io): Promise<number> {
  const isFile = name !== undefined && isRecording(name, io);
  const { notebook, session, t, folder } = isFile
    ? await recordingNotes(name, io)
    : await sessionNotes(name, flags, io);
  const { firstPrompt, state } = notebook;
  const facts = { session, task: undefined, state, firstPrompt, running: [], folder, t };
  const head = { version: 1, t, session, reason: 'ctxb handoff write', by: 'memory' } as const;
  const body = renderHandoff(notebook, facts);
  const text = masked(renderHandoffFile({ ...head, tokens: null, window: null, checks: [] }, body));
  if (flags.out === undefined) io.stdout.write(printable(text));
  else if (!writeNewFile(resolve(io.cwd, flags.out), text)) {
    throw new CtxbError('usage', `--out ${flags.out} exists already: name a new file`);
  }
  return 0;
}

interface Notes {
  readonly notebook: Notebook;
  readonly session: string;
  readonly t: number;
  /** Path relative to the working folder; undefined if only a recording exists. */
  readonly folder: string | undefined;
}

async function recordingNotes(name: string, io: Io): Promise<Notes> {
  const path = name === '-' ? name : resolve(io.cwd, name);
  const source = findSources(path)[0] ?? { file: path, subagents: [] };
  const { notebook, session, updated } = await readNotes(source, { stdin: io.stdin, mask: redact });
  return { notebook, session: session ?? name, t: updated, folder: undefined };
}

async function sessionNotes(name: string | undefined, flags: HandoffFlags, io: Io): Promise<Notes> {
  const root = await contextFolder(io, flags.contextDir);
  const session = name === undefined ? listSessions(root)[0] : findSession(root, name);
  if (session === undefined) throw new CtxbError('usage', `there are no notes in ${root}: ctxb run keeps notes`);
  const { id, path, updatedAt } = session;
  return { notebook: readNotebook(path), session: id, t: Date.parse(updatedAt), folder: relative(io.cwd, path) };
}
