import type { Readable } from 'node:stream';
import type { Policy } from '../governor/policy.ts';
import type { Run } from '../governor/state.ts';
import { readLines } from './read-lines.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';
import { createTracker } from './tracker.ts';

export interface ReplayOptions {
  readonly policy: Policy;
  /** One entry for each main-thread call in the summary. */
  readonly series: boolean;
  /** What was foreseen for each call is held against what it was. */
  readonly accuracy?: boolean;
  /** A call that is to be explained: its number, from 1, or its message's id. */
  readonly explain?: string | undefined;
  readonly stdin: Readable;
  /** Takes secrets out of texts. */
  readonly mask: (text: string) => string;
}

/**
 * Judges one recording.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function replaySource(source: Source, options: ReplayOptions): Promise<SessionSummary> {
  const { policy, series: withSeries, accuracy: withAccuracy = false, explain, mask, stdin } = options;
  const tracker = createTracker({ run: replayRun(policy), withSeries, withAccuracy, explain, mask });
  for (const file of [source.file, ...source.subagents]) await readLines(file, stdin, (line) => tracker.line(line));
  return tracker.summary(source.file);
}

/** The run a plain recording is judged in; a record of `ctxb run` brings its own. */
function replayRun(policy: Policy): Run {
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
