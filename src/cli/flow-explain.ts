import { resolve } from 'node:path';
import { effectiveConfig } from '../config/effective-config.ts';
import { briefingWorld } from '../flow/briefing-world.ts';
import { earlierRuns } from '../flow/earlier-run.ts';
import { explainFlow, type FlowExplained } from '../flow/explain.ts';
import { requireFlow } from '../flow/file/read-flow.ts';
import { flowExplainHtml } from '../flow/report/explain-html.ts';
import { flowExplainText } from '../flow/report/explain-text.ts';
import type { Io } from '../io.ts';
import { HTML_MARK } from '../report/html.ts';
import { printableJson } from '../report/printable-json.ts';
import { styleFor } from '../report/style.ts';
import { writePage } from '../store/files/write-file.ts';
import { maskedJson } from '../store/masks/disk-text.ts';

export interface ExplainOptions {
  readonly json?: true;
  /** Where to write a page; then nothing else is printed, unless `json` asks for it. */
  readonly html?: string;
  readonly contextDir?: string;
}

/** `ctxb flow explain`: the budgets of each step, and what its pack would hold. */
export async function explain(file: string, { json, html, contextDir }: ExplainOptions, io: Io): Promise<number> {
  const path = resolve(io.cwd, file);
  const flow = requireFlow(path);
  const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: { contextDir } });
  const run = earlierRuns(resolve(io.cwd, config.contextDir)).find((each) => each.flow() === flow.name);
  const { window, flow: global } = config;
  const world = briefingWorld({ file: path, cwd: io.cwd, run, window, global });
  const explained = explainFlow(flow, world, run?.id);
  // In the markup of a page the masks would not know every secret.
  const shown: FlowExplained = JSON.parse(maskedJson(explained));
  if (html !== undefined) writePage(resolve(io.cwd, html), flowExplainHtml(shown), HTML_MARK);
  if (json) io.stdout.write(`${printableJson(explained, 2)}\n`);
  else if (html === undefined) io.stdout.write(flowExplainText(explained, await styleFor(io.stdout, io.env)));
  return 0;
}
