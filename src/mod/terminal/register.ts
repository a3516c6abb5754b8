import { namesCompactionHook } from '../../claude/compaction-hooks.ts';
import type { Answer } from '../../core/exact/exact-answer.ts';
import type { ExactReceipt } from '../../core/exact/plan.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import type { Known } from '../../statusline/judge-status.ts';
import { circumstancesOf } from '../circumstances.ts';
import { type CompactEvent, type Drawing, type Engine, isHeard, isSaid, type On } from '../engine.ts';
import { bandText, doctor, handoff, recall, type Standing, statusOf } from './commands.ts';
import {
  createLogReader,
  createTerminalSession,
  type LogReader,
  type Options,
  policyFor,
  type TerminalSession,
} from './session.ts';

/** claude's own JSX factory. */
declare const h: (element: unknown, props: object | null, ...children: readonly Drawing[]) => Drawing;

const LATE_MS = 300;
const LOOK_MS = 50;
const MOST_LOOKS = 40;
const WATCH_MS = 2_000;
const ASKED_MS = 1_000;

class Seat {
  session: TerminalSession;
  log: LogReader | undefined;
  known: Known & { readonly costUsd?: number | undefined } = {
    window: undefined,
    model: undefined,
    usage: undefined,
    limits: {},
  };
  /** `ctxb run` does all of this itself. */
  isRun = false;
  isInteractive = false;
  /** Compactions that wait for the next call. */
  waits = 0;
  /** The reading of the log that is under way. */
  following = Promise.resolve();
  /** The turn that runs. */
  turn: string | undefined;
  last: ExactReceipt | undefined;
  /** The last compaction was exact: its messages hold what is to be handed back. */
  isExact = false;
  hooks: unknown;
  program: string | undefined;
  /** Called when claude asks what stays. */
  asked = () => {};

  constructor(options: Options) {
    this.session = sessionFor(options);
  }
}

/**
 * The plugin for people at the terminal: it follows claude's log with the governor, shows how full the context is,
 * compacts exactly at the end of a turn when that pays, and hands back after `/clear`. claude reads the source of this
 * function and wants `on` and `$` under these names.
 */
