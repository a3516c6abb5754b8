import { relative, resolve } from 'node:path';
import { quickSettings } from '../config/quick-config.ts';
import type { SetValue } from '../config/resolve-config.ts';
import { briefingWorld } from '../flow/briefing.ts';
import { earlierRuns } from '../flow/earlier-run.ts';
import { profileOf } from '../flow/effective.ts';
import { namedProfile } from '../flow/file/flow-files.ts';
import { requireFlow } from '../flow/file/read-flow.ts';
import type { Flow } from '../flow/flow.ts';
import {
  explainFlow,
  type FlowExplained,
  flowExplainHtml,
  flowExplainText,
  type LevelFiles,
} from '../flow/report/explain.ts';
import type { Io } from '../io.ts';
import { HTML_MARK } from '../report/html.ts';
import { printableJson } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';
import { writePage } from '../store/files/write-file.ts';
import { maskedJson } from '../store/masks/disk-text.ts';

export interface ExplainOptions {
  readonly json?: true;
  /** Where to write a page; then nothing else is printed, unless `json` asks for it. */
  readonly html?: string;
  readonly profile?: string;
  readonly contextDir?: string;
}

/** `ctxb flow explain`: the budgets of each step, and what its pack would hold. */
export async function explain(file: string, options: ExplainOptions, io: Io): Promise<number> {
  const { json, html, profile, contextDir } = options;
  const path = resolve(io.cwd, file);
  const flow = requireFlow(path, { profile: namedProfile(profile, io.cwd) });
  const settings = await quickSettings({ cwd: io.cwd, env: io.env, flags: { contextDir } });
  const { config } = settings;
  const run = earlierRuns(resolve(io.cwd, config.contextDir)).find((each) => each.flow() === flow.name);
  const { window, flow: global } = config;
  const world = briefingWorld({ file: path, cwd: io.cwd, run, window, global });
  const files = filesOf(flow, path, settings.values, io.cwd);
  const explained = explainFlow(flow, world, { run: run?.id, files });
  // In the markup of a page the masks would not know every secret.
  const shown: FlowExplained = JSON.parse(maskedJson(explained));
  if (html !== undefined) writePage(resolve(io.cwd, html), flowExplainHtml(shown), HTML_MARK);
  if (json) io.stdout.write(`${printableJson(explained, 2)}\n`);
  else if (html === undefined) io.stdout.write(flowExplainText(explained, await styleFor(io.stdout, io.env)));
  return 0;
}

/** The values of all flows may come from a file and from variables. */
function filesOf(flow: Flow, path: string, values: readonly SetValue[], cwd: string): LevelFiles {
  const place = ({ source, where = source }: SetValue['origin']) => (source === 'file' ? relative(cwd, where) : where);
  const global = new Set(values.filter(({ key }) => key.startsWith('flow.')).map(({ origin }) => place(origin)));
  const own = relative(cwd, path);
  return {
    step: own,
    flow: own,
    profile: relative(cwd, profileOf(flow)?.file ?? path),
    ...(global.size === 0 ? {} : { global: [...global].join(' and ') }),
  };
}
