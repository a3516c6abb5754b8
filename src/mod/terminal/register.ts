import type { ExactReceipt } from '../../core/exact/plan.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import type { Known } from '../../statusline/judge-status.ts';
import { bandText } from './band.ts';
import type { Drawing, Engine, On } from './engine.ts';
import { createLogReader } from './log-reader.ts';
import { type Options, policyFor } from './options.ts';
import { createTerminalSession, type TerminalSession } from './session.ts';

/** claude's own JSX factory. */
declare const h: (element: unknown, props: object | null, ...children: readonly Drawing[]) => Drawing;

/** What the mod knows of the session that claude is at. */
interface Seat {
  readonly options: Options;
  session: TerminalSession;
  log: ReturnType<typeof createLogReader> | undefined;
  known: Known & { readonly costUsd?: number | undefined };
  /** Somebody else acts: a run of ctxb's, or nobody, as the session has no person at it. */
  isRun: boolean;
  isInteractive: boolean;
  /** What was said in mid-turn since the last compaction. */
  heard: readonly string[];
  last: ExactReceipt | undefined;
}

/**
 * The plugin for people at the terminal: it follows claude's log with the governor, shows how full the context is,
 * compacts exactly at the end of a turn when that pays, and hands back after `/clear`. claude reads the source of this
 * function and wants `on` and `$` under these names.
 */
export function register(on: On, options: Options): void {
  const seat: Seat = {
    options,
    session: createTerminalSession({ policy: policyFor(options), recall: undefined, now: 0 }),
    log: undefined,
    known: { window: undefined, model: undefined, usage: undefined },
    isRun: false,
    isInteractive: false,
    heard: [],
    last: undefined,
  };

  on('classic.SessionStart', async ($, e, next) => {
    seat.isRun = (await $.env.get('CTXB_RUN')) !== undefined;
    if (seat.isRun) return next(e);
    // For hooks of the plugin that stand in for the mod where claude has none.
    await $.env.set('CTXB_MOD', '1');
    const told = e.source === 'clear' ? seat.session.handBack() : undefined;
    const answer = await next(e);
    return told === undefined ? answer : { ...answer, additionalContext: [...(answer.additionalContext ?? []), told] };
  });

  on('session.start', async ($, e, next) => {
    seat.isInteractive = e.isInteractive;
    if (!seat.isRun) await follow($, seat);
    return next(e);
  });

  on('prompt.submit', async (_, e, next) => {
    if (e.turnId !== undefined) seat.heard = [...seat.heard, e.text];
    return next(e);
  });

  on('turn.complete', async ($, e, next) => {
    const done = await next(e);
    if (e.agentId !== undefined || seat.isRun) return done;
    await follow($, seat);
    if (seat.isInteractive && !e.isAborted) await compactIfDue($, seat);
    return done;
  });

  on('session.measure', async ($, e, next) => {
    if (!seat.isRun) await follow($, seat);
    return next(e);
  });

  on('session.compact', async ($, e, next) => {
    // Who names a focus wants claude's own summary.
    const isAsked = e.trigger === 'manual' && e.instructions !== undefined;
    if (seat.isRun || e.agentId !== undefined || e.trigger === 'precompute' || isAsked) return next(e);
    const started = performance.now();
    await follow($, seat);
    const { messages, outcome } = seat.session.compact(e.messages, seat.known, seat.heard);
    seat.heard = [];
    const ms = Math.round(performance.now() - started);
    seat.last = { version: 1, number: (seat.last?.number ?? 0) + 1, ms, ...outcome };
    return messages === undefined ? next(e) : { messages };
  });

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const below = await next(e);
    if (seat.isRun || e.props.hasSurvey) return below;
    const { Box, Text } = $.ui.resolve(e);
    const parts = bandText(stateOf(seat), seat.known.costUsd, e.props.bodyColumns);
    const line = h(Text, null, ...parts.map(({ text, ...style }) => h(Text, style, text)));
    return below ? h(Box, { flexDirection: 'column' }, line, below) : line;
  });
}

function stateOf(seat: Seat): GovernorState {
  return seat.session.judged(seat.known, seat.session.state.now);
}

/** Reads what is new in claude's log, and asks claude for what the log does not say. */
async function follow($: Engine, seat: Seat): Promise<void> {
  const [{ transcriptPath }, { context, cost }, model] = await Promise.all([
    $.session.info(),
    $.session.usage(),
    $.session.model(),
  ]);
  const { tokens, window } = context;
  const usage = tokens === undefined ? undefined : { input: tokens, cacheCreation: 0, cacheRead: 0, output: 0 };
  seat.known = { window, model, usage, costUsd: cost?.usd };
  if (seat.log?.path !== transcriptPath) seat.log = createLogReader(transcriptPath);
  await readLog($, seat);
  $.ui.invalidate('ui.render');
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

/** Not awaited: claude compacts once the turn is over. */
async function compactIfDue($: Engine, seat: Seat): Promise<void> {
  const due = seat.session.due(seat.known, await $.clock.now());
  if (due === undefined) return;
  void $.session.compact({}).catch((error) => $.ui.log(`ctxb: not compacted: ${error}`, { to: 'debug' }));
}
