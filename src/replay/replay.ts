import type { Readable } from 'node:stream';
import type { Policy } from '../governor/policy.ts';
import type { Run } from '../governor/state.ts';
import { readValues } from './read/read-values.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';
import { createTracker, type Tracker } from './tracker.ts';

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
  /** Told how many bytes were read, piece by piece. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reads a file instead of `readValues`, where that is faster. */
  readonly read?: typeof readValues | undefined;
}

/**
 * Judges one recording.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function replaySource(source: Source, options: ReplayOptions): Promise<SessionSummary> {
  const { stdin, onBytes, read = readValues } = options;
  const tracker = createReplayTracker(options);
  for (const file of [source.file, ...source.subagents]) {
    await read(file, { stdin, how: 'fast', onBytes }, tracker.line);
  }
  return tracker.summary(source.file);
}

/** Judges the lines of a recording as they come. */
export function createReplayTracker({ policy, series, accuracy, explain, mask }: ReplayOptions): Tracker {
  return createTracker({ run: replayRun(policy), withSeries: series, withAccuracy: accuracy === true, explain, mask });
}

/** The run a plain recording is judged in; a record of `ctxb run` brings its own. */
export function replayRun(policy: Policy): Run {
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
