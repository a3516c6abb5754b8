import { join } from 'node:path';
import { recallCommand } from '../claude/find-claude.ts';
import type { Run } from '../core/governor/state.ts';
import type { Io } from '../io.ts';
import { earlierLandings } from '../store/ledgers/health-log.ts';
import { contextFolder, type HeadlessRun, isAttended, outageSeconds } from './headless-run.ts';

/** Variables with which the caller says where claude compacts by itself, or that it does not. */
const PLACES_TRIGGER = ['CLAUDE_CODE_AUTO_COMPACT_WINDOW', 'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE', 'DISABLE_AUTO_COMPACT'];

export function describeRun(headless: HeadlessRun, runId: string, io: Io): Run {
  const { invocation, config, resumed } = headless;
  return {
    policy: { ...config, limits: { ...config.limits, outageWait: outageSeconds(headless) } },
    mode: config.observe ? 'observe' : 'act',
    runId,
    contextDir: join(config.contextDir, '.'),
    resumes: invocation.resumes || resumed?.sessionId !== undefined,
    callerSpeaksProtocol: invocation.inputFormat === 'stream-json',
    showInjected: headless.showInjected === true,
    callerPlacedTrigger: PLACES_TRIGGER.some((name) => Boolean(io.env[name])),
    project: io.cwd,
    ...recallCommand(io.env.PATH),
    answersInSchema: invocation.jsonSchema,
    exact: config.compaction.how !== 'summary',
    sharesSlots: true,
    withoutHooks: invocation.bare,
    persistent: invocation.sessionPersistence,
    attended: isAttended(headless, io),
    ...(config.strategy === 'auto' ? { landings: earlierLandings(contextFolder(headless, io)) } : {}),
  };
}
