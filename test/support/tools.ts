import { CALLBACKS } from '../../src/core/governor/control/hook-callbacks.ts';
import type { Action } from '../../src/core/governor/decisions.ts';
import type { HookAnswer } from '../../src/core/governor/effects.ts';
import type { FileMeasure, ToolHook } from '../../src/core/governor/tool-budget/tool-budget.ts';
import {
  callLine,
  type Driver,
  drive,
  initLine,
  type Line,
  type PolicyChanges,
  policyWith,
  runWith,
} from './governor.ts';

/** One tool call, as in claude's hook events. */
export interface ModelCall {
  readonly id?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly response?: unknown;
  readonly error?: string;
  /** The subagent's id. */
  readonly agent?: string;
}

let requests = 0;

/** A call of a tool hook by claude. */
export function toolLine(hook: ToolHook, call: ModelCall, more: Line = {}): Line {
  const { id = 'toolu_1', tool = 'Bash', input = { command: 'make' }, response, error, agent } = call;
  const about = {
    session_id: 's1',
    cwd: '/home/dev/project',
    hook_event_name: hook,
    tool_name: tool,
    tool_input: input,
    tool_use_id: id,
    ...(response === undefined ? {} : { tool_response: response }),
    ...(error === undefined ? {} : { error, is_interrupt: false }),
    ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'general-purpose' }),
    ...more,
  };
  const request = { subtype: 'hook_callback', callback_id: CALLBACKS[hook], tool_use_id: id, input: about };
  return { type: 'control_request', request_id: `tool-hook-${++requests}`, request };
}

export const calling = (call: ModelCall, more?: Line): Line => toolLine('PreToolUse', call, more);
export const called = (call: ModelCall, more?: Line): Line => toolLine('PostToolUse', call, more);
export const failing = (call: ModelCall, more?: Line): Line => toolLine('PostToolUseFailure', call, more);

export function bash(stdout: string, more: Line = {}): Line {
  return { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false, ...more };
}

/** A driver in the middle of a turn, with `used` tokens of 200,000 in the context. */
export function inTurn(changes: PolicyChanges = {}, used = 20_000): Driver {
  const driver = drive(runWith({ policy: policyWith({ window: 200_000, ...changes }) }));
  driver.begin();
  driver.prompt('Do it.');
  driver.claude(initLine(), callLine(used));
  return driver;
}

/** The answers to hooks among what was done. */
export function answers(actions: readonly Action[]): HookAnswer[] {
  return actions.filter((action) => action.kind === 'answer-hook');
}

/** The only answer. */
export function answer(actions: readonly Action[]): HookAnswer {
  const [first, ...others] = answers(actions);
  if (first === undefined || others.length > 0) throw new Error(`${answers(actions).length} answers`);
  return first;
}

/** Path at which the shell of these tests stores a result. */
export const STORED = '/home/dev/project/.context/tool-results/toolu_1.txt';

/** Feeds a hook, and answers for the shell: stores results, and measures files as `file`. */
export function played(driver: Driver, line: Line, world: { file?: FileMeasure; path?: string | undefined } = {}) {
  const path = 'path' in world ? world.path : STORED;
  const first = driver.claude(line);
  const rest = first.flatMap((action): readonly Action[] => {
    if (action.kind === 'store-result')
      return driver.tell({ kind: 'result-stored', requestId: action.requestId, path });
    if (action.kind === 'measure-file')
      return driver.tell({ kind: 'file-measured', requestId: action.requestId, file: world.file });
    return [];
  });
  return [...first, ...rest];
}

/** The text that replaces Bash's output; undefined if none does. */
export function bashInstead({ specific }: HookAnswer): string | undefined {
  const output = specific?.updatedToolOutput as { readonly stdout: string } | undefined;
  return output?.stdout;
}
