import { type HeadlessInvocation, readClaudeArguments } from '../../claude/claude-arguments.ts';
import { windowOfModel } from '../../core/governor/gauge/window.ts';
import { CtxbError } from '../../errors.ts';
import type { FlowStep } from '../flow.ts';

export interface StepClaude {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  /** Tokens of its window; undefined where the model's name does not tell. */
  readonly window: number | undefined;
}

/**
 * The program and arguments from the command line, with the step's model. Prompt, session and format are the flow's.
 *
 * @throws CtxbError `usage` where the arguments set one of these, or do not make a headless run
 */
export function readStepClaude([program, ...args]: readonly string[], step: Pick<FlowStep, 'model'>): StepClaude {
  if (program === undefined) throw new CtxbError('usage', 'no program given: ctxb flow run FILE -- claude [arguments]');
  const model = step.model === undefined ? [] : ['--model', step.model];
  const invocation = readClaudeArguments(['-p', '--output-format', 'stream-json', '--verbose', ...args, ...model]);
  if (invocation.kind !== 'headless') throw new CtxbError('usage', `claude cannot be run so: ${reasonOf(invocation)}`);
  refuseOwn(invocation);
  return { program, invocation, window: windowOfModel(invocation.model) };
}

function reasonOf(invocation: Exclude<ReturnType<typeof readClaudeArguments>, { readonly kind: 'headless' }>): string {
  return invocation.kind === 'untouched'
    ? invocation.reason
    : `write ${invocation.option}=…, so that it is clear what "${invocation.candidate}" belongs to`;
}

function refuseOwn({ prompt, resumes, passed, passedAgain, inputFormat, outputFormat }: HeadlessInvocation): void {
  const wrong = [
    ...(prompt === undefined ? [] : [`the prompt "${prompt}"`]),
    ...(resumes || passed.length > passedAgain.length ? ['the session'] : []),
    ...(inputFormat === 'text' && outputFormat === 'stream-json' ? [] : ['the format']),
  ];
  if (wrong.length === 0) return;
  throw new CtxbError('usage', `leave ${wrong.join(' and ')} out: in a flow, each step has its own`);
}
