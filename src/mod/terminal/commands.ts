import { readOwnMessage } from '../../core/exact/own-words.ts';
import { inTokens } from '../../core/governor/policy.ts';
import { reliefMoment } from '../../core/governor/relief/relief-moment.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { type ExactReceipt, leavesAll } from '../../core/protocol/exact-plan.ts';
import { changeText, keptPrompts } from '../../messages.ts';
import { counted, percent, tokens } from '../../report/figures.ts';
import { type Color, PLAIN } from '../../report/style.ts';
import { type Part, paintLine, SEPARATOR, statusParts } from '../../statusline/status-text.ts';
import { redact } from '../../store/masks/redact.ts';
import type { Engine } from '../engine.ts';
import { type CompactionNews, checkExactness, type PluginState, readNewLines } from './plugin-state.ts';

interface CommandAnswer {
  readonly text: string;
  readonly isTextDisplayOnly?: true;
  /** Texts for the model that the user does not see. */
  readonly context?: readonly string[];
}

/** Columns of a status line if the terminal's width is unknown. */
const DEFAULT_COLUMNS = 200;

function status({ session, costUsd, whyNotExact, last }: PluginState): CommandAnswer {
  const state = session.judged();
  const compactionText = whyNotExact === undefined ? momentText(state) : notCompactingText(whyNotExact);
  const lines = [paintLine(statusParts(state, costUsd, DEFAULT_COLUMNS), PLAIN), compactionText, lastText(last)];
  return { text: lines.filter((line) => line !== '').join('\n'), isTextDisplayOnly: true };
}

const notCompactingText = (left: string) => `compactions are claude's own: ${left}`;

function momentText(state: GovernorState): string {
  const { thresholds, compaction } = state.run.policy;
  const { tokens: window } = state.gauge.window;
  const level = `from ${percent(thresholds.compact)} on${window === undefined ? '' : ` (${tokens(inTokens(thresholds.compact, window))} tokens)`}`;
  const at = reliefMoment(state)?.at;
  const dueText = at === undefined ? 'as soon as it pays' : `from about ${tokens(at)} tokens on, where it pays`;
  const when = compaction.moment === 'economic' ? `${dueText}; at the latest ${level}` : level;
  return `compacts exactly at the end of a turn: ${when}`;
}

function lastText(last: ExactReceipt | undefined): string {
  if (last === undefined) return '';
  if (!last.answered) return `last compaction: claude's own summary, because ${last.why}`;
  if (leavesAll(last)) return 'last compaction: nothing left to cut';
  const { before, after, ms } = last;
  return `last compaction: messages of ${changeText(before.tokens, after.tokens)} tokens, ${keptPrompts(last)}, in ${ms} ms without a call`;
}

/** The handoff document, or a message after writing it to a new file. */
async function handoff($: Engine, { session, turn }: PluginState, file: string): Promise<CommandAnswer> {
  const text = redact(session.handoff(await $.clock.now(), turn !== undefined), { keepLines: true });
  if (file === '') return { text };
  if (await $.fs.exists(file)) return { text: `${file} exists already: name a new file` };
  await $.fs.write(file, text);
  return { text: `${file}: written` };
}

const NOTHING_BACK = 'nothing to hand back: no conversation of this session was ended by /clear';

/** Gives the model the earlier prompts and notes with the next prompt. */
async function giveBackNotes($: Engine, plugin: PluginState): Promise<CommandAnswer> {
  const offered = plugin.session.back();
  if (offered === undefined) return { text: NOTHING_BACK, isTextDisplayOnly: true };
  // Reads this conversation's log again, with the notes of the previous conversation.
  plugin.log = undefined;
  await readNewLines($, plugin);
  const notes = plugin.session.handBack();
  return { text: `handed back: ${offered}`, isTextDisplayOnly: true, ...(notes !== undefined && { context: [notes] }) };
}

const UNFOLD_HINT = '(ctrl+o shows all)';

