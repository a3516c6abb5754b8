import { DEFAULTS } from '../../config/defaults.ts';
import { type Answer, type AnswerOptions, answerWith } from '../../core/exact/exact-answer.ts';
import type { Message } from '../../core/exact/message.ts';
import { predictedTokens } from '../../core/governor/gauge/gauge.ts';
import { initialState } from '../../core/governor/initial-state.ts';
import type { Input } from '../../core/governor/input.ts';
import { reliefNow } from '../../core/governor/operations/relief.ts';
import { inTokens, type Policy } from '../../core/governor/policy.ts';
import { keptTokensLimit } from '../../core/governor/relief/exact.ts';
import { changedIn } from '../../core/governor/steps.ts';
import { createMemory, type Memory } from '../../core/memory/memory.ts';
import { plainText, readBlocks, textsOf } from '../../core/protocol/blocks.ts';
import { type MidTurnPrompt, withoutKnown } from '../../core/protocol/exact-plan.ts';
import { fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { rowsIn } from '../../core/protocol/objects-in.ts';
import { unmasked } from '../../core/text/words.ts';
import { createHost } from '../../host/governor-host.ts';
import { createInputReader } from '../../replay/input-reader.ts';
import { runForReplay } from '../../replay/replay-run.ts';
import { counted } from '../../report/figures.ts';
import { type StatusReport, unloggedCall, withReport } from '../../statusline/judge-status.ts';

/** The plugin's options. Their defaults are in `userConfig` of plugin.json. */
export type Options = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * The policy: a run's defaults with the user's levels. The plugin compacts at the end of a turn, and never hands over.
 */
export function policyFor({ compactAt, warnAt }: Options): Policy {
  const { thresholds, compaction, handoff } = DEFAULTS;
  const level = shareOf(compactAt);
  return {
    ...DEFAULTS,
    thresholds: {
      ...thresholds,
      compact: level ?? thresholds.compact,
      warn: shareOf(warnAt) ?? thresholds.warn,
    },
    compaction: { ...compaction, when: 'boundary', moment: level ?? 'economic' },
    handoff: { ...handoff, enabled: false },
  };
}

/** A fraction; undefined if the value is not a percentage. */
function shareOf(value: unknown): number | undefined {
  const percent = Number(typeof value === 'string' ? value.trim().replace(/ ?%$/, '') : value);
  return percent >= 1 && percent <= 100 ? percent / 100 : undefined;
}

export type TerminalSession = ReturnType<typeof createTerminalSession>;

/** A session at the terminal: feeds claude's log to the governor and to the notes. */
export function createTerminalSession(options: Options) {
  const policy = policyFor(options);
  const run = runForReplay(policy);
  const begin = () => createHost(changedIn(initialState(run), 'exact', { phase: 'ready' }));
  let host = begin();
  let reader = createInputReader();
  const beginNotes = () => {
    const notes = createMemory({ run, mask: unmasked });
    notes.add({ t: 0, from: 'ctxb', event: { kind: 'notes', path: '' } }, host.state);
    return notes;
  };
  let memory = beginNotes();
  /** Notes of the conversation that `/clear` ended. */
  let earlier: Memory | undefined;
  /** The text that `/ctxb:back` would give back, until the user's next prompt. */
  let offer: string | undefined;
  let triedAt: number | undefined;
  /** Texts that the model got within a turn since the last compaction. */
  const midTurnPrompts: MidTurnPrompt[] = [];
  /** Texts sent during a turn: claude adds them to that turn, or starts the next one with them. */
  const pendingTexts: string[] = [];
  /** Texts that are certain to be the user's, by block. */
  const prompts = new Set<string>();

  /** Data about the session that claude reports in addition to its log. */
  let known: StatusReport = { window: undefined, model: undefined, usage: undefined, limits: {} };

  const judged = () => withReport(host.state, known);

  function read(lines: readonly string[]): void {
    for (const line of lines) {
      for (const logged of reader.inputsIn(line)) {
        const { input } = host.feed(logged);
        memory.add(input, host.state);
        noteSaid(input.event);
      }
      midTurnPrompts.push(...afterLastCall(midTurnTexts(line)));
    }
  }

  function noteSaid(event: Input['event']): void {
    if (event.kind === 'boundary') forgetSaid();
    if (event.kind === 'user' && event.isMarked) for (const text of textsOf(event.blocks)) prompts.add(text);
  }

  function afterLastCall(texts: readonly string[]): readonly MidTurnPrompt[] {
    return texts.map((text) => ({ text, after: host.state.relief.exact.lastCall }));
  }

  function restart(): void {
    host = begin();
    reader = createInputReader();
    triedAt = undefined;
    forgetSaid();
  }

  function clear(): void {
    restart();
    if (memory.said() > 0) earlier = memory;
    offer = options.afterClear === 'never' || earlier === undefined ? undefined : counted(earlier.said(), 'prompt');
    memory = beginNotes();
  }

  /**
   * Gives back the notes of the previous conversation. The log of the current one must then be read again.
   * @returns the number of earlier prompts, in words
   */
  function back(): string | undefined {
    if (earlier === undefined) return undefined;
    memory = earlier;
    earlier = undefined;
    offer = undefined;
    restart();
    return counted(memory.said(), 'prompt');
  }

  function forgetSaid(): void {
    midTurnPrompts.length = 0;
    pendingTexts.length = 0;
    prompts.clear();
  }

  /** Whether to compact at the end of a turn. A failed attempt is not repeated at once. */
  function isDue(): boolean {
    const state = judged();
    const { relief } = state;
    const tried = { ...relief, triedAt: triedAt ?? relief.triedAt };
    return reliefNow({ ...state, relief: tried })?.way === 'compact';
  }

  function isFull(): boolean {
    return size() >= inTokens(policy.thresholds.compact, judged().gauge.window.tokens);
  }

  /** Expected tokens of the next call. */
  function size(): number {
    return predictedTokens(judged().gauge);
  }

  /** @param isMidTurn whether a turn runs: the model then got all recorded texts, even if the log lacks them */
  function compact(messages: readonly Message[], { isMidTurn, ...answerOptions }: CompactOptions): Answer {
    const state = judged();
    triedAt = state.gauge.calls;
    const knownTexts = [...midTurnPrompts, ...messages].map(({ text }) => text);
    const missing = withoutKnown(knownTexts, isMidTurn ? pendingTexts : [], (text) => text);
    const midTurn = [...midTurnPrompts, ...afterLastCall(missing)];
    const kept = { budget: keptTokensLimit(state), midTurn, prompts: [...prompts] };
    return answerWith(messages, () => ({ version: 1, ...memory.exactNote(state), ...kept }), answerOptions);
  }

  /** The notes as text for a context without any of the work so far. */
  function handBack(): string | undefined {
    const hook = { kind: 'answer-hook', requestId: '', hook: 'SessionStart', output: {}, recall: true } as const;
    const { output } = memory.answer(hook, host.state);
    return textOf(fieldsOf(fieldsOf(output).hookSpecificOutput).additionalContext);
  }

  return {
    read,
    /** Records a text that was sent within a turn. */
    recordText: (text: string) => void pendingTexts.push(text),
    say: (text: string) => void prompts.add(text),
    report(news: StatusReport): void {
      known = news;
    },
    judged,
    size,
    /** Whether claude has made a call that is missing in the log as read so far. */
    isBehind: () => unloggedCall(host.state, known) !== undefined,
    isDue,
    isFull,
    compact,
    clear,
    /** Ends the offer when the user sends a prompt. */
    endOffer(): void {
      offer = undefined;
    },
    offered: () => offer,
    back,
    handBack,
    /** A handoff document. @param t milliseconds since the epoch @param isWorking whether a turn is running */
    handoff: (t: number, isWorking = true) => memory.handoff(host.state, t, isWorking ? undefined : []),
  };
}

interface CompactOptions extends AnswerOptions {
  readonly isMidTurn: boolean;
}

/** Texts that claude adds to a running turn: the user's, and notifications of background tasks. */
const MID_TURN_MODES = new Set<unknown>(['prompt', 'task-notification']);

function midTurnTexts(line: string): readonly string[] {
  if (!line.includes('"queued_command"')) return [];
  return rowsIn(line).flatMap(({ isSidechain, attachment }) => {
    const { type, commandMode, prompt } = fieldsOf(attachment);
    const isMidTurnText = type === 'queued_command' && MID_TURN_MODES.has(commandMode) && isSidechain !== true;
    const text = isMidTurnText ? plainText(readBlocks(prompt)) : '';
    return text === '' ? [] : [text];
  });
}
