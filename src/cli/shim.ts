import { isOwnChild, runUntouched } from '../claude/child.ts';
import { readClaudeArguments } from '../claude/claude-arguments.ts';
import { findClaude, nextShim } from '../claude/find-claude.ts';
import type { Io } from '../io.ts';
import type { Define } from './command.ts';

/** Only for `ctxb help shim`; `ctxb shim --help` shows claude's help. */
export const define: Define = (command) =>
  command
    .usage("[claude's arguments]")
    .argument('[arguments...]', "claude's own arguments, also --help")
    .helpOption(false);

export const HELP = `
Runs claude under ctxb if the run is headless. Everything else (a terminal,
claude mcp, claude --version …) goes to claude alone. The configuration and
CTXB_* variables set ctxb up. CTXB_CLAUDE names the claude; the default is the
next one on PATH. ctxb-shim does the same as a program of its own, for callers
that take only a path.

Examples:
  ctxb shim -p "say hello"
  ln -s "$(command -v ctxb-shim)" ~/bin/claude`;

export async function shim(args: readonly string[], io: Io): Promise<number> {
  const program = await findClaude(io);
  // Inherit from `io` rather than copy it: copying would open stdin, which may belong to claude alone.
  const shimIo: Io = Object.create(io, { env: { value: nextShim(io.env) } });
  const invocation = readClaudeArguments(args);
  // claude is headless with `-p`, and whenever its output is not a terminal.
  const isHeadless = invocation.kind === 'headless' && (invocation.isPrint || io.stdout.isTTY !== true);
  if (isHeadless && !isOwnChild(io.env)) {
    return (await import('./run-claude.ts')).runClaude([program, ...args], { flags: {} }, shimIo);
  }
  return runUntouched(program, args, shimIo);
}