export function register(on: On, options: Options): void {
  const seat = new Seat(options);

  on('classic.SessionStart', async ($, e, next) => {
    seat.isRun = (await $.env.get('CTXB_RUN')) !== undefined;
    if (seat.isRun) return next(e);
    const isNew = e.source !== 'clear' && e.source !== 'compact';
    if (isNew) {
      await look($, seat);
      seat.session = sessionFor(options, seat.program);
      seat.log = undefined;
    }
    await follow($, seat);
    const isLost = e.source === 'clear' || (e.source === 'compact' && !seat.isExact);
    const told = isLost ? seat.session.handBack() : undefined;
    if (e.source === 'clear') seat.session.clear();
    const answer = await next(e);
    return told === undefined ? answer : { ...answer, additionalContext: [...(answer.additionalContext ?? []), told] };
  });

  on('session.start', async ($, e, next) => {
    seat.isInteractive = e.isInteractive;
    if (!seat.isRun) $.ui.invalidate('ui.render');
    return next(e);
  });

  on('prompt.submit', async ($, e, next) => {
    if (isHeard(e)) seat.session.hear(e.text);
    if (isSaid(e)) seat.session.say(e.text);
    const entered = await next(e);
    if (!seat.isRun) await follow($, seat);
    return entered;
  });

  on('turn.start', async ($, e, next) => {
    if (e.agentId === undefined && !seat.isRun) {
      seat.turn = e.turnId;
      void watchTurn($, seat, e.turnId);
    }
    return next(e);
  });

  on('turn.complete', async ($, e, next) => {
    if (e.agentId !== undefined || seat.isRun) return next(e);
    seat.turn = undefined;
    const mayCompact = seat.isInteractive && !e.isAborted;
    // Prompts that wait begin the next turn in a moment, and then claude refuses: nothing is asked or read before.
    const isCompacted = mayCompact && (await compactIfDue($, seat));
    const done = await next(e);
    await follow($, seat);
    if (mayCompact && !isCompacted) {
      await awaitLog($, seat);
      await compactIfDue($, seat);
    }
    // Behind a compaction nothing tells that the log lacks the last call.
    if (seat.isInteractive) void followLate($, seat);
    return done;
  });

  on('session.measure', async ($, e, next) => {
    if (!seat.isRun) await follow($, seat);
    return next(e);
  });

  on('session.compact', async ($, e, next) => {
    seat.asked();
    seat.isExact = false;
    // A focus asks for claude's own summary.
    const isAsked = e.trigger === 'manual' && e.instructions !== undefined;
    if (seat.isRun || e.agentId !== undefined || e.trigger === 'precompute' || isAsked) return next(e);
    if (leftWhy(seat) !== undefined) return next(e);
    const { messages, outcome, waits } = await compact($, seat, e);
    if (messages !== undefined) return { messages };
    // Only where the context is full a summary is worth what it costs.
    const isEarly = waits !== undefined || (e.trigger === 'plugin' && !seat.session.isFull(seat.known));
    return isEarly ? { skip: `ctxb: ${outcome.why}` } : next(e);
  });

  // The band shows at once what a compaction has left.
  on('classic.PostCompact', async ($, e, next) => {
    const answer = await next(e);
    if (!seat.isRun) void followLate($, seat);
    return answer;
  });

  on('command.run', { command: 'ctxb:status' }, async ($, e, next) => {
    if (seat.isRun) return next(e);
    await follow($, seat);
    return statusOf(stateOf(seat), seat.known.costUsd, standingOf(seat));
  });

  on('command.run', { command: 'ctxb:handoff' }, async ($, e, next) => {
    if (seat.isRun) return next(e);
    await follow($, seat);
    return handoff($, seat.session.handoff(await $.clock.now()), e.args.trim());
  });

  on('command.run', { command: 'ctxb:recall' }, async ($, e, next) =>
    seat.isRun ? next(e) : recall($, e.args, seat.program),
  );

  on('command.run', { command: 'ctxb:doctor' }, async ($, e, next) => {
    if (seat.isRun) return next(e);
    await look($, seat);
    await follow($, seat);
    return doctor($, stateOf(seat), standingOf(seat));
  });

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const below = await next(e);
    if (seat.isRun || e.props.hasSurvey) return below;
    const { Box, Text } = $.ui.resolve(e);
    const pieces = bandText(stateOf(seat), seat.known.costUsd, e.props.bodyColumns);
    const line = h(Text, null, ...pieces.map(({ text, ...style }) => h(Text, style, text)));
    return below ? h(Box, { flexDirection: 'column' }, line, below) : line;
  });
}

function sessionFor(options: Options, program?: string): TerminalSession {
  const recall = program === undefined ? undefined : '`ctxb recall WORDS`';
  return createTerminalSession({ policy: policyFor(options), recall });
}

function stateOf({ session, known }: Seat): GovernorState {
  return session.judged(known);
}

/** claude asks no PreCompact hook where a mod answers. */
function leftWhy({ hooks }: Seat): string | undefined {
  return namesCompactionHook(hooks) ? 'a PreCompact hook of yours would not be asked' : undefined;
}

function standingOf(seat: Seat): Standing {
  const { last, program, log } = seat;
  return { last, left: leftWhy(seat), program, logPath: log?.path };
}

/** Looks at what is beside the session: the user's hooks, and whether a shell finds ctxb. */
async function look($: Engine, seat: Seat): Promise<void> {
  seat.hooks = await $.settings.read({ key: 'hooks' }).catch(() => undefined);
  const path = (await $.env.get('PATH')) ?? '';
  const isWindows = path.includes(';');
  const name = isWindows ? 'ctxb.cmd' : 'ctxb';
  const files = path.split(isWindows ? ';' : ':').map((folder) => `${folder}/${name}`);
  const found = await Promise.all(files.map((file) => $.fs.exists(file).catch(() => false)));
  seat.program = files[found.indexOf(true)];
}

