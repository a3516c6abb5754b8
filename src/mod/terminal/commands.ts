import type { ExactReceipt } from '../../core/exact/plan.ts';
import { inTokens } from '../../core/governor/policy.ts';
import { momentOf } from '../../core/governor/relief/outlook.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { changeText, keptPrompts } from '../../messages.ts';
import { percent, tokens } from '../../report/figures.ts';
import { PLAIN, type Style } from '../../report/style.ts';
import { statusText } from '../../statusline/status-text.ts';
import { redact } from '../../store/masks/redact.ts';
import type { Engine } from '../engine.ts';

export interface Shown {
  readonly text: string;
  /** The model need not read it. */
  readonly isTextDisplayOnly?: true;
}

export interface Standing {
  /** The last compaction that the mod was asked for. */
  readonly last: ExactReceipt | undefined;
  /** Why compactions are left to claude; undefined: they are exact. */
  readonly left: string | undefined;
  /** The program, where a shell finds it. */
  readonly program: string | undefined;
  readonly logPath: string | undefined;
}

/** Columns of a line of status that nobody has measured. */
const WIDE = 200;

export function statusOf(state: GovernorState, costUsd: number | undefined, standing: Standing): Shown {
  const lines = [statusText(state, costUsd, PLAIN, WIDE), momentText(state, standing), lastText(standing)];
  return { text: lines.filter((line) => line !== '').join('\n'), isTextDisplayOnly: true };
}

const leftText = (left: string) => `compactions are claude's own: ${left}`;

function momentText(state: GovernorState, { left }: Standing): string {
  if (left !== undefined) return leftText(left);
  const { thresholds, compaction } = state.run.policy;
  const { tokens: window } = state.gauge.window;
  const level = `from ${percent(thresholds.compact)} on${window === undefined ? '' : ` (${tokens(inTokens(thresholds.compact, window))} tokens)`}`;
  const at = momentOf(state)?.at;
  const soon = at === undefined ? 'as soon as it pays' : `from about ${tokens(at)} tokens on, where it pays`;
  const when = compaction.moment === 'economic' ? `${soon}; at the latest ${level}` : level;
  return `compacts exactly at the end of a turn: ${when}`;
}

function lastText({ last }: Standing): string {
  if (last === undefined) return '';
  if (!last.answered) return `last compaction: claude's own summary, as ${last.why}`;
  const { before, after, ms } = last;
  return `last compaction: ${changeText(before.tokens, after.tokens)}, ${keptPrompts(last)}, in ${ms} ms without a call`;
}

/** The document, written to a new file where one is named. */
export async function handoff($: Engine, document: string, file: string): Promise<Shown> {
  const text = redact(document, { keepLines: true });
  if (file === '') return { text };
  if (await $.fs.exists(file)) return { text: `${file}: is there already: name a new file` };
  await $.fs.write(file, text);
  return { text: `${file}: written` };
}

const NO_PROGRAM = 'the program ctxb is not on PATH: `npm ci` and `npm link` in a checkout put it there';

export async function recall($: Engine, words: string, program: string | undefined): Promise<Shown> {
  if (words.trim() === '') return { text: '/ctxb:recall WORDS: name a word to look for' };
  if (program === undefined) return { text: `/ctxb:recall: ${NO_PROGRAM}` };
  const phrases = [...words.matchAll(/"([^"]+)"|\S+/g)].map(([word, phrase]) => phrase ?? word);
  const { stdout, stderr, exitCode } = await $.process.run([program, 'recall', '--', ...phrases]);
  if (exitCode === 1) return { text: `nothing in this project's sessions has ${words}` };
  return { text: (stdout || stderr).trimEnd() };
}

/** claude takes no prompt meanwhile. */
const PATIENCE_MS = 60_000;

const ALL_FACTS = '`ctxb doctor` in a shell tries all facts that ctxb relies on, in about half a minute';

/** What holds in this session, and what ctxb finds out about this Claude Code where it is installed. */
export async function doctor($: Engine, state: GovernorState, standing: Standing): Promise<Shown> {
  const { left, program, logPath } = standing;
  const { version } = state.session;
  const window = state.gauge.window.tokens;
  const own = [
    `Claude Code${version === undefined ? '' : ` ${version}`} runs the plugin; its window is ${window === undefined ? 'not known' : `${tokens(window)} tokens`}`,
    left === undefined ? 'compactions are exact: no call, prompts as they were said' : leftText(left),
    'after /clear the plugin hands back',
    `log of the session: ${logPath ?? 'none yet'}`,
    program === undefined ? `recall, and a check of this Claude Code: ${NO_PROGRAM}` : `ctxb: ${program}`,
  ];
  if (program === undefined) return { text: own.join('\n'), isTextDisplayOnly: true };
  const { stdout, stderr } = await $.process.run([program, 'doctor', '--quick'], { timeoutMs: PATIENCE_MS });
  const text = [own.join('\n'), `${stdout}${stderr}`.trimEnd(), ALL_FACTS].join('\n\n');
  return { text, isTextDisplayOnly: true };
}

export interface Piece {
  readonly text: string;
  readonly color?: string;
  readonly dimColor?: boolean;
}

/** Marks that no text has, around what is painted. */
const [BEGIN, SEPARATOR, END] = ['\u0001', '\u0002', '\u0003'];

const mark = (name: string) => (text: string) => `${BEGIN}${name}${SEPARATOR}${text}${END}`;

const MARKS: Style = {
  bold: (text) => text,
  dim: mark('dim'),
  green: mark('success'),
  yellow: mark('warning'),
  red: mark('error'),
  cyan: (text) => text,
};

/** The status line above the prompt, in the colours of claude's theme. */
export function bandText(state: GovernorState, costUsd: number | undefined, width: number): readonly Piece[] {
  return `ctxb ${statusText(state, costUsd, MARKS, Math.max(1, width - 'ctxb '.length))}`
    .split(/[\u0001\u0003]/)
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', text] = part.split(SEPARATOR);
      if (text === undefined) return { text: name };
      return name === 'dim' ? { text, dimColor: true } : { text, color: name };
    });
}
