import { DEFAULTS } from '../../config/defaults.ts';
import { type Answer, answerWith, type Circumstances } from '../../core/exact/exact-answer.ts';
import type { Message } from '../../core/exact/message.ts';
import { isSaid } from '../../core/governor/facts.ts';
import { predicted } from '../../core/governor/gauge/gauge.ts';
import { initialState } from '../../core/governor/initial-state.ts';
import type { Input } from '../../core/governor/input.ts';
import { reliefNow } from '../../core/governor/operations/relief.ts';
import { inTokens, type Policy } from '../../core/governor/policy.ts';
import { budgetOf } from '../../core/governor/relief/exact.ts';
import { latchAt } from '../../core/governor/relief/ladder.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { changedIn } from '../../core/governor/steps.ts';
import { createMemory, type Memory } from '../../core/memory/memory.ts';
import { answeredIn, plainText, readBlocks, textsOf } from '../../core/protocol/blocks.ts';
import { LOG_TAIL_BYTES } from '../../core/protocol/decode.ts';
import { type MidTurnPrompt, notAmong } from '../../core/protocol/exact-plan.ts';
import { fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { rowsIn } from '../../core/protocol/objects-in.ts';
import { createHost } from '../../host/governor-host.ts';
import { createInputReader } from '../../replay/inputs.ts';
import { replayRun } from '../../replay/replay-run.ts';
import { counted } from '../../report/figures.ts';
import { callAhead, type Known, withCallAhead, withKnown } from '../../statusline/judge-status.ts';

/** What the person has set of the plugin: `userConfig` in plugin.json has the defaults. */
export type Options = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** The defaults of a run, with these levels. The plugin compacts at the end of a turn, and hands nothing over. */
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

/** Of percent; undefined: it is none. */
function shareOf(value: unknown): number | undefined {
  const percent = Number(typeof value === 'string' ? value.trim().replace(/ ?%$/, '') : value);
  return percent >= 1 && percent <= 100 ? percent / 100 : undefined;
}

/**
 * What happens with the notes of a conversation that `/clear` ends: they are offered to the person, handed back to claude
 * unasked, or kept until the person asks for them.
 */
type AfterClear = 'offer' | 'always' | 'never';

export function afterClearIn({ afterClear }: Options): AfterClear {
  return afterClear === 'always' || afterClear === 'never' ? afterClear : 'offer';
}

export interface TerminalOptions {
  readonly policy: Policy;
  /** How the agent looks for what is not in its context any more; undefined: it can't. */
  readonly recall: string | undefined;
  /** Default: `offer`. */
  readonly afterClear?: AfterClear;
}

/** Nothing leaves claude: the model is told again what it was told before. */
const unmasked = (text: string | readonly string[]) => (typeof text === 'string' ? text : text.join(''));

export type TerminalSession = ReturnType<typeof createTerminalSession>;

/** A session at the terminal: the governor's judgement of claude's log of it, and the notes of what was done. */
export function createTerminalSession({ policy, recall, afterClear = 'offer' }: TerminalOptions) {
  const run = { ...replayRun(policy), ...(recall !== undefined && { recall }) };
  const begin = () => createHost(changedIn(initialState(run), 'exact', { phase: 'ready' }));
  let host = begin();
  let reader = createInputReader();
  const beginNotes = () => {
    const notes = createMemory({ run, mask: unmasked });
    notes.add({ t: 0, from: 'ctxb', event: { kind: 'notes', path: '' } }, host.state);
    return notes;
  };
  let memory = beginNotes();
  /** The notes of the conversation before this one. */
  let earlier: Memory | undefined;
  let isOffered = false;
  let triedAt: number | undefined;
  /** What the model was told in mid-turn since the last compaction, and the last tool call. */
  let told: readonly MidTurnPrompt[] = [];
  let lastCall = '';
  /** What was said while a turn ran: claude tells it to that turn, or begins the next one with it. */
  let heard: readonly string[] = [];
  /** What is certain to be the person's, block by block. */
  const prompts = new Set<string>();

  /** The state with what claude says of its last call, which its log may not have yet. */
  function judged(known: Known): GovernorState {
    const state = withCallAhead(withKnown(host.state, known), known, host.state.now);
    const { relief, gauge } = state;
    // The log does not say how large the window is.
    const latch = latchAt(relief.latch, predicted(gauge), gauge.window.tokens, policy);
    return { ...state, relief: { ...relief, latch } };
  }

  function read(lines: readonly string[]): void {
    for (const line of lines) {
      for (const said of reader.inputsIn(line)) {
        const { input } = host.feed(said);
        memory.add(input, host.state);
        noteSaid(input.event);
      }
      const texts = toldIn(line).map((text) => ({ text, after: lastCall }));
      if (texts.length > 0) told = [...told, ...texts];
    }
  }

  function noteSaid(event: Input['event']): void {
    if (event.kind === 'boundary') forgetSaid();
    if (event.kind === 'user' && event.marked) for (const text of textsOf(event.blocks)) prompts.add(text);
    if (isSaid(event)) lastCall = answeredIn(event.blocks)[0] ?? lastCall;
  }

  function beginAgain(): void {
    host = begin();
    reader = createInputReader();
    triedAt = undefined;
    forgetSaid();
  }

  /** The conversation is over. @returns whether the next one is told of it unasked */
  function clear(): boolean {
    beginAgain();
    if (afterClear === 'always') return true;
    if (memory.said().prompts > 0) earlier = memory;
    isOffered = afterClear === 'offer' && earlier !== undefined;
    memory = beginNotes();
    return false;
  }

  /** The person has said what comes next. */
  function goOn(): void {
    isOffered = false;
  }

  /** What `/ctxb:back` would hand back, while that is offered. */
  const offered = () => (isOffered && earlier !== undefined ? saidText(earlier.said()) : undefined);

  /**
   * The work before `/clear` is resumed with its notes. The log of this conversation has to be read again.
   *
   * @returns what was said then; undefined: nothing was
   */
  function back(): string | undefined {
    if (earlier === undefined) return undefined;
    memory = earlier;
    earlier = undefined;
    isOffered = false;
    beginAgain();
    return saidText(memory.said());
  }

  function forgetSaid(): void {
    told = [];
    heard = [];
    prompts.clear();
  }

  function hear(text: string): void {
    heard = [...heard, text];
  }

  function say(text: string): void {
    prompts.add(text);
  }

  /** Whether the context is to be compacted now that the turn is over. One that was tried in vain is not tried again at once. */
  function isDue(known: Known): boolean {
    const state = judged(known);
    const { relief } = state;
    const tried = { ...relief, triedAt: triedAt ?? relief.triedAt };
    return reliefNow({ ...state, relief: tried })?.way === 'compact';
  }

  /** claude has made a call that its log, as far as it was read, does not hold. */
  const isBehind = (known: Known) => callAhead(host.state, known) !== undefined;

  function isFull(known: Known): boolean {
    const { gauge } = judged(known);
    return predicted(gauge) >= inTokens(policy.thresholds.compact, gauge.window.tokens);
  }

  /** What stays of a conversation. @param isMidTurn the model was told all that was said, also before the log has it */
  function compact(messages: readonly Message[], known: Known, { isMidTurn, ...circumstances }: CompactedIn): Answer {
    const state = withKnown(host.state, known);
    triedAt = judged(known).gauge.calls;
    const there = [...told, ...messages].map(({ text }) => text);
    const late = notAmong(there, isMidTurn ? heard : [], (text) => text);
    const midTurn = [...told, ...late.map((text) => ({ text, after: lastCall }))];
    const kept = { budget: budgetOf(state), midTurn, prompts: [...prompts] };
    return answerWith(messages, () => ({ version: 1, ...memory.exactNote(state), ...kept }), circumstances);
  }

  /** For a context that begins with nothing of what was done. */
  function handBack(): string | undefined {
    const hook = { kind: 'answer-hook', requestId: '', hook: 'SessionStart', output: {}, recall: 'lost' } as const;
    const { output } = memory.answer(hook, host.state);
    return textOf(fieldsOf(fieldsOf(output).hookSpecificOutput).additionalContext);
  }

  /** A document for whoever continues the work. @param t milliseconds since the epoch @param isWorking a turn runs */
  const handoff = (t: number, isWorking = true) =>
    isWorking ? memory.handoff(host.state, t) : memory.handoff(host.state, t, []);

  const reading = { read, hear, say, judged, isBehind };
  return { ...reading, isDue, isFull, compact, clear, goOn, offered, back, handBack, handoff };
}

function saidText({ prompts, rules }: ReturnType<Memory['said']>): string {
  return rules === 0 ? counted(prompts, 'prompt') : `${counted(prompts, 'prompt')}, ${counted(rules, 'rule')}`;
}

interface CompactedIn extends Circumstances {
  readonly isMidTurn: boolean;
}

/** What claude tells a running turn: what was said meanwhile, and the ends of tasks in the background. */
const TOLD = new Set<unknown>(['prompt', 'task-notification']);

/** What a line of the log tells a running turn. */
function toldIn(line: string): readonly string[] {
  if (!line.includes('"queued_command"')) return [];
  return rowsIn(line).flatMap(({ isSidechain, attachment }) => {
    const { type, commandMode, prompt } = fieldsOf(attachment);
    const isTold = type === 'queued_command' && TOLD.has(commandMode) && isSidechain !== true;
    const text = isTold ? plainText(readBlocks(prompt)) : '';
    return text === '' ? [] : [text];
  });
}

const MOST_AT_ONCE = 4 * 1024 * 1024;

const NEWLINE = 10;

export type LogReader = ReturnType<typeof createLogReader>;

/** Where claude's log was read to. It is read in parts, as claude hands over no more at once. */
export function createLogReader(path: string) {
  const decoder = new TextDecoder();
  let at: number | undefined;
  let length = 0;
  let asked = -1;
  /** The beginning of what is read may be in the middle of a line. */
  let isCut = false;

  return {
    path,
    /** The next part of a log of so many bytes; undefined: all was read. */
    nextPart(size: number) {
      at ??= Math.max(0, size - LOG_TAIL_BYTES);
      isCut = asked < 0 && at > 0;
      length = Math.min(MOST_AT_ONCE, size - at);
      // What is left is the beginning of a line.
      if (length <= 0 || asked === at + length) return undefined;
      asked = at + length;
      return { offset: at, length };
    },
    /** The whole lines of that part. */
    lines(base64: string): readonly string[] {
      const binary = atob(base64);
      // Claude Code 2.1.301 hands over the whole file where a part was asked for.
      const from = binary.length > length ? (at ?? 0) : 0;
      const bytes = new Uint8Array(Math.min(length, binary.length - from));
      // Ten times as fast as `Uint8Array.from`, which walks over code points.
      for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(from + index);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      // A line that is longer than a part is left out.
      at = (at ?? 0) + (end === 0 && length === MOST_AT_ONCE ? bytes.length : end);
      const lines = decoder.decode(bytes.subarray(0, end)).split('\n');
      return lines.slice(isCut ? 1 : 0, -1);
    },
  };
}
