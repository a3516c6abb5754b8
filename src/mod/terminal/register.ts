import { namesCompactionHook } from '../../claude/compaction-hooks.ts';
import type { Answer } from '../../core/exact/exact-answer.ts';
import { predicted } from '../../core/governor/gauge/gauge.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { leavesAll } from '../../core/protocol/exact-plan.ts';
import { circumstancesOf } from '../circumstances.ts';
import { type CompactEvent, type Drawing, type Engine, isHeard, isSaid, type On } from '../engine.ts';
import {
  bandText,
  doctor,
  foldedText,
  handedBack,
  handoff,
  NOTHING_BACK,
  recall,
  type Standing,
  statusOf,
} from './commands.ts';
import { awaitLog, follow, followLate, Seat, sessionFor, watchTurn } from './seat.ts';
import type { Options } from './session.ts';

/** claude's own JSX factory. */
declare const h: (element: unknown, props: object | null, ...children: readonly Drawing[]) => Drawing;

const ASKED_MS = 1_000;

/**
 * The plugin for people at the terminal: it follows claude's log with the governor, shows how full the context is,
 * compacts exactly at the end of a turn when that pays, and offers to hand back what `/clear` took away. claude reads the
 * source of this function and wants `on` and `$` under these names.
 */
export function register(on: On, options: Options): void {
  const seat = new Seat(options);

  on('classic.SessionStart', async ($, e, next) => {
    seat.isRun = (await $.env.get('CTXB_RUN')) !== undefined;
    if (seat.isRun) return next(e);
    seat.transcript = e.transcript_path;
    const isNew = e.source !== 'clear' && e.source !== 'compact';
    if (isNew) {
      await look($, seat);
      seat.session = sessionFor(options, seat.program);
      seat.log = undefined;
    }
    await follow($, seat);
    const isTold = e.source === 'clear' ? seat.session.clear() : e.source === 'compact' && !seat.isExact;
    const told = isTold ? seat.session.handBack() : undefined;
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
      seat.session.goOn();
      seat.news = undefined;
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
    return handoff($, seat.session.handoff(await $.clock.now(), seat.turn !== undefined), e.args.trim());
  });

  on('command.run', { command: 'ctxb:back' }, async ($, e, next) => {
    if (seat.isRun) return next(e);
    await follow($, seat);
    const what = seat.session.back();
    if (what === undefined) return { text: NOTHING_BACK, isTextDisplayOnly: true };
    // The log of this conversation is read again, now beside the notes of the one before.
    seat.log = undefined;
    await follow($, seat);
    return handedBack(what, seat.session.handBack());
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
    const news = { compacted: seat.news, offered: seat.session.offered() };
    const pieces = bandText(stateOf(seat), seat.known.costUsd, e.props.bodyColumns, news);
    const line = h(Text, null, ...pieces.map(({ text, ...style }) => h(Text, style, text)));
    return below ? h(Box, { flexDirection: 'column' }, line, below) : line;
  });

  // claude draws what an exact compaction leaves like the person's own words.
  on('ui.render', { component: 'UserMessage' }, (_, e, next) => {
    const folded = seat.isRun || e.props.isExpanded ? undefined : foldedText(e.props.text);
    return next(folded === undefined ? e : { ...e, props: { ...e.props, text: folded } });
  });
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
  const size = predicted(stateOf(seat).gauge);
  const answer = seat.session.compact(messages, seat.known, { ...circumstances, isMidTurn });
  seat.waits = answer.waits === undefined ? 0 : seat.waits + 1;
  if (answer.waits !== undefined) return answer;
  const ms = Math.round(performance.now() - started);
  seat.last = { version: 1, number: (seat.last?.number ?? 0) + 1, ms, ...answer.outcome };
  seat.isExact = answer.messages !== undefined;
  seat.news = seat.isExact ? { from: leavesAll(seat.last) ? undefined : size } : undefined;
  return answer;
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
