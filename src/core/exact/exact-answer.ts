import { quotePrompts, wordsMissingFrom } from '../memory/notebook/user-words.ts';
import { commandOf } from '../protocol/blocks.ts';
import { type ExactPlan, type ExactReceipt, TOO_LARGE } from '../protocol/exact-plan.ts';
import { sumOf } from '../text/sum-of.ts';
import { type Entry, entriesOf, withinRoom } from './entries.ts';
import { createMessage, extentOf, hasOpenStep, type Message, tokensOfAll, tokensOfText } from './message.ts';
import { type CurrentFiles, replaceStaleFiles } from './newest-files.ts';
import { isStep, noteText, stepLinesText, summaryText } from './own-words.ts';
import { isFromUser, type Part, partsOf, type Round, withMidTurn } from './parts.ts';
import {
  lossReason,
  resultsOf,
  type StepForm,
  splitRound,
  stepForm,
  usedRounds,
  type WholeParts,
  wholeRounds,
} from './whole-rounds.ts';

export interface Answer {
  /** The messages that stay; undefined if claude compacts in its own way. */
  readonly messages?: readonly Message[];
  readonly outcome: Outcome;
  /** Why the compaction should wait for the next call. */
  readonly reasonToWait?: string;
}

export interface AnswerOptions {
  /** claude's id of the model; the form of kept steps depends on it. */
  readonly model?: string;
  /** Tokens that the conversation may still grow by. If unseen results fit, compaction waits for the next call. */
  readonly roomToWait?: number;
  /** Files read by tool calls that the plan keeps whole. */
  readonly files?: CurrentFiles;
}

type Outcome = Omit<ExactReceipt, 'version' | 'number' | 'ms'>;

/** Share of the space after prompts and note for the last steps. Lines and answers get the rest. */
const WHOLE_SHARE = 0.6;

/** Share of the same space, after unseen results, for contents that are likely to be used again. */
const MAX_USED_SHARE = 0.9;

/** Tokens for the text around lines, and for the part of the note that is not counted. */
const FRAME_TOKENS = 100;

/**
 * Compacts exactly: keeps every prompt, the last steps whole, earlier answers, and a line for each older step. Needs no
 * model.
 */
export function exactAnswer(messages: readonly Message[], given: ExactPlan, options: AnswerOptions = {}): Answer {
  const { keep = [] } = given;
  const summary = given.summary && tokensOfAll(messages) >= given.summary.from ? given.summary : undefined;
  const plan = { ...given, summary };
  const answer = answerTo(messages, plan, options);
  const { answered, whole } = answer.outcome;
  if (answer.reasonToWait !== undefined) return answer;
  // Within the size of a summary, every content must stay that claude would show again after the summary.
  if (summary !== undefined)
    return answered && keep.every((id) => whole.includes(id)) ? answer : refusal(messages, TOO_LARGE);
  // Fetching contents again costs less than a summary, which also loses more.
  return answered || keep.length === 0 ? answer : answerTo(messages, { ...plan, keep: [] }, options);
}

function answerTo(messages: readonly Message[], plan: ExactPlan, options: AnswerOptions): Answer {
  const { summary, midTurn = [] } = plan;
  const { model = '', files = new Map() } = options;
  const known = new Set(plan.prompts?.map((text) => text.trim()));
  const parts = replaceStaleFiles(withMidTurn(partsOf(messages, known), midTurn, known), files);
  const open = hasOpenStep(messages) ? parts.findLast((part) => part.kind === 'round') : undefined;
  const budget = Math.min(plan.budget, summary ? summary.room + tokensOfAll(open?.messages ?? []) : plan.budget);
  const prompts = parts.flatMap((part) => (part.kind === 'prompt' ? [part.message] : []));
  const note = noteWithMissingWords(prompts, plan);
  const room = budget - tokensOfAll(prompts) - tokensOfText(noteText(note, 0)) - FRAME_TOKENS;
  if (room <= 0) return refusal(messages, `the prompts and the note alone are more than ${Math.max(0, budget)} tokens`);
  const unseen = tokensOfAll(prompts.filter(({ text }) => isStep(text) && !known.has(text.trim())));
  const form = stepForm(messages, model);
  const { shared, isCut, whole, rest } = shareRoom(parts, room + unseen, { open, form, unseen, keep: plan.keep });
  const refused = open && refuseCut(messages, open, isCut, plan, options);
  if (refused !== undefined) return refused;
  const others = shared.filter((part) => !whole.has(part));
  const entries = withinRoom(entriesOf(others, rest), rest);
  const gone = sumOf(parts, (part) => (part.kind === 'note' ? part.omittedSteps : 0)) + entries.gone;
  const messagesLeft = assembleMessages(shared, whole, entries.kept, noteText(note, gone));
  const [before, after] = [extentOf(messages), extentOf(messagesLeft)];
  if (after.tokens > budget) return refusal(messages, `what has to stay is ${after.tokens} of ${budget} tokens`);
  if (after.tokens > before.tokens) return refusal(messages, 'nothing can be left out');
  const calls = shared.flatMap((part) => (part.kind === 'round' && whole.has(part) ? part.calls : []));
  const ids = calls.map(({ use }) => use.tool_use_id);
  const steps = { whole: ids.length, lines: entries.steps, gone };
  return {
    messages: messagesLeft,
    outcome: { answered: true, before, after, prompts: countPrompts(parts, known), steps, whole: ids },
  };
}

