import { readFileSync } from 'node:fs';
import { HTML_MARK } from '../report/html.ts';
import type { PageData } from '../report/replay-html/page-data.ts';
import { replayHtml } from '../report/replay-html/replay-html.ts';
import { writePage } from '../store/write-page.ts';

/** Where the build puts the page: commands and their parts are each one folder below the program. */
const TEMPLATE = new URL('../replay.html', import.meta.url);

/**
 * Writes the page of a replay, `--html FILE`.
 *
 * @throws CtxbError `usage` when there is another file
 */
export function writeReplayPage(path: string, data: PageData): void {
  writePage(path, replayHtml(readFileSync(TEMPLATE, 'utf8'), data), HTML_MARK);
}
