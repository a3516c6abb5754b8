import { type ReplayOptions, replaySource } from '../replay.ts';
import { attempt } from '../replay-all.ts';
import { type FromWorker, type Share, takeNext } from './share.ts';

/** Bytes are told in heaps. */
const TOLD_BYTES = 4 * 1024 * 1024;

/** What a worker does: judges recordings until all are taken. */
export async function work(
  share: Share,
  own: Pick<ReplayOptions, 'stdin' | 'mask' | 'bookmarks'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
    if (bytes < TOLD_BYTES) return;
    tell({ kind: 'bytes', count: bytes });
    bytes = 0;
  };
  const options = { ...share.options, ...own, onBytes: share.tellsBytes ? onBytes : undefined };
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const made = await attempt(() => replaySource(source, options));
    if ('found' in made) tell({ kind: 'found', at, found: made.found });
    else tell({ kind: 'fault', at, code: made.fault.code, message: made.fault.message });
  }
}
