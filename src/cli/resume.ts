import { resolve } from 'node:path';
import { signalExitCode } from '../claude/child.ts';
import { type Config, requireValid } from '../config/config.ts';
import { type Flags, resolveStored } from '../config/resolve-config.ts';
import { toUsd } from '../core/governor/cost/cost.ts';
import { asksPerson } from '../core/governor/cost/cost-limit.ts';
import type { SpentBefore } from '../core/governor/input.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { dollars, localTime } from '../report/figures.ts';
import { presentLines } from '../report/layout.ts';
import { isAttended } from '../run/headless-run.ts';
import { type Resumption, resumeRun, untilReset } from '../run/resume/resume-run.ts';
import type { RunSettings } from '../run/resume/run-settings.ts';
import { runHeadless } from '../run/run-headless.ts';
import type { RunOptions } from './run.ts';
import { type PreparedRun, prepareRun, type RunRequest, terminalOf } from './run-claude.ts';

const EXIT_LIMIT = 3;

/**
 * Continues a run with its own settings and spending. Flags override them; current files and variables do not.
 *
 * @param words the program and its arguments; empty: those that the run was started with
 */
export async function resumeListedRun(
  words: readonly string[],
  { flags, configFile, resumeRun: named, atReset, ...request }: RunOptions & RunRequest,
  io: Io,
): Promise<number> {
  if (request.prompts !== undefined || request.promptsFile !== undefined) {
    throw new CtxbError(
      'usage',
      '--resume-run continues with the prompts of the run: leave --prompt and --prompts out',
    );
  }
  const now = await prepareRun(flags, io, configFile);
  const { notice } = await now.watch();
  const contextDir = resolve(io.cwd, now.config.contextDir);
  let id = named === true ? undefined : named;
  if (atReset) {
    const onWait = (runId: string, resetsAt: number | undefined) => notice(resetText(runId, resetsAt));
    const waited = await untilReset({ contextDir, id }, io, { notice, onWait });
    if (waited.stopped !== undefined) return signalExitCode(waited.stopped);
    id = waited.runId;
  }
  const resumption = await resumeRun({ contextDir, id, words }, io, notice);
  if (resumption === undefined) {
    notice('every prompt of the run has an answer: nothing is left to do');
    return 0;
  }
  const { settings, invocation, program } = resumption;
  const attended = isAttended(invocation, io);
  const { config, values } = settingsFor(settings, now, flags);
  const spent = withFlags(resumption.resumed.spent, flags);
  for (const line of resumeNotices(resumption, request.record)) notice(line);
  const limit = limitAt(config, spent);
  if (limit !== undefined && !asksPerson(config.cost.onLimit, attended)) {
    notice(`the cost limit of the run is reached (${sumsText(spent, limit)}): raise it with --cost-limit`);
    return EXIT_LIMIT;
  }
  const resumed = { ...resumption.resumed, spent };
  const otlp = request.otlp ?? settings.otlp;
  const headless = { ...request, program, invocation, config, values, otlp, resumed };
  return runHeadless(headless, io, () => terminalOf(config, io));
}

/**
 * The run's own settings, overridden by the current flags. Settings that depend on the terminal or the folder are the
 * current ones.
 */
function settingsFor(kept: RunSettings, now: PreparedRun, flags: Flags) {
  const { config, values } = requireValid(resolveStored(kept.values, flags));
  const { contextDir, costDir, quiet, statusLine } = now.config;
  return { config: { ...config, contextDir, ...(costDir && { costDir }), quiet, statusLine }, values };
}

/** A limit among the flags replaces one that the user had raised. */
function withFlags({ raised, ...spent }: SpentBefore, flags: Flags): SpentBefore {
  const run = flags['cost.limitUsd'] === undefined ? raised.run : undefined;
  const project = flags['cost.projectLimitUsd'] === undefined ? raised.project : undefined;
  return { ...spent, raised: { run, project } };
}

/** The cost limit if it is reached, in US dollars. Every resume would start a claude just to wrap up, and cost more. */
function limitAt({ cost, observe }: Config, spent: SpentBefore): number | undefined {
  const limit = spent.raised.run ?? cost.limitUsd;
  return !observe && limit !== undefined && spentUsd(spent) + toUsd(spent.lost) >= limit ? limit : undefined;
}

function sumsText(spent: SpentBefore, limit: number): string {
  const unsettledText =
    spentUsd(spent) < limit ? `, with about ${dollars(toUsd(spent.lost))} for calls that the interruption cut off` : '';
  return `${dollars(spentUsd(spent))} of ${dollars(limit)}${unsettledText}`;
}

function spentUsd({ settled, open }: SpentBefore): number {
  return toUsd(settled + open);
}

function resetText(runId: string, resetsAt: number | undefined): string {
  const run = `run ${runId.slice(0, 8)}`;
  return resetsAt === undefined
    ? `the reset of the usage limit of ${run} is unknown: continuing now`
    : `${run} waits until ${localTime(resetsAt)}`;
}

/** @param newRecord where this process records */
function resumeNotices({ settings, resumed }: Resumption, newRecord: string | undefined): string[] {
  const { withheld, record } = settings;
  const { runId, spent } = resumed;
  // The cost is unknown if the back-end reports no counts.
  const usd = spentUsd(spent);
  const cost = usd > 0 ? `; it has cost ${dollars(usd)} so far` : '';
  return presentLines(
    `run ${runId.slice(0, 8)} continues with its own settings${cost}`,
    withheld.length > 0 && `not kept, because it contains a secret: ${withheld.join(', ')}; give it again`,
    record !== undefined &&
      newRecord === undefined &&
      `${record} ends where the run was interrupted: --record FILE records the rest in another file`,
  );
}
