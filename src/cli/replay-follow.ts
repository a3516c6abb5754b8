import type { Policy } from '../core/governor/policy.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { type Follower, followSource, type TailTurn } from '../replay/follow.ts';
import { findSources, type Source } from '../replay/sources.ts';
import { openPage } from '../report/replay/format.ts';
import type { ReportFormat } from '../report/replay/formats.ts';
import { createLiveLines, createLiveText, type LiveView } from '../report/replay/live.ts';
import { printable } from '../report/shown.ts';
import { createOutlet } from '../run/output/outlet.ts';
import { untilSignal } from '../run/signals.ts';
import { redact } from '../store/masks/redact.ts';
import { openStdin } from './inputs.ts';
import { printReport } from './print-report.ts';
import { findSessions } from './replay-sources.ts';
import type { ReportOptions } from './report-options.ts';

interface Following {
  readonly options: ReportOptions;
  readonly policy: Policy;
  /** The report at the end shows calls one by one. */
  readonly series: boolean;
}

const TURNS: Readonly<Record<TailTurn, string>> = {
  truncated: 'was truncated: it is read from its beginning again',
  replaced: 'was replaced: the new file is read from its beginning',
  gone: 'is gone: waiting for it to come back',
};

/** Shows a recording while it grows, until Ctrl-C or the end of stdin, and reports on it then. */
export async function follow(
  files: readonly string[],
  { options, policy, series }: Following,
  io: Io,
): Promise<number> {
  const source = theOne(files);
  const page = await openPage(io, policy);
  const end = untilSignal();
  const outlet = createOutlet(io.stdout, end.stop, () => {});
  const openView = VIEWS[options.format.name];
  let view = openView?.(page);
  const follower: Follower = {
    async news(session, final) {
      const text = view?.(session, final) ?? '';
      if (text !== '') outlet.write(text);
      if (final) view = openView?.(page);
      await new Promise<void>((resume) => outlet.whenDrained(resume));
    },
    turn: (turn) => io.stderr.write(`ctxb: ${printable(source.file)} ${TURNS[turn]}\n`),
  };
  const sessions = await followSource(
    source,
    { policy, stdin: openStdin([source.file], io), mask: redact },
    follower,
    end.signal,
  ).finally(end.stop);
  // The terminal has shown ^C on the line that the report would begin on.
  if (io.stdout.isTTY) outlet.write('\n');
  const say = (message: string) => void io.stderr.write(`ctxb: ${printable(message)}\n`);
  const judged = sessions.map((found) => ({ found }));
  const find = () =>
    findSessions(judged, [source.file], {
      ...{ faults: [], filters: options.filters, say },
    });
  const left = { ...options, format: options.format.name === 'ndjson' ? NOTHING : options.format };
  return printReport(find, left, { io, levels: policy, series, say, clear: () => {} });
}

/** Formats that show something before the end. */
const VIEWS: Readonly<Record<string, (page: Parameters<typeof createLiveText>[0]) => LiveView>> = {
  text: createLiveText,
  detail: createLiveText,
  ndjson: createLiveLines,
};

/** What is left to print at the end of lines that were printed one by one. */
const NOTHING: ReportFormat = {
  name: 'nothing',
  needsSeries: false,
  load: async () => () => [],
};

function theOne(files: readonly string[]): Source {
  const [source, ...others] = files.length > 1 ? [] : findSources(files[0] ?? '-');
  if (source !== undefined && others.length === 0) return source;
  throw new CtxbError('usage', '--follow: name one file, or - for stdin');
}
