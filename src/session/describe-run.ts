import { join } from 'node:path';
import type { Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import type { HeadlessRun } from './headless-run.ts';

/** What the governor is to know of a run before it begins. */
export function describeRun(headless: HeadlessRun, runId: string, io: Io): Run {
  const { invocation, config, resumed } = headless;
  return {
    policy: config,
    mode: config.observe ? 'observe' : 'act',
    runId,
    contextDir: join(config.contextDir, '.'),
    resumes: invocation.resumes || resumed?.sessionId !== undefined,
    callerSpeaksProtocol: invocation.inputFormat === 'stream-json',
    showInjected: config.showInjected,
    callerPlacedTrigger: Boolean(io.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW || io.env.DISABLE_AUTO_COMPACT),
    project: io.cwd,
    answersInSchema: invocation.jsonSchema,
    withoutHooks: invocation.bare,
    persistent: invocation.sessionPersistence,
    attended: isAttended(headless, io),
  };
}

/** A person can be asked where stdin is a terminal that is not read for prompts. */
export function isAttended({ invocation }: Pick<HeadlessRun, 'invocation'>, { stdin, stderr }: Io): boolean {
  return invocation.inputFormat === 'text' && stdin.isTTY === true && stderr.isTTY === true;
}
