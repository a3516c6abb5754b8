import type { Answer } from '../../core/exact/exact-answer.ts';
import { leavesAll } from '../../core/protocol/exact-plan.ts';
import { answerOptionsOf } from '../answer-options.ts';
import { type CompactEvent, type Drawing, type Engine, isFromUser, isSeenByModel, type On } from '../engine.ts';
import { answerTo, COMMANDS, foldedText, statusPieces } from './commands.ts';
import { awaitLog, checkExactness, PluginState, readLateLines, readNewLines, watchTurn } from './plugin-state.ts';
import { createTerminalSession, type Options } from './session.ts';

/** claude's own JSX factory. */
declare const h: (element: unknown, props: object | null, ...children: readonly Drawing[]) => Drawing;

const QUESTION_MS = 1_000;

/**
 * The plugin for users at the terminal. It reads claude's log with the governor, shows how full the context is, and
 * compacts exactly at the end of a turn when that pays. After `/clear`, it offers to give back the notes. claude reads
 * the source of this function, so the names `on` and `$` must stay.
 */
export function register(on: On, options: Options): void {
  const plugin = new PluginState(options);

  on('classic.SessionStart', async ($, e, next) => {
    plugin.isRun = (await $.env.get('CTXB_RUN')) !== undefined;
    if (plugin.isRun) return next(e);
    plugin.transcript = e.transcript_path;
    if (e.source !== 'compact') plugin.forgetCompaction();
    if (e.source !== 'clear' && e.source !== 'compact') {
      await checkExactness($, plugin);
      plugin.session = createTerminalSession(options);
      plugin.log = undefined;
    }
    await readNewLines($, plugin);
    if (e.source === 'clear') plugin.session.clear();
    // After an exact compaction, the messages already contain everything that would be given back.
    const notes = e.source === 'compact' && !plugin.last?.answered ? plugin.session.handBack() : undefined;
    const answer = await next(e);
    return notes === undefined
      ? answer
      : { ...answer, additionalContext: [...(answer.additionalContext ?? []), notes] };
  });

  on('session.start', async ($, e, next) => {
    plugin.isInteractive = e.isInteractive;
    if (!plugin.isRun) $.ui.invalidate('ui.render');
    return next(e);
  });

  on('prompt.submit', async ($, e, next) => {
    if (isSeenByModel(e)) plugin.session.recordText(e.text);
    if (isFromUser(e)) plugin.session.say(e.text);
    const entered = await next(e);
    await readNewLines($, plugin);
    return entered;
  });

  on('turn.start', async ($, e, next) => {
    if (e.agentId === undefined && !plugin.isRun) {
      plugin.session.endOffer();
      plugin.news = undefined;
      plugin.turn = e.turnId;
      void watchTurn($, plugin, e.turnId);
    }
    return next(e);
  });

  on('turn.complete', async ($, e, next) => {
    if (e.agentId !== undefined || plugin.isRun) return next(e);
    plugin.turn = undefined;
    const mayCompact = plugin.isInteractive && !e.isAborted;
    // If prompts are queued, the next turn starts in a moment, and then claude refuses to compact. So nothing is read
    // or asked before.
    const isCompacted = mayCompact && (await compactIfDue($, plugin));
    const done = await next(e);
    await readNewLines($, plugin);
    if (mayCompact && !isCompacted) {
      await awaitLog($, plugin);
      await compactIfDue($, plugin);
    }
    // After a compaction, nothing shows that the log lacks the last call.
    if (plugin.isInteractive) void readLateLines($, plugin);
    return done;
  });

  on('session.measure', async ($, e, next) => {
    await readNewLines($, plugin);
    return next(e);
  });

  on('session.compact', async ($, e, next) => {
    plugin.asked();
    if (plugin.isRun || e.agentId !== undefined) return next(e);
    // `/compact` with a focus requests claude's own summary.
    const isAsked = e.trigger === 'manual' && e.instructions !== undefined;
    if (isAsked || e.trigger === 'precompute' || plugin.whyNotExact !== undefined) {
      plugin.forgetCompaction();
      return next(e);
    }
    const { messages, outcome, reasonToWait } = await compact($, plugin, e);
    if (messages !== undefined) return { messages };
    // Only a full context justifies the cost of a summary.
    const isEarly = reasonToWait !== undefined || (e.trigger === 'plugin' && !plugin.session.isFull());
    return isEarly ? { skip: `ctxb: ${outcome.why}` } : next(e);
  });

  // Update the status line immediately after a compaction.
  on('classic.PostCompact', async ($, e, next) => {
    // Also for claude's own summary. The state is still that of the last call.
    plugin.news ??= { from: plugin.session.size() };
    const answer = await next(e);
    void readLateLines($, plugin);
    return answer;
  });

  for (const command of COMMANDS) {
    on('command.run', { command }, async ($, e, next) =>
      plugin.isRun ? next(e) : answerTo(command, $, plugin, e.args.trim()),
    );
  }

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const below = await next(e);
    if (plugin.isRun || e.props.hasSurvey) return below;
    const { Box, Text } = $.ui.resolve(e);
    const pieces = statusPieces(plugin, e.props.bodyColumns);
    const line = h(Text, null, ...pieces.map(({ text, ...style }) => h(Text, style, text)));
    return below ? h(Box, { flexDirection: 'column' }, line, below) : line;
  });

  // claude displays the messages of an exact compaction like the user's own words.
  on('ui.render', { component: 'UserMessage' }, (_, e, next) => {
    const folded = plugin.isRun || e.props.isExpanded ? undefined : foldedText(e.props.text);
    return next(folded === undefined ? e : { ...e, props: { ...e.props, text: folded } });
  });
}

async function compact($: Engine, plugin: PluginState, e: CompactEvent): Promise<Answer> {
  const { trigger, messages } = e;
  const started = performance.now();
  await readNewLines($, plugin);
  // During a turn, the log may lack the newest texts sent to the model, but the plugin has recorded all of them. After
  // the turn, some texts may still be queued, so the log decides.
  const isMidTurn = trigger === 'auto';
  if (!isMidTurn) await awaitLog($, plugin);
  const answerOptions = await answerOptionsOf($, e, plugin.waits);
  const size = plugin.session.size();
  const answer = plugin.session.compact(messages, { ...answerOptions, isMidTurn });
  plugin.waits = answer.reasonToWait === undefined ? 0 : plugin.waits + 1;
  if (answer.reasonToWait !== undefined) return answer;
  const ms = Math.round(performance.now() - started);
  plugin.last = { version: 1, number: 1, ms, ...answer.outcome };
  plugin.news = plugin.last.answered ? { from: leavesAll(plugin.last) ? undefined : size } : undefined;
  return answer;
}

/**
 * Asks claude to compact if that is due. claude calls the mod only while it handles the end of the turn; later it would
 * write a summary. Does not await the compaction, because it continues after the turn. If the next turn has begun,
 * claude refuses, and the end of that turn is the next chance. @returns whether claude called the mod
 */
async function compactIfDue($: Engine, plugin: PluginState): Promise<boolean> {
  if (plugin.whyNotExact !== undefined || !plugin.session.isDue()) return false;
  const modCalled = new Promise<boolean>((resolve) => {
    plugin.asked = () => resolve(true);
  });
  const compacted = $.session
    .compact({})
    .then(() => readLateLines($, plugin))
    .catch((error) => $.ui.log(`ctxb: not compacted: ${error}`, { to: 'debug' }))
    .then(() => false);
  return Promise.race([modCalled, compacted, $.clock.sleep(QUESTION_MS).then(() => false)]);
}
