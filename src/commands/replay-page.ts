import { readFileSync } from 'node:fs';
import type { SessionSummary } from '../replay/summary.ts';
import { HTML_MARK } from '../report/html.ts';
import { type PageOptions, pageData } from '../report/replay-html/page-data.ts';
import { replayHtml } from '../report/replay-html/replay-html.ts';
import { writePage } from '../store/write-page.ts';

/** Where the build puts the page: commands and their parts are each one folder below the program. */
const TEMPLATE = new URL('../replay.html', import.meta.url);

/** A page that is written when all sessions have been seen. */
export interface ReplayPage {
  session(session: SessionSummary): void;
  /** @throws CtxbError `usage` when there is another file */
  write(): void;
}

/** The page of a replay, `--html FILE`. Sessions come with their series. */
export function createReplayPage(path: string, options: PageOptions): ReplayPage {
  const sessions: SessionSummary[] = [];
  return {
    session: (session) => void sessions.push(session),
    write() {
      const data = pageData({ version: 1, sessions }, options);
      writePage(path, replayHtml(readFileSync(TEMPLATE, 'utf8'), data), HTML_MARK);
    },
  };
}
