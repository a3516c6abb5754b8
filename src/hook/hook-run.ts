import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Run } from '../governor/state.ts';

/**
 * An interactive session as the governor is to see it. Hooks can tell the agent something, limit tools and hand notes
 * back; they cannot send a prompt, end a turn or place claude's trigger, so what rests on that is off.
 */
export function hookRun(config: Config, project: string, runId: string): Run {
  const { compaction, handoff, cost, zones } = config;
  return {
    policy: {
      ...config,
      compaction: { ...compaction, enabled: false },
      handoff: { ...handoff, enabled: false },
      zones: { ...zones, onLargeTask: 'announce' },
      cost: { ...cost, limitUsd: undefined, projectLimitUsd: undefined },
    },
    mode: 'observe',
    runId,
    contextDir: join(config.contextDir, '.'),
    resumes: false,
    callerSpeaksProtocol: true,
    showInjected: false,
    callerPlacedTrigger: true,
    project,
    answersInSchema: false,
    withoutHooks: false,
    persistent: true,
    attended: true,
  };
}
