import { DEFAULTS } from '../config/defaults.ts';
import { quickConfig } from '../config/quick-config.ts';
import { messageOf } from '../errors.ts';
import type { Io } from '../io.ts';
import { onOneLine } from '../report/printable.ts';
import { styleFor } from '../report/style.ts';
import { judgeStatus } from '../statusline/judge-status.ts';
import { newestLines, readStatusInput, type StatusInput } from '../statusline/status-input.ts';
import { paintLine, statusParts } from '../statusline/status-text.ts';
import { errorCode } from '../store/files/store-error.ts';
import type { Define } from './command.ts';

export const define: Define = (command, connect) => connect(command, (_flags: object, io: Io) => runStatusline(io));

export const HELP = `
Claude Code calls it after every message and shows its output: how full the
context is, the zone, about how many turns are left, and the cost. Add this to
Claude Code's settings.json:

  "statusLine": { "type": "command", "command": "ctxb statusline" }

Examples:
  echo '{"context_window":{"current_usage":{"input_tokens":90000}}}' |
    ctxb statusline`;

/** Columns that claude uses itself, on both sides together. */
const MARGIN = 4;
const USUAL_COLUMNS = 80;

/** Prints one line even after an error, because claude needs a status line. Resolves with 0. */
export async function runStatusline(io: Io): Promise<number> {
  let line: string;
  try {
    line = await lineFor(readStatusInput(await readStdin(io), Date.now()), io);
  } catch (error) {
    line = `ctxb: no status line: ${onOneLine(messageOf(error))}`;
  }
  (io.direct ?? io.stdout).write(`${line}\n`);
  return 0;
}

async function readStdin({ direct, stdin }: Io): Promise<string> {
  const text = direct?.read();
  if (text !== undefined) return text;
  return stdin.isTTY ? '' : (await import('node:stream/consumers')).text(stdin);
}

async function lineFor(status: StatusInput | undefined, io: Io): Promise<string> {
  if (status === undefined) {
    return "ctxb: no session on stdin: name `ctxb statusline` as statusLine.command in Claude Code's settings.json";
  }
  const project = status.project ?? io.cwd;
  const { config, findings } = await quickConfig({ cwd: project, env: io.env });
  const log = readLog(status.transcript);
  // claude reads the line from a pipe, but shows its colors.
  const style = await styleFor({ isTTY: true }, io.env);
  const width = Math.max(1, (Number(io.env.COLUMNS) || USUAL_COLUMNS) - MARGIN);
  // If one part of a file is refused, another part may be hostile.
  const policy = findings.length === 0 ? config : DEFAULTS;
  const text = paintLine(statusParts(judgeStatus(log.lines, status, policy), status.costUsd, width), style);
  const [fault] = [...findings.map(({ message }) => message), ...log.faults];
  return fault === undefined ? text : `${text} · ${style.red(`ctxb: ${onOneLine(fault)}`)}`;
}

function readLog(path: string | undefined) {
  try {
    return { lines: path === undefined ? [] : newestLines(path), faults: [] };
  } catch (error) {
    const fault = `the session's log cannot be read: ${messageOf(error)}`;
    return { lines: [], faults: errorCode(error) === 'ENOENT' ? [] : [fault] };
  }
}
