import { resolve } from 'node:path';
import { contextFolder } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { buildNotes } from '../replay/read-notes.ts';
import { findSource } from '../replay/sources.ts';
import { redact } from '../store/masks/redact.ts';
import { findSession, openNotesFolder, readIndex } from '../store/sessions/sessions.ts';
import { type CommonFlags, type Define, isRecording } from './command.ts';

interface ScratchFlags extends CommonFlags {
  readonly out?: string;
}

export const define: Define = (command, connect) =>
  connect(
    command
      .argument('[session]', 'a session of this folder (its id or the beginning of it), or a recording; - is stdin')
      .option('--out <folder>', 'write the notes of a recording, with detail files, to this new folder')
      .option('--context-dir <folder>', 'where the notes are'),
    scratch,
  );

export const HELP = `
Without an argument, ctxb scratch takes the newest session with notes.

Examples:
  ctxb scratch
  ctxb scratch 0d4f31f2
  ctxb scratch session.jsonl --out notes
  claude -p "hello" --output-format stream-json --verbose | ctxb scratch -`;

async function scratch(name: string | undefined, flags: ScratchFlags, io: Io): Promise<number> {
  if (name !== undefined && isRecording(name, io)) return build(name, flags.out, io);
  if (flags.out !== undefined) {
    throw new CtxbError('usage', '--out is for recordings: ctxb scratch FILE --out FOLDER');
  }
  const folder = await contextFolder(io, flags.contextDir);
  io.stdout.write(readIndex(name === undefined ? folder : findSession(folder, name).path));
  return 0;
}

async function build(name: string, out: string | undefined, io: Io): Promise<number> {
  const source = findSource(name === '-' ? name : resolve(io.cwd, name));
  const notes = out === undefined ? undefined : openNotesFolder(resolve(io.cwd, out));
  const index = await buildNotes(source, io.stdin, redact, out ?? '.', ({ file, text }) => notes?.append(file, text));
  notes?.finish(index);
  io.stdout.write(index);
  if (notes === undefined) io.stderr.write('ctxb: --out FOLDER writes the files that it names\n');
  return 0;
}
