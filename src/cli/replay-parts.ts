import type { Readable } from 'node:stream';
import { CtxbError } from '../errors.ts';
import { createMerge } from '../replay/parts/merge.ts';
import { readPartials } from '../replay/parts/partial.ts';
import type { Judged } from '../replay/replay.ts';
import type { SessionSummary } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';

interface PartsOptions {
  readonly stdin: Readable;
  /** The report shows calls: it would be silent about a session without them. */
  readonly needsSeries: boolean;
  readonly say: (message: string) => void;
}

/** The sessions of partials together with those of recordings, each once. */
export async function* withPartials(
  partials: readonly string[],
  recordings: AsyncIterable<Judged>,
  { stdin, needsSeries, say }: PartsOptions,
): AsyncGenerator<Judged> {
  const merge = createMerge();
  for (const fault of await readPartials(partials, stdin, merge)) yield { fault };
  for await (const judged of recordings) {
    if ('found' in judged) merge.add(judged.found);
    else yield judged;
  }
  if (merge.repeated > 0) say(`${counted(merge.repeated, 'session')} more than once, each counts once`);
  for (const session of merge.sessions()) yield needsSeries ? withCalls(session) : { found: session };
}

function withCalls(session: SessionSummary): Judged {
  if (session.series !== undefined || session.calls === 0) return { found: session };
  const remedy = 'make its partial with ctxb replay --partial --series';
  return { fault: new CtxbError('unreadable-input', `${session.file} is there without its calls: ${remedy}`) };
}
