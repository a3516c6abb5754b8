import type { ProcessMark } from '../store/process-mark.ts';
import { createSessionStore, type OnFault } from '../store/session-store.ts';
import { openRunsOf } from './earlier-run.ts';
import { endClaude } from './end-claude.ts';
import { tellEnd } from './resume-run.ts';

/**
 * Ends every claude that a ctxb, itself killed, has left working alone, and closes their runs in the journal: whoever
 * calls does the work anew, so that there is nothing to take up.
 *
 * @throws CtxbError `usage` when one of them cannot be ended
 */
export async function endLeft(
  contextDir: string,
  ctxb: ProcessMark,
  { notice, onFault }: { readonly notice: (text: string) => void; readonly onFault: OnFault },
): Promise<void> {
  for (const run of openRunsOf(contextDir, ctxb)) {
    tellEnd(await endClaude({ pid: run.claude.pid, mark: run.claude }), run, notice);
    const store = createSessionStore(contextDir, { runId: run.runId, now: Date.now, onFault });
    store.journal({ kind: 'end', runId: run.runId, leftTo: 'the flow that it was a step of' });
    store.forgetRun();
  }
}