/** What stays, as claude asks for it. */
async function compact($: Engine, seat: Seat, e: CompactEvent): Promise<Answer> {
  const { trigger, messages } = e;
  const started = performance.now();
  await follow($, seat);
  // In mid-turn the log may lack what the model was told last, which is all that was said; later some of that still waits.
  const isMidTurn = trigger === 'auto';
  if (!isMidTurn) await awaitLog($, seat);
  const circumstances = await circumstancesOf($, e, seat.waits);
  const answer = seat.session.compact(messages, seat.known, { ...circumstances, isMidTurn });
  seat.waits = answer.waits === undefined ? 0 : seat.waits + 1;
  if (answer.waits !== undefined) return answer;
  const ms = Math.round(performance.now() - started);
  seat.last = { version: 1, number: (seat.last?.number ?? 0) + 1, ms, ...answer.outcome };
  seat.isExact = answer.messages !== undefined;
  return answer;
}

/** Reads what is new in claude's log, and asks claude for what the log does not say; one reading after the other. */
function follow($: Engine, seat: Seat): Promise<void> {
  const following = seat.following.then(() => followNow($, seat));
  seat.following = following.catch(() => {});
  return following;
}

async function followNow($: Engine, seat: Seat): Promise<void> {
  const [{ transcriptPath }, { context, cost, rateLimits }, model] = await Promise.all([
    $.session.info(),
    $.session.usage(),
    $.session.model(),
  ]);
  const { tokens, window } = context;
  const usage = tokens === undefined ? undefined : { input: tokens, cacheCreation: 0, cacheRead: 0, output: 0 };
  const limits = rateLimits.map(({ kind, percentUsed }) => [kind, { share: percentUsed / 100, resetsAt: undefined }]);
  seat.known = { window, model, usage, costUsd: cost?.usd, limits: Object.fromEntries(limits) };
  if (seat.log?.path !== transcriptPath) {
    // What came late into the log of the conversation before.
    await readLog($, seat);
    seat.log = createLogReader(transcriptPath);
  }
  await readLog($, seat);
  $.ui.invalidate('ui.render');
}

/** Shows how the context grows in a long turn. No hook is called for it, as each would hold up a tool. */
async function watchTurn($: Engine, seat: Seat, turn: string): Promise<void> {
  await $.clock.sleep(WATCH_MS);
  while (seat.turn === turn) {
    await follow($, seat);
    await $.clock.sleep(WATCH_MS);
  }
}

/** claude writes to its log up to 0.15 s late, and on a busy machine later: the last call may be what makes it pay. */
async function awaitLog($: Engine, seat: Seat): Promise<void> {
  for (let look = 0; look < MOST_LOOKS && seat.session.isBehind(seat.known); look++) {
    await $.clock.sleep(LOOK_MS);
    await follow($, seat);
  }
}

async function followLate($: Engine, seat: Seat): Promise<void> {
  await $.clock.sleep(LATE_MS);
  await follow($, seat);
}

/** A session that nothing was said in has no log. */
async function readLog($: Engine, { log, session }: Seat): Promise<void> {
  if (log === undefined || !(await $.fs.exists(log.path))) return;
  const { size } = await $.fs.stat(log.path);
  for (let part = log.nextPart(size); part !== undefined; part = log.nextPart(size)) {
    const { base64 } = await $.fs.read(log.path, { as: 'bytes', ...part });
    session.read(log.lines(base64));
  }
}

/**
 * claude asks the mod only as long as the end of the turn is being handled, and has a summary written otherwise. Its
 * compaction itself is not awaited: it goes on once the turn is over. Where the next turn has begun claude refuses: the
 * end of that is the next chance. @returns whether the mod was asked
 */
async function compactIfDue($: Engine, seat: Seat): Promise<boolean> {
  if (leftWhy(seat) !== undefined || !seat.session.isDue(seat.known)) return false;
  const asked = new Promise<boolean>((resolve) => {
    seat.asked = () => resolve(true);
  });
  const compacted = $.session
    .compact({})
    .then(() => followLate($, seat))
    .catch((error) => $.ui.log(`ctxb: not compacted: ${error}`, { to: 'debug' }))
    .then(() => false);
  return Promise.race([asked, compacted, $.clock.sleep(ASKED_MS).then(() => false)]);
}
