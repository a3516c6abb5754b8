import type { RunningProgram, World } from '../support/claude.ts';
import type { Scenario } from '../support/standin/scenario.ts';

/** One invocation of claude, which is made with and without ctxb in front of it. */
export interface Row {
  readonly name: string;
  /** Arguments of claude. */
  readonly claude: readonly string[];
  /** Default: one short answer. */
  readonly scenario?: Scenario;
  /** All of stdin; without it, stdin is at its end from the start. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files in the work folder, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Invocations of claude alone that come first. */
  readonly before?: readonly (readonly string[])[];
  /** A line of bash in which `"$@"` is the program. */
  readonly shell?: string;
  /** What happens while the program runs. Its stdin stays open until this is done. */
  readonly during?: (program: RunningProgram, world: World) => Promise<void>;
}

export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const JSON_OUT = ['--output-format', 'json'];
export const STREAM_OUT = ['--output-format', 'stream-json', '--verbose'];
/** Lines of JSON in both directions. */
export const BOTH_WAYS = ['-p', '--input-format', 'stream-json', ...STREAM_OUT];
export const FREE = '--dangerously-skip-permissions';

/** `command` run by the agent's Bash tool. */
export function bash(command: string, more: object = {}) {
  return { tools: [{ name: 'Bash', input: { command, description: 'A step', ...more } }] };
}

/** A prompt as a line of stream-json input. */
export function said(content: string, more: object = {}): string {
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', ...more })}\n`;
}
