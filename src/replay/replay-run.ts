import type { Policy } from '../core/governor/policy.ts';
import type { Run } from '../core/governor/state.ts';

/** The run settings for a plain recording; a record of `ctxb run` contains its own. */
export function runForReplay(policy: Policy): Run {
  return {
    policy,
    mode: 'replay',
    runId: '00000000-0000-4000-8000-000000000000',
    contextDir: '.context',
    resumes: false,
    callerSpeaksProtocol: true,
    showInjected: true,
    callerPlacedTrigger: true,
    project: '',
    answersInSchema: false,
    withoutHooks: false,
    persistent: true,
    attended: false,
  };
}
