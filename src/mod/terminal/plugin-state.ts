import { namesCompactionHook } from '../../claude/compaction-hooks.ts';
import type { ExactReceipt } from '../../core/protocol/exact-plan.ts';
import { NO_USAGE } from '../../core/protocol/usage.ts';
import type { Engine } from '../engine.ts';
import { createLogReader, type LogReader } from './log-reader.ts';
import { createTerminalSession, type Options, type TerminalSession } from './session.ts';

const LATE_MS = 300;
const POLL_INTERVAL_MS = 50;
const MAX_POLLS = 40;
const WATCH_MS = 2_000;

export interface CompactionNews {
  /** Tokens of the context before the compaction; undefined if it could not remove anything. */
  readonly from: number | undefined;
}

export class PluginState {
  session: TerminalSession;
  log: LogReader | undefined;
  /** Path of claude's log of the session, from the session's start event. */
  transcript: string | undefined;
  costUsd: number | undefined;
  /** Whether `ctxb run` drives this claude; the plugin then does nothing. */
  isRun = false;
  isInteractive = false;
  /** Number of times in a row that the compaction waited for the next call. */
  waits = 0;
  following = Promise.resolve();
  turn: string | undefined;
  /** The last compaction that the mod was asked for. */
  last: ExactReceipt | undefined;
  /** The last compaction, until the next turn begins. */
  news: CompactionNews | undefined;
  /** Why claude compacts in its own way; undefined if compactions are exact. */
  whyNotExact: string | undefined;
  /** Called when claude asks the mod to compact. */
  asked = () => {};

  constructor(options: Options) {
    this.session = createTerminalSession(options);
  }

  forgetCompaction(): void {
    this.last = undefined;
    this.news = undefined;
  }
}

/**
 * Reads new lines of claude's log, and asks claude for data that the log lacks. Calls run one after the other. Does
 * nothing inside `ctxb run`.
 */
export async function readNewLines($: Engine, plugin: PluginState): Promise<void> {
  if (plugin.isRun) return;
  const following = plugin.following.then(() => readNewLinesNow($, plugin));
  plugin.following = following.catch(() => {});
  await following;
}

async function readNewLinesNow($: Engine, plugin: PluginState): Promise<void> {
  const [path, { context, cost, rateLimits }, model] = await Promise.all([
    logPathOf($, plugin),
    $.session.usage(),
    $.session.model(),
  ]);
  const { tokens, window } = context;
  const usage = tokens === undefined ? undefined : { ...NO_USAGE, input: tokens };
  const limits = rateLimits.map(({ kind, percentUsed }) => [kind, { share: percentUsed / 100, resetsAt: undefined }]);
  plugin.costUsd = cost?.usd;
  plugin.session.report({ window, model, usage, limits: Object.fromEntries(limits) });
  if (path !== undefined && plugin.log?.path !== path) {
    // Late lines of the previous conversation.
    await readLog($, plugin);
    plugin.log = createLogReader(path);
  }
  await readLog($, plugin);
  $.ui.invalidate('ui.render');
}

/**
 * Claude Code up to 2.1.301 lacks `$.session.info`. Later versions emit no session start if they load the plugin late.
 */
async function logPathOf($: Engine, { transcript }: PluginState): Promise<string | undefined> {
  try {
    return (await $.session.info()).transcriptPath;
  } catch {
    return transcript;
  }
}

/** Updates the display during a long turn. Polls, because a hook would delay every tool. */
export async function watchTurn($: Engine, plugin: PluginState, turn: string): Promise<void> {
  await $.clock.sleep(WATCH_MS);
  while (plugin.turn === turn) {
    await readNewLines($, plugin);
    await $.clock.sleep(WATCH_MS);
  }
}

/**
 * Waits until claude has written its log: up to 0.15 s, longer on a busy machine. The last call may make a compaction
 * pay.
 */
export function awaitLog($: Engine, plugin: PluginState): Promise<void> {
  return readNewLinesWhile($, plugin, plugin.session.isBehind);
}

/** Reads the lines that claude logs after the end of a turn, and after a compaction until the log has it. */
export async function readLateLines($: Engine, plugin: PluginState): Promise<void> {
  await $.clock.sleep(LATE_MS);
  await readNewLines($, plugin);
  await readNewLinesWhile(
    $,
    plugin,
    () => plugin.news?.from !== undefined && plugin.session.size() >= plugin.news.from,
  );
}

async function readNewLinesWhile($: Engine, plugin: PluginState, isLate: () => boolean): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS && isLate(); poll++) {
    await $.clock.sleep(POLL_INTERVAL_MS);
    await readNewLines($, plugin);
  }
}

/** Reads the new lines of the log. A session without a prompt has no log. */
async function readLog($: Engine, { log, session }: PluginState): Promise<void> {
  if (log === undefined || !(await $.fs.exists(log.path))) return;
  const { size } = await $.fs.stat(log.path);
  for (let part = log.nextPart(size); part !== undefined; part = log.nextPart(size)) {
    const { base64 } = await $.fs.read(log.path, { as: 'bytes', ...part });
    session.read(log.lines(base64));
  }
}

/**
 * Finds out whether compactions can be exact. With a mod, claude calls no PreCompact hook, so it would skip the user's.
 */
export async function checkExactness($: Engine, plugin: PluginState): Promise<void> {
  const hooks = await $.settings.read({ key: 'hooks' }).catch(() => undefined);
  plugin.whyNotExact = namesCompactionHook(hooks) ? 'a PreCompact hook of yours would not be called' : undefined;
}
