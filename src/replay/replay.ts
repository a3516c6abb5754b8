import type { Readable } from 'node:stream';
import type { Policy } from '../core/governor/policy.ts';
import type { Mask } from '../core/memory/words.ts';
import type { Bookmarks } from './cache/bookmarks.ts';
import type { LineStart } from './read/line-feed.ts';
import { readValues } from './read/read-values.ts';
import { replayRun } from './replay-run.ts';
import { createSessionReplay, type SessionReplay } from './session-replay.ts';
import type { Snapshot } from './snapshot.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

export interface ReplayOptions {
  readonly policy: Policy;
  /** One entry for each main-thread call in the summary. */
  readonly series: boolean;
  /** Compare the prediction of each call with what it was. */
  readonly accuracy?: boolean;
  /** What each relief kept of what was known before it. */
  readonly retention?: boolean;
  /** A call that is to be explained: its number, from 1, or its message's id. */
  readonly explain?: string | undefined;
  readonly stdin: Readable;
  /** Takes secrets out of texts. */
  readonly mask: Mask;
  /** Told how many bytes were read, piece by piece. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Resumes reading files that have only grown; default: every file is read from its beginning. */
  readonly bookmarks?: Bookmarks | undefined;
}

/**
 * Judges one recording.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function replaySource(source: Source, options: ReplayOptions): Promise<SessionSummary> {
  const { stdin, onBytes, bookmarks } = options;
  const bookmark = bookmarks?.open(source.file);
  const replay = createReplay(options, bookmark?.found?.snapshot);
  const reading = { stdin, onBytes };
  const onWhole = (end: LineStart) => bookmark?.keep(end, replay.snapshot());
  await readValues(source.file, { ...reading, from: bookmark?.found?.at, onWhole }, replay.line);
  // What these say depends on all that the session has said before: they are always read whole.
  for (const file of source.subagents) await readValues(file, reading, replay.line);
  return replay.summary(source.file);
}

/** Judges the lines of a recording as they come. @param snapshot of another one with the same options, before these lines */
export function createReplay(options: ReplayOptions, snapshot?: Snapshot): SessionReplay {
  const { policy, series, accuracy = false, retention = false, explain, mask } = options;
  return createSessionReplay({
    run: replayRun(policy),
    withSeries: series,
    withAccuracy: accuracy,
    withRetention: retention,
    explain,
    mask,
    snapshot,
  });
}
