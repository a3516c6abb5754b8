import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { answerHook, type HookResult } from '../../src/hook/answer-hook.ts';
import { type HookEvent, readHookInput } from '../../src/hook/hook-events.ts';
import { openSeal } from '../../src/store/runs/seal.ts';
import { hookInput } from './hook-inputs.ts';

type Line = Readonly<Record<string, unknown>>;

/** An interactive session as its hooks see it: a project, a log that grows, and hooks that come one by one. */
export interface HookedSession extends Disposable {
  readonly project: string;
  /** Adds rows to the log, as claude does. */
  log(...rows: readonly Line[]): void;
  hook(name: HookEvent, fields?: Line): Promise<HookResult>;
  /** What the agent is told with the answer. */
  told(name: HookEvent, fields?: Line): Promise<string>;
  /** What `/clear` begins: another session, with a log of its own, of the same Claude Code. */
  next(): HookedSession;
  /** A session of another Claude Code in the same project. */
  beside(): HookedSession;
  journal(): string[];
  /** A file of the context folder. */
  file(name: string): string;
  readonly id: string;
}

export function hookedSession(changes: Partial<Config> = {}): HookedSession {
  const project = mkdtempSync(join(tmpdir(), 'ctxb-hooks-'));
  return sessionIn({ project, claudes: LIVING, config: { ...DEFAULTS, window: 200_000, ...changes } });
}

/** Any processes that are sure to live on. */
const LIVING = [process.pid, process.ppid, 1];

interface Where {
  readonly project: string;
  /** Process ids: its own, and those for others beside it. */
  readonly claudes: readonly number[];
  readonly config: Config;
}

function sessionIn(where: Where): HookedSession {
  const {
    project,
    config,
    claudes: [own = 0, ...others],
  } = where;
  const id = randomUUID();
  let promptId = randomUUID();
  const transcript = join(project, `${id}.jsonl`);
  const folder = join(project, '.context');
  const userFolder = join(project, 'keys');
  const world = {
    config,
    project,
    folder,
    userFolder,
    seal: openSeal(userFolder),
    claude: { pid: own },
    now: Date.now,
  };

  async function hook(name: HookEvent, fields: Line = {}): Promise<HookResult> {
    if (name === 'UserPromptSubmit') promptId = randomUUID();
    const here = { session_id: id, transcript_path: transcript, cwd: project };
    const input = readHookInput(JSON.stringify(hookInput(name, { ...here, ...fields }, promptId)));
    if (input === undefined) throw new Error('no hook');
    return answerHook(input, world);
  }

  return {
    project,
    id,
    log: (...rows) =>
      appendFileSync(transcript, rows.map((row) => `${JSON.stringify({ sessionId: id, ...row })}\n`).join('')),
    hook,
    async told(name, fields) {
      const { output } = await hook(name, fields);
      const specific = (output as { hookSpecificOutput?: { additionalContext?: string } }).hookSpecificOutput;
      return specific?.additionalContext ?? '';
    },
    next: () => sessionIn(where),
    beside: () => sessionIn({ ...where, claudes: others }),
    journal() {
      const path = join(folder, 'journal.ndjson');
      if (!existsSync(path)) return [];
      const lines = readFileSync(path, 'utf8').trim().split('\n');
      return lines.map((line) => String((JSON.parse(line) as Line).kind));
    },
    file: (name) => readFileSync(join(folder, name), 'utf8'),
    [Symbol.dispose]: () => rmSync(project, { recursive: true, force: true }),
  };
}

let rows = 0;

/** A row of a call of the main thread that ends with a command, or with words. */
export function callRow(used: number, tool?: { readonly id: string; readonly command: string }): Line {
  if (tool === undefined) return assistantRow([{ type: 'text', text: 'Done.' }], used);
  return toolRow(tool.id, 'Bash', { command: tool.command }, used);
}

/** The same with any tool. */
export function toolRow(id: string, name: string, input: object, used = 50_000): Line {
  return assistantRow([{ type: 'tool_use', id, name, input }], used);
}

function assistantRow(content: readonly object[], used: number): Line {
  const usage = { input_tokens: used, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  const message = { id: `msg_${++rows}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage };
  return { type: 'assistant', isSidechain: false, message };
}

export function resultRow(id: string, text: string): Line {
  const content = [{ type: 'tool_result', tool_use_id: id, content: text }];
  return { type: 'user', isSidechain: false, message: { role: 'user', content }, toolUseResult: { stdout: text } };
}

export function promptRow(text: string): Line {
  return { type: 'user', isSidechain: false, message: { role: 'user', content: text } };
}

/** The input of a hook about a call of Bash. */
export function bashFields(id: string, command: string, stdout: string): Line {
  return {
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
    tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
  };
}

/** A turn with one command, all of it in the log. */
export async function turn(session: HookedSession, prompt: string, command: string, used = 50_000) {
  await session.hook('UserPromptSubmit', { prompt, prompt_id: prompt });
  const id = `toolu_${command}`;
  session.log(promptRow(prompt), callRow(used, { id, command }), resultRow(id, 'out'), callRow(used + 100));
  await session.hook('Stop');
}