/** The user's prompts that stay, and how many are known. */
function countPrompts(parts: readonly Part[], known: ReadonlySet<string>): ExactReceipt['prompts'] {
  const kept = parts.filter((part) => isFromUser(part, known)).length;
  const shown = parts.flatMap((part) => (part.kind === 'prompt' ? [part.message.text.trim(), part.heard?.trim()] : []));
  return { kept, of: kept + [...known].filter((text) => !shown.includes(text)).length };
}

/** Refuses to remove results that the model has yet to see, or waits until it has seen them. */
function refuseCut(
  messages: readonly Message[],
  open: Round,
  isCut: boolean,
  { summary }: ExactPlan,
  { roomToWait = 0 }: AnswerOptions,
): Answer | undefined {
  const loss = lossReason(open);
  const reasonToWait = loss ?? (isCut ? 'the model has yet to see results for which there is no room' : undefined);
  if (reasonToWait === undefined) return undefined;
  if (tokensOfAll(open.messages) < roomToWait) return { ...refusal(messages, reasonToWait), reasonToWait };
  return loss === undefined && summary === undefined ? undefined : refusal(messages, reasonToWait);
}

interface Sharing {
  /** The step whose results the model has yet to see. */
  readonly open: Round | undefined;
  readonly form: StepForm;
  /** Tokens of an unseen step that is written as the user's words: it takes the space of an open step. */
  readonly unseen: number;
  readonly keep: readonly string[] | undefined;
}

/**
 * Shares the room. In order of priority: unseen results, contents that are likely to be used again, the last steps,
 * then lines. In `shared`, calls that stay whole are apart from the others of their reply.
 */
function shareRoom(parts: readonly Part[], room: number, { open, form, unseen, keep }: Sharing) {
  const openTokens = open === undefined ? 0 : tokensOfAll(form.write(open, resultsOf(open)));
  const first = unseen + openTokens;
  const used = usedRounds(parts, (room - first) * MAX_USED_SHARE, { keep: new Set(keep), form });
  const written = [...used.values()].map((round) => [round, form.write(round, resultsOf(round))] as const);
  const free = room - tokensOfAll(written.flatMap(([, messages]) => messages));
  const forSteps = Math.min(free, Math.max(free * WHOLE_SHARE, first)) - unseen;
  const last = wholeRounds(parts, forSteps, { isOpen: open !== undefined, form });
  const whole = new Map<Part, readonly Message[]>([...written, ...last]);
  const shared = parts.flatMap((part) => (last.has(part) ? [part] : splitRound(part, used.get(part))));
  const isCut = open !== undefined && openTokens > tokensOfAll(whole.get(open) ?? []);
  const rest = Math.min(free * (1 - WHOLE_SHARE), Math.max(0, free - first));
  return { shared, isCut, whole, rest };
}

/** Adds the user's words that no prompt contains. */
function noteWithMissingWords(prompts: readonly Message[], { note, said }: ExactPlan): string {
  if (said === undefined) return note;
  const words = prompts.map(({ text }) => commandOf(text) ?? text).join('\n');
  return [note, ...quotePrompts(wordsMissingFrom(said, words), said.room)].filter(Boolean).join('\n');
}

/** Like exactAnswer(), but leaves the compaction to claude if the plan cannot be read or followed. */
export function answerWith(messages: readonly Message[], plan: () => ExactPlan, options: AnswerOptions): Answer {
  try {
    return exactAnswer(messages, plan(), options);
  } catch (error) {
    return refusal(messages, (error as Error).message);
  }
}

function refusal(messages: readonly Message[], why: string): Answer {
  const extent = extentOf(messages);
  const nothing = { prompts: { kept: 0, of: 0 }, steps: { whole: 0, lines: 0, gone: 0 }, whole: [] };
  return { outcome: { answered: false, why, before: extent, after: extent, ...nothing } };
}

/** Puts the note before the last steps, so that the text before the note stays the same at the next compaction. */
function assembleMessages(
  parts: readonly Part[],
  whole: WholeParts,
  entries: readonly Entry[],
  note: string,
): Message[] {
  const stays = parts.map((part): readonly (Message | string)[] => {
    if (part.kind === 'prompt') return [part.message];
    return whole.get(part) ?? entries.filter((entry) => entry.part === part).map(writeEntry);
  });
  const first = lastRun(parts, whole);
  const end = parts.at(-1)?.kind === 'prompt' ? parts.length - 1 : parts.length;
  stays.splice(first < 0 ? end : first, 0, [createMessage('user', note)]);
  return withLinesJoined(stays.flat());
}

/** A message, or a line that joins its neighbors. */
function writeEntry({ kind, text }: Entry): Message | string {
  if (kind === 'line') return text;
  return kind === 'reply' ? createMessage('assistant', text) : createMessage('user', summaryText(text));
}

/** Index of the first whole step in the unbroken run at the end; -1 without such a run. */
function lastRun(parts: readonly Part[], whole: WholeParts): number {
  const lastOmitted = parts.findLastIndex((part) => part.kind !== 'prompt' && !whole.has(part));
  return parts.findIndex((part, index) => index > lastOmitted && part.kind === 'round');
}

/** Joins consecutive lines into one message. */
function withLinesJoined(stays: readonly (Message | string)[]): Message[] {
  const messages: Message[] = [];
  let lines: string[] = [];
  for (const [at, one] of stays.entries()) {
    if (typeof one !== 'string') {
      messages.push(one);
      continue;
    }
    lines.push(one);
    if (typeof stays[at + 1] === 'string') continue;
    messages.push(createMessage('user', stepLinesText(lines)));
    lines = [];
  }
  return messages;
}
