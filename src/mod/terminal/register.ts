import { namesCompactionHook } from '../../claude/compaction-hooks.ts';
import type { Answer } from '../../core/exact/exact-answer.ts';
import { predictedTokens } from '../../core/governor/gauge/gauge.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { leavesAll } from '../../core/protocol/exact-plan.ts';
import { circumstancesOf } from '../circumstances.ts';
import { type CompactEvent, type Drawing, type Engine, isFromUser, isSeenByModel, type On } from '../engine.ts';
import {
  bandText,
  doctor,
  foldedText,
  handBackAnswer,
  handoff,
  NOTHING_BACK,
  recall,
  type Standing,
  statusOf,
} from './commands.ts';
import { awaitLog, follow, followLate, PluginState, sessionFor, watchTurn } from './seat.ts';
import type { Options } from './session.ts';

/** claude's own JSX factory. */
declare const h: (element: unknown, props: object | null, ...children: readonly Drawing[]) => Drawing;

const ASKED_MS = 1_000;

/**
 * The plugin for users at the terminal. It reads claude's log with the governor, shows how full the context is,
 * compacts exactly at the end of a turn when that pays, and offers to hand back what `/clear` removed. claude reads the
 * source of this function and requires the names `on` and `$`.
 */
export function register(on: On, options: Options): void {
  const seat = new PluginState(options);

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
    const needsNotes = e.source === 'clear' ? seat.session.clear() : e.source === 'compact' && !seat.isExact;
    const notes = needsNotes ? seat.session.handBack() : undefined;
    const answer = await next(e);
    return notes === undefined
      ? answer
      : { ...answer, additionalContext: [...(answer.additionalContext ?? []), notes] };
  });

  on('session.start', async ($, e, next) => {
    seat.isInteractive = e.isInteractive;
    if (!seat.isRun) $.ui.invalidate('ui.render');
    return next(e);
  });

  on('prompt.submit', async ($, e, next) => {
    if (isSeenByModel(e)) seat.session.hear(e.text);
    if (isFromUser(e)) seat.session.say(e.text);
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
    // Queued prompts start the next turn in a moment, and then claude refuses to compact: ask and read nothing before.
    const isCompacted = mayCompact && (await compactIfDue($, seat));
    const done = await next(e);
    await follow($, seat);
    if (mayCompact && !isCompacted) {
      await awaitLog($, seat);
      await compactIfDue($, seat);
    }
    // After a compaction, nothing indicates that the log lacks the last call.
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
    // `/compact` with a focus requests claude's own summary.
    const isAsked = e.trigger === 'manual' && e.instructions !== undefined;
    if (seat.isRun || e.agentId !== undefined || e.trigger === 'precompute' || isAsked) return next(e);
    if (notCompactingReason(seat) !== undefined) return next(e);
    const { messages, outcome, waits } = await compact($, seat, e);
    if (messages !== undefined) return { messages };
    // Only a full context justifies the cost of a summary.
    const isEarly = waits !== undefined || (e.trigger === 'plugin' && !seat.session.isFull(seat.known));
    return isEarly ? { skip: `ctxb: ${outcome.why}` } : next(e);
  });

  // Update the status line immediately after a compaction.
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
    // Read this conversation's log again, now with the notes of the previous conversation.
    seat.log = undefined;
    await follow($, seat);
    return handBackAnswer(what, seat.session.handBack());
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

  // claude displays the messages of an exact compaction like the user's own words.
  on('ui.render', { component: 'UserMessage' }, (_, e, next) => {
    const folded = seat.isRun || e.props.isExpanded ? undefined : foldedText(e.props.text);
    return next(folded === undefined ? e : { ...e, props: { ...e.props, text: folded } });
  });
}

function stateOf({ session, known }: PluginState): GovernorState {
  return session.judged(known);
}

/**
 * Why compactions are left to claude. With a mod, claude calls no PreCompact hook, so the user's hook would be skipped.
 */
function notCompactingReason({ hooks }: PluginState): string | undefined {
  return namesCompactionHook(hooks) ? 'a PreCompact hook of yours would not be asked' : undefined;
}

function standingOf(seat: PluginState): Standing {
  const { last, program, log } = seat;
  return { last, left: notCompactingReason(seat), program, logPath: log?.path };
}

/** Finds out about the user's hooks, and whether ctxb is on PATH. */
async function look($: Engine, seat: PluginState): Promise<void> {
  seat.hooks = await $.settings.read({ key: 'hooks' }).catch(() => undefined);
  const path = (await $.env.get('PATH')) ?? '';
  const isWindows = path.includes(';');
  const name = isWindows ? 'ctxb.cmd' : 'ctxb';
  const files = path.split(isWindows ? ';' : ':').map((folder) => `${folder}/${name}`);
  const found = await Promise.all(files.map((file) => $.fs.exists(file).catch(() => false)));
  seat.program = files[found.indexOf(true)];
}

/** Answers claude's request to compact. */
async function compact($: Engine, seat: PluginState, e: CompactEvent): Promise<Answer> {
  const { trigger, messages } = e;
  const started = performance.now();
  await follow($, seat);
  // During a turn, the log may lack the newest texts sent to the model, but the plugin has heard all of them. After the
  // turn, some texts may still be queued, so the log decides.
  const isMidTurn = trigger === 'auto';
  if (!isMidTurn) await awaitLog($, seat);
  const circumstances = await circumstancesOf($, e, seat.waits);
  const size = predictedTokens(stateOf(seat).gauge);
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
 * Asks claude to compact, if that is due. claude calls the mod only while the end of the turn is being handled; later
 * it would write a summary. The compaction itself is not awaited, because it continues after the turn. If the next turn
 * has begun, claude refuses, and the end of that turn is the next chance. @returns whether claude called the mod
 */
async function compactIfDue($: Engine, seat: PluginState): Promise<boolean> {
  if (notCompactingReason(seat) !== undefined || !seat.session.isDue(seat.known)) return false;
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
