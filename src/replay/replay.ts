import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { CtxbError } from '../errors.ts';
import type { Policy } from '../governor/policy.ts';
import type { Run } from '../governor/state.ts';
import { createFramer } from '../stream/frame.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';
import { createTracker, type Tracker } from './tracker.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface ReplayOptions {
  readonly policy: Policy;
  /** One entry for each main-thread call in the summary. */
  readonly series: boolean;
  readonly stdin: Readable;
}

/**
 * Judges one recording.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function replaySource(source: Source, options: ReplayOptions): Promise<SessionSummary> {
  const tracker = createTracker(replayRun(options.policy), options.series);
  for (const file of [source.file, ...source.subagents]) await readInto(tracker, file, options.stdin);
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
  };
}

async function readInto(tracker: Tracker, file: string, stdin: Readable): Promise<void> {
  const framer = createFramer();
  const stream = file === '-' ? stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) {
      for (const line of framer.push(chunk as Buffer)) tracker.line(line.toString());
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CtxbError('unreadable-input', `${file}: cannot be read (${reason})`, { cause });
  }
  const last = framer.flush();
  if (last) tracker.line(last.toString());
}
