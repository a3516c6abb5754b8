import type { Config } from '../../config/config.ts';
import { CtxbError } from '../../errors.ts';
import { type HeadlessInvocation, readClaudeArguments } from '../../session/claude-arguments.ts';
import { ANSWER_JSON_SCHEMA } from './curator-answer.ts';

/**
 * There is no other tool, so that nothing need be forbidden. (With a list of what is allowed or forbidden claude keeps
 * all others, and runs harmless commands of its shell without asking.)
 */
const READ_ONLY = ['--tools', 'Read,Grep,Glob', '--strict-mcp-config'];

/** The one mode in which reading is free in the working folder and refused outside, whatever the user's settings say. */
const IN_THE_FOLDER = ['--permission-mode', 'default'];

/** @param settings the user's `--settings`, which may say how claude reaches its API; undefined: none */
export function curatorInvocation(model: string, settings: string | undefined): HeadlessInvocation {
  const invocation = readClaudeArguments([
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...['--model', model],
    ...(settings === undefined ? [] : ['--settings', settings]),
    ...READ_ONLY,
    ...IN_THE_FOLDER,
    // A later `claude --continue` of the user's is not to find this one.
    '--no-session-persistence',
    ...['--json-schema', ANSWER_JSON_SCHEMA],
  ]);
  if (invocation.kind === 'headless') return invocation;
  throw new CtxbError('bug', `the arguments of the curator are read as ${invocation.kind}`);
}

/** The user's policies, but for notes and handoffs, which are the steps' own, and a hard limit of what it may cost. */
export function curatorConfig(config: Config, limitUsd: number): Config {
  const { memory, handoff, recovery, cost } = config;
  return {
    ...config,
    observe: false,
    memory: { ...memory, enabled: false },
    handoff: { ...handoff, enabled: false },
    recovery: { ...recovery, enabled: false },
    cost: { ...cost, limitUsd: Math.min(limitUsd, cost.limitUsd ?? limitUsd), onLimit: 'stop' },
  };
}