/** The text of a message from an exact compaction. Undefined for any other message. */
export function foldedText(text: string): string | undefined {
  const own = readOwnMessage(text);
  if (own?.kind === 'note') return `[ctxb] compacted here ${UNFOLD_HINT}`;
  if (own?.kind === 'lines') return `[ctxb] ${counted(own.lines.length, 'step')}, one line each ${UNFOLD_HINT}`;
  if (own?.kind === 'summary') return `[ctxb] claude's summary of what came before ${UNFOLD_HINT}`;
  return undefined;
}

const NO_PROGRAM = '`npm ci` and `npm link` in a checkout of ctxb install it';

/** Milliseconds to wait for the doctor. claude accepts no prompt meanwhile. */
const DOCTOR_TIMEOUT_MS = 60_000;

const ALL_FACTS = 'ctxb doctor in a shell tries all facts that ctxb relies on';

/** The answer of `/ctxb:doctor`: facts about this session, and the findings of the program about this Claude Code. */
async function doctor($: Engine, plugin: PluginState): Promise<CommandAnswer> {
  await checkExactness($, plugin);
  const { whyNotExact, log } = plugin;
  const { session, gauge } = plugin.session.judged();
  const { version } = session;
  const window = gauge.window.tokens;
  const { stdout, stderr } = await $.process
    .run(['ctxb', 'doctor', '--quick'], { timeoutMs: DOCTOR_TIMEOUT_MS })
    .catch((error) => ({ stdout: '', stderr: `the program ctxb did not run (${error}): ${NO_PROGRAM}` }));
  const lines = [
    `Claude Code${version === undefined ? '' : ` ${version}`}, window ${window === undefined ? 'unknown' : tokens(window)}`,
    whyNotExact === undefined
      ? 'compactions are exact: no call, prompts as they were said'
      : notCompactingText(whyNotExact),
    `log: ${log?.path ?? 'none yet'}`,
    `${stdout}${stderr}`.trim(),
    ALL_FACTS,
  ];
  return { text: lines.join('\n'), isTextDisplayOnly: true };
}

export const COMMANDS = ['ctxb:status', 'ctxb:handoff', 'ctxb:back', 'ctxb:doctor'] as const;

/** Answers a command. No table, because claude follows `$` only into functions that the code names. */
export async function answerTo(
  command: (typeof COMMANDS)[number],
  $: Engine,
  plugin: PluginState,
  words: string,
): Promise<CommandAnswer> {
  await readNewLines($, plugin);
  switch (command) {
    case 'ctxb:status':
      return status(plugin);
    case 'ctxb:handoff':
      return handoff($, plugin, words);
    case 'ctxb:back':
      return giveBackNotes($, plugin);
    case 'ctxb:doctor':
      return doctor($, plugin);
  }
}

export interface StatusPiece {
  readonly text: string;
  readonly color?: string;
  readonly dimColor?: boolean;
}

/** The colors of claude's theme. */
const THEME: Readonly<Record<Color, Omit<StatusPiece, 'text'>>> = {
  bold: {},
  dim: { dimColor: true },
  green: { color: 'success' },
  yellow: { color: 'warning' },
  red: { color: 'error' },
  cyan: {},
};

function newsParts({ news, session }: PluginState): Part[] {
  const offered = session.offered();
  return [
    ...(news === undefined ? [] : [{ text: sizesOf(news, session.size()), rank: 3 }]),
    ...(offered === undefined ? [] : [{ text: `/ctxb:back hands back ${offered}`, rank: 1 }]),
  ];
}

/** The sizes of a compaction in words. claude logs its own summary late, and the gauge has the old size until then. */
function sizesOf({ from }: CompactionNews, now: number): string {
  if (from === undefined) return 'nothing left to cut';
  return now < from ? `compacted ${changeText(from, now)}` : 'compacted';
}

/** The status line above the prompt. */
export function statusPieces(plugin: PluginState, width: number): readonly StatusPiece[] {
  const room = Math.max(1, width - 'ctxb '.length);
  const parts = statusParts(plugin.session.judged(), plugin.costUsd, room, newsParts(plugin));
  return parts.flatMap(({ text, color = 'bold' }, index) => [
    { text: index === 0 ? 'ctxb ' : SEPARATOR },
    { text, ...THEME[color] },
  ]);
}
