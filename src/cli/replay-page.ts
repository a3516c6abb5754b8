import { readFileSync } from 'node:fs';
import { HTML_MARK } from '../report/html.ts';
import type { Page } from '../report/replay/format.ts';
import { createPageData, replayHtml } from '../report/replay-html/page-data.ts';
import { requireFree, writePage } from '../store/files/write-file.ts';
import type { ExtraReport } from './print-report.ts';

/** Where the build puts the page: commands and their parts are each one folder below the program. */
const TEMPLATE = new URL('../replay.html', import.meta.url);

/**
 * The page of a replay, `--html FILE`.
 *
 * @throws CtxbError `usage` when there is another file
 */
export function createReplayPage(path: string, { levels, list }: Page): ExtraReport {
  requireFree(path, HTML_MARK);
  const page = createPageData({ policy: levels, sort: list.sort ?? 'newest' });
  return {
    session: page.add,
    end({ faults }) {
      const data = page.data();
      // Of a file that is no recording there is no report.
      if (data.sessions.length === 0 && faults.length > 0) return;
      writePage(path, replayHtml(readFileSync(TEMPLATE, 'utf8'), data), HTML_MARK);
    },
  };
}
