import { contextFolder } from '../config/resolve-config.ts';
import type { Io } from '../io.ts';
import { findSession, readIndex } from '../store/sessions/sessions.ts';
import type { CommonFlags, Define } from './command.ts';

export const define: Define = (command, connect) =>
  connect(
    command
      .argument('[session]', 'a session of this folder (its id or the beginning of it; default: the newest with notes)')
      .option('--context-dir <folder>', 'where the notes are')
      .addHelpText('after', EXAMPLES),
    scratch,
  );

const EXAMPLES = `
Examples:
  ctxb scratch
  ctxb scratch 0d4f31f2`;

async function scratch(name: string | undefined, flags: CommonFlags, io: Io): Promise<number> {
  const folder = await contextFolder(io, flags.contextDir);
  io.stdout.write(readIndex(name === undefined ? folder : findSession(folder, name).path));
  return 0;
}
