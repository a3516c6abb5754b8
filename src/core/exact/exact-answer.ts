import { wordsAsLines, wordsMissingFrom } from '../memory/notebook/user-words.ts';
import { commandOf } from '../protocol/blocks.ts';
import { type ExactPlan, type ExactReceipt, TOO_LARGE } from '../protocol/exact-plan.ts';
import { sumOf } from '../text/sum-of.ts';
import { type Entry, entriesOf, withinRoom } from './entries.ts';
import { createMessage, extentOf, hasOpenStep, isResult, type Message, tokensOfAll, tokensOfText } from './message.ts';
import { type Files, withNewestFiles } from './newest-files.ts';
import { isStep, linesText, noteText, summaryText } from './own-words.ts';
import { isOfUser, type Part, partsOf, type Round, withMidTurn } from './parts.ts';
import { lossReason, stepForm } from './step-form.ts';
import { resultsOf, usedRounds, type Whole, type WholeOptions, wholeRounds } from './whole-rounds.ts';

export interface Answer {
  /** The messages that stay; undefined if claude compacts in its own way. */
  readonly messages?: readonly Message[];
  readonly outcome: Outcome;
  /** Why the compaction should wait for the next call. */
  readonly waits?: string;
}

export interface AnswerOptions {
  /** claude's id of the model; the form of kept steps depends on it. */
  readonly model?: string;
  /** Tokens that the conversation may still grow by. If unseen results fit, compaction waits for the next call. */
  readonly waitRoom?: number;
  /** Files read by tool calls that the plan keeps whole. */
  readonly files?: Files;
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
export function exactAnswer(messages: readonly Message[], given: ExactPlan, circumstances: AnswerOptions = {}): Answer {
  const { summary, ...plan } = given;
  if (summary !== undefined && tokensOfAll(messages) >= summary.from)
    return answerWithin(summary.room, messages, given, circumstances);
  const answer = answerTo(messages, plan, circumstances);
  if (answer.messages !== undefined || answer.waits !== undefined) return answer;
  // Fetching contents again costs less than a summary, which also loses more.
  return plan.keep?.length ? answerTo(messages, { ...plan, keep: [] }, circumstances) : answer;
}

/**
 * Answers with no more than a summary would leave besides the open step, and with all contents that claude would show
 * again.
 */
function answerWithin(room: number, messages: readonly Message[], plan: ExactPlan, circumstances: AnswerOptions) {
  const budget = Math.min(plan.budget, room + tokensOfOpenStep(messages));
  const answer = answerTo(messages, { ...plan, budget }, circumstances);
  const { outcome, waits } = answer;
  const isWhole = outcome.answered && plan.keep?.every((id) => outcome.whole.includes(id)) !== false;
  return isWhole || waits !== undefined ? answer : refusal(messages, TOO_LARGE);
}

/** Tokens of the open step: its calls, and results that the model has yet to see. */
function tokensOfOpenStep(messages: readonly Message[]): number {
  const call = messages.findLastIndex((message) => !isResult(message));
  if (call === messages.length - 1) return 0;
  return tokensOfAll(messages.slice(messages.slice(0, call + 1).findLastIndex(({ role }) => role !== 'assistant') + 1));
}

function answerTo(messages: readonly Message[], plan: ExactPlan, circumstances: AnswerOptions): Answer {
  const { budget, keep = [], midTurn = [] } = plan;
  const { model = '', files = new Map() } = circumstances;
  const known = new Set(plan.prompts?.map((text) => text.trim()));
  const parts = withNewestFiles(withMidTurn(partsOf(messages, known), midTurn, known), files);
  const prompts = parts.flatMap((part) => (part.kind === 'prompt' ? [part.message] : []));
  const note = noteWithMissingWords(prompts, plan);
  const freeTokens = budget - tokensOfAll(prompts) - tokensOfText(noteText(note, 0)) - FRAME_TOKENS;
  // An unseen step in the user's words may take the space of an open step.
  const stepTokens = tokensOfAll(prompts.filter(({ text }) => isStep(text) && !known.has(text.trim())));
  const room = freeTokens + stepTokens;
  if (freeTokens <= 0)
    return refusal(messages, `the prompts and the note alone are more than ${Math.max(0, budget)} tokens`);
  const isOpen = hasOpenStep(messages);
  const form = stepForm(messages, model);
  const { open, isCut, whole, rest } = shareRoom(parts, room, new Set(keep), { isOpen, form, stepTokens });
  const refused = open && refuseCut(messages, open, isCut, plan, circumstances);
  if (refused !== undefined) return refused;
  const entries = withinRoom(entriesOf(parts, whole, rest), rest);
  const omitted = sumOf(parts, (part) => (part.kind === 'note' ? part.gone : 0)) + entries.gone;
  const messagesLeft = assembleMessages(parts, whole, entries.kept, noteText(note, omitted));
  const [before, after] = [extentOf(messages), extentOf(messagesLeft)];
  if (after.tokens > budget) return refusal(messages, `what has to stay is ${after.tokens} of ${budget} tokens`);
  if (after.tokens > before.tokens) return refusal(messages, 'nothing can be left out');
  const steps = { whole: sumOf(whole.keys(), ({ calls }) => calls.length), lines: entries.steps, gone: omitted };
  const userCount = parts.filter((part) => isOfUser(part, known)).length;
  const shownTexts = new Set(
    parts.flatMap((part) => (part.kind === 'prompt' ? [part.message.text.trim(), (part.heard ?? '').trim()] : [])),
  );
  const promptCounts = { kept: userCount, of: userCount + [...known].filter((text) => !shownTexts.has(text)).length };
  const ids = [...whole.keys()].flatMap(({ calls }) => calls.map(({ use }) => use.tool_use_id));
  return {
    messages: messagesLeft,
    outcome: { answered: true, before, after, prompts: promptCounts, steps, whole: ids },
  };
}

/** Refuses to remove results that the model has yet to see, or waits until it has seen them. */
function refuseCut(
  messages: readonly Message[],
  open: Round,
  isCut: boolean,
  { summary }: ExactPlan,
  { waitRoom = 0 }: AnswerOptions,
): Answer | undefined {
  const loss = lossReason(open);
  const waits = loss ?? (isCut ? 'the model has yet to see results for which there is no room' : undefined);
  if (waits === undefined) return undefined;
  if (tokensOfAll(open.messages) < waitRoom) return { ...refusal(messages, waits), waits };
  return loss === undefined && summary === undefined ? undefined : refusal(messages, waits);
}

/**
 * Shares the room. In order of priority: unseen results, contents that are likely to be used again, the last steps,
 * then lines.
 */
function shareRoom(
  parts: readonly Part[],
  room: number,
  keep: ReadonlySet<string>,
  { isOpen, form, stepTokens }: WholeOptions & { readonly stepTokens: number },
) {
  const open = isOpen ? parts.findLast((part) => part.kind === 'round') : undefined;
  const openTokens = open === undefined ? 0 : tokensOfAll(form.write(open, resultsOf(open)));
  const unseenTokens = stepTokens + openTokens;
  const used = usedRounds(parts, (room - unseenTokens) * MAX_USED_SHARE, { keep, form });
  const freeTokens = room - tokensOfAll([...used.values()].flat());
  const forSteps = Math.min(freeTokens, Math.max(freeTokens * WHOLE_SHARE, unseenTokens));
  const whole = new Map([...used, ...wholeRounds(parts, forSteps - stepTokens, { isOpen, form })]);
  const isCut = open !== undefined && openTokens > tokensOfAll(whole.get(open) ?? []);
  const rest = Math.min(freeTokens * (1 - WHOLE_SHARE), Math.max(0, freeTokens - unseenTokens));
  return { open, isCut, whole, rest };
}

/** Adds the user's words that no prompt contains. */
function noteWithMissingWords(prompts: readonly Message[], { note, said }: ExactPlan): string {
  if (said === undefined) return note;
  const words = prompts.map(({ text }) => commandOf(text) ?? text).join('\n');
  return [note, ...wordsAsLines(wordsMissingFrom(said, words), said.room)].filter(Boolean).join('\n');
}

/** Like exactAnswer(), but leaves the compaction to claude if the plan cannot be read or followed. */
export function answerWith(messages: readonly Message[], plan: () => ExactPlan, circumstances: AnswerOptions): Answer {
  try {
    return exactAnswer(messages, plan(), circumstances);
  } catch (error) {
    return refusal(messages, error instanceof Error ? error.message : String(error));
  }
}

function refusal(messages: readonly Message[], why: string): Answer {
  const extent = extentOf(messages);
  const nothing = { prompts: { kept: 0, of: 0 }, steps: { whole: 0, lines: 0, gone: 0 }, whole: [] };
  return { outcome: { answered: false, why, before: extent, after: extent, ...nothing } };
}

/** Puts the note before the last steps, so that the text before the note stays the same at the next compaction. */
function assembleMessages(parts: readonly Part[], whole: Whole, entries: readonly Entry[], note: string): Message[] {
  const stays = parts.map((part): (Message | Entry)[] => {
    if (part.kind === 'prompt') return [part.message];
    const messages = part.kind === 'round' ? whole.get(part) : undefined;
    return [...(messages ?? entries.filter((entry) => entry.part === part))];
  });
  const first = lastRun(parts, whole);
  const end = parts.at(-1)?.kind === 'prompt' ? parts.length - 1 : parts.length;
  stays.splice(first < 0 ? end : first, 0, [createMessage('user', note)]);
  return withLinesJoined(stays.flat());
}

/** Index of the first whole step in the unbroken run at the end; -1 without such a run. */
function lastRun(parts: readonly Part[], whole: Whole): number {
  const lastOmitted = parts.findLastIndex(
    (part) => (part.kind === 'round' && !whole.has(part)) || (part.kind !== 'round' && part.kind !== 'prompt'),
  );
  return parts.findIndex((part, index) => index > lastOmitted && part.kind === 'round');
}

/** Joins consecutive lines into one message. */
function withLinesJoined(stays: readonly (Message | Entry)[]): Message[] {
  const messages: Message[] = [];
  let lines: string[] = [];
  for (const [at, one] of stays.entries()) {
    const next = stays[at + 1];
    if ('role' in one) messages.push(one);
    else if (one.kind === 'reply') messages.push(createMessage('assistant', one.text));
    else if (one.kind === 'summary') messages.push(createMessage('user', summaryText(one.text)));
    else {
      lines.push(one.text);
      if (next !== undefined && 'kind' in next && next.kind === 'line') continue;
      messages.push(createMessage('user', linesText(lines)));
      lines = [];
    }
  }
  return messages;
}
