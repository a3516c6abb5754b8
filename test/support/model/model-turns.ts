import type { ExactReceipt } from '../../../src/core/protocol/exact-plan.ts';
import type { Line } from '../governor.ts';
import type { Random } from '../random.ts';
import type { ModelDisk } from './model-disk.ts';
import type { linesOf } from './model-lines.ts';
import { randomCall, shownOf, type ToolCall } from './model-tools.ts';

/** A user line that was read from stdin. */
export interface Said {
  readonly uuid: string;
  readonly text: string;
}

/** The next step of a turn: writes a line, waits for the answer to an id, or falls silent. */
export type Beat = Line | { readonly awaits: string } | 'stuck' | 'deaf';

export type Beats = Generator<Beat, void, void>;

/** Behaviour of a modelled claude, as probabilities. */
export interface Habits {
  readonly hooks: number;
  readonly tooLong: number;
  readonly nativeCompaction: number;
  readonly background: number;
  readonly silent: number;
  /** Says nothing to an interrupt either when it is stuck. */
  readonly deaf: number;
  readonly apiDown: number;
  readonly commandsOff: boolean;
  /** Shares of calls that the API does not answer, for an outage or a usage limit. */
  readonly outage: number;
  /** Shares of calls at which claude says nothing any more. */
  readonly hangs: number;
  /** Tokens by which a call makes the context grow, at most. */
  readonly growth: number;
  /** Costs of a call in US dollars, at most. */
  readonly callUsd: number;
  /** Takes what hooks change of a call and of its result. */
  readonly takesChanges: boolean;
  readonly clear: 'reset' | 'new-id' | 'silent' | 'without-effect';
  /** Runs mods: a share of the compactions that ctxb's mod is asked for, it answers. */
  readonly exact: number;
}

/** State that the turns of one process share. */
export interface ProcessState {
  readonly random: Random;
  readonly habits: Habits;
  readonly disk: ModelDisk;
  readonly lines: ReturnType<typeof linesOf>;
  readonly run: {
    session: string;
    context: number;
    costUsd: number;
    /** Context at which claude compacts by itself. */
    trigger: number;
    isError: boolean;
    /** ctxb's mod was loaded. */
    hasMod: boolean;
    /** Receipt of the running compaction, until ctxb has read it. */
    receipt: ExactReceipt | undefined;
  };
  readonly newId: (what: string) => string;
  /** Ids of the hooks that were registered, by name. */
  readonly hooks: () => Readonly<Record<string, readonly string[]>>;
  /** Plain prompts that wait and are heard in a running turn. */
  readonly fold: () => readonly Said[];
  /** The hook-specific output that ctxb answered; empty without an answer. */
  readonly answerTo: (id: string) => Line;
  readonly startTask: (kind: 'agent' | 'shell', toolUseId: string) => string;
}

const WINDOW = 200_000;
const PREFIX = 20_000;

export function beatsOf(world: ProcessState, said: readonly Said[]): Beats {
  const [first] = said;
  if (first === undefined) return backgroundTurn(world);
  if (/^\s*\/compact(\s|$)/.test(first.text)) return compactTurn(world, first);
  if (/^\s*\/clear(\s|$)/.test(first.text)) return clearTurn(world, first);
  if (/^\s*\/\w/.test(first.text)) return commandTurn(world, first);
  return promptTurn(world, said);
}

function* hook({ random, habits, hooks, lines, newId, run }: ProcessState, name: string, input: Line): Beats {
  for (const callback_id of hooks()[name] ?? []) {
    if (!random.chance(habits.hooks)) continue;
    const id = newId('hook');
    const about = { hook_event_name: name, session_id: run.session, ...input };
    yield lines.request(id, { subtype: 'hook_callback', callback_id, input: about });
    yield { awaits: id };
  }
}

function hear({ disk, random, run }: ProcessState, said: readonly Said[]): void {
  disk.tell(
    run.session,
    said.map(({ uuid }) => uuid),
    random.chance(0.6),
  );
}

function* promptTurn(world: ProcessState, said: readonly Said[]): Beats {
  const { random, lines, habits } = world;
  const text = said.map((one) => one.text).join('\n');
  hear(world, said);
  yield* hook(world, 'UserPromptSubmit', { prompt: text });
  yield lines.init(said);
  world.run.context += Math.ceil(text.length / 4);
  const isAnswer = text.startsWith('Your context ends here');
  if (isAnswer && random.chance(habits.silent)) yield random.chance(habits.deaf) ? 'deaf' : 'stuck';
  yield* calls(world, isAnswer ? random.whole(1, 2) : random.whole(1, 4), isAnswer ? random.pick(ANSWERS) : 'Done.');
}

const ANSWERS = ['# The document', '# The document', '# The document', '', 'No.'] as const;

function* calls(world: ProcessState, count: number, answer: string): Beats {
  const { random, lines, habits, run } = world;
  for (let left = count; left > 0; left--) {
    if (random.chance(habits.apiDown)) yield lines.system('api_retry', { error_status: 529 });
    if (habits.outage > 0 && random.chance(habits.outage)) return yield* unanswered(world);
    yield* hang(world);
    run.context += random.whole(100, habits.growth);
    if (run.context >= run.trigger) yield* nativeCompaction(world);
    if (run.context >= WINDOW || random.chance(habits.tooLong)) return yield* tooLong(world);
    run.costUsd += random.next() * habits.callUsd;
    if (left === 1) break;
    if (yield* toolRound(world)) return yield* end(world, { terminal_reason: 'hook_stopped', result: '' });
  }
  yield lines.call(run.context, [{ type: 'text', text: answer }]);
  yield* end(world, { result: answer });
}

/** Whether a hook has stopped the turn behind it. */
function* toolRound(world: ProcessState): Generator<Beat, boolean, void> {
  const { random, lines, run, newId, habits } = world;
  const id = newId('toolu');
  const call = randomCall(random);
  yield lines.call(run.context, lines.toolUse(id, call.name, call.input));
  const { updatedInput } = yield* toolHook(world, 'PreToolUse', call, { tool_use_id: id });
  if (random.chance(0.1)) yield* permission(world);
  const isInBackground = random.chance(habits.background);
  if (isInBackground) {
    const kind = random.pick(['agent', 'shell'] as const);
    const task = world.startTask(kind, id);
    const task_type = kind === 'agent' ? 'local_agent' : 'local_bash';
    yield lines.system('task_started', { task_id: task, tool_use_id: id, task_type });
  }
  if (random.chance(0.1)) yield lines.call(random.whole(1, WINDOW), [], { parent_tool_use_id: id });
  const input = (habits.takesChanges && (updatedInput as Line | undefined)) || call.input;
  const way = random.weighted({ given: 8, failed: 1, denied: 1 });
  const { text, isError, stops } = yield* resultOf(world, { ...call, input }, { tool_use_id: id, way });
  const folded = world.fold();
  for (const one of folded) hear(world, [one]);
  yield lines.toolResult(id, text, isError);
  run.context += Math.ceil(text.length / 4);
  return stops;
}

type Outcome = Generator<Beat, { readonly text: string; readonly isError: boolean; readonly stops: boolean }, void>;

function* resultOf(world: ProcessState, call: ToolCall, { way, ...about }: Line): Outcome {
  if (way === 'denied') return { text: 'Permission was denied.', isError: true, stops: false };
  if (way === 'failed') {
    const told = yield* toolHook(world, 'PostToolUseFailure', call, { ...about, error: 'Exit code 1' });
    return { text: 'Exit code 1', isError: true, stops: told.continue === false };
  }
  const { response, text } = call.give(call.input);
  const { updatedToolOutput, ...told } = yield* toolHook(world, 'PostToolUse', call, {
    ...about,
    tool_response: response,
  });
  const isTaken = world.habits.takesChanges && updatedToolOutput !== undefined;
  return { text: isTaken ? shownOf(updatedToolOutput) : text, isError: false, stops: told.continue === false };
}

/** A hook about a tool; what it was answered. */
function* toolHook(world: ProcessState, name: string, call: ToolCall, about: Line): Generator<Beat, Line, void> {
  let changes: Line = {};
  const said = { cwd: '/home/dev/project', tool_name: call.name, tool_input: call.input, ...about };
  for (const beat of hook(world, name, said)) {
    yield beat;
    if (typeof beat === 'object' && 'awaits' in beat) changes = { ...changes, ...world.answerTo(String(beat.awaits)) };
  }
  return changes;
}

function* permission({ lines, newId }: ProcessState): Beats {
  const id = newId('ask');
  yield lines.request(id, { subtype: 'can_use_tool', tool_name: 'Bash', input: {} });
  yield { awaits: id };
}

function* hang({ habits, random }: ProcessState): Beats {
  if (habits.hangs > 0 && random.chance(habits.hangs)) yield random.chance(0.5) ? 'deaf' : 'stuck';
}

/** claude tries again for a while, and gives up. */
function* unanswered(world: ProcessState): Beats {
  const { lines, random } = world;
  const status = random.pick([529, 429]);
  yield lines.system('api_retry', { error_status: status, retry_delay_ms: random.pick([1_000, 60_000, 600_000]) });
  const result = `API Error: ${status} Overloaded.`;
  yield lines.synthetic(result);
  yield* end(world, { is_error: true, result, terminal_reason: 'api_error' });
}

function* tooLong(world: ProcessState): Beats {
  const { lines, random } = world;
  yield lines.synthetic('Prompt is too long');
  const terminal_reason = random.pick(['prompt_too_long', 'blocking_limit'] as const);
  yield* end(world, { is_error: true, result: 'Prompt is too long', terminal_reason });
}

function* end({ run, lines, disk, random }: ProcessState, more: Line): Beats {
  if (random.chance(0.7)) disk.flush();
  run.isError = more.is_error === true;
  yield lines.result({ total_cost_usd: run.costUsd, ...more });
}

function* nativeCompaction(world: ProcessState): Beats {
  const { random, habits, run } = world;
  if (!random.chance(habits.nativeCompaction)) return;
  yield* compaction(world);
  if (random.chance(0.2)) run.context = Math.min(run.context + random.whole(0, 120_000), WINDOW - 1);
}

/** @param said the command; undefined if claude compacts by itself */
function* compaction(world: ProcessState, said?: Said): Beats {
  const { lines, run, random, habits } = world;
  const trigger = said === undefined ? 'auto' : 'manual';
  const before = run.context;
  const isExact = run.hasMod && random.chance(habits.exact);
  if (!isExact) yield* hook(world, 'PreCompact', { trigger });
  yield lines.status({ status: 'compacting' });
  if (run.hasMod) run.receipt = receiptOf(isExact, random);
  const { messages } = run.receipt?.after ?? { messages: 0 };
  yield* hook(world, 'SessionStart', { source: 'compact' });
  yield lines.status({ compact_result: 'success' });
  if (said !== undefined) yield lines.init([said]);
  run.context = random.chance(0.15) ? random.whole(90_000, before) : random.whole(PREFIX, Math.max(PREFIX, before / 3));
  run.costUsd += random.next() * world.habits.callUsd;
  yield lines.boundary(trigger, before);
  // In mid-turn claude repeats what stays.
  if (isExact) for (let left = trigger === 'auto' ? messages : 0; left > 0; left--) yield lines.user('What stays.');
  else yield lines.user('This session is being continued from a previous conversation', { isSynthetic: true });
  yield* hook(world, 'PostCompact', { compact_summary: 'All.' });
}

function receiptOf(answered: boolean, random: Random): ExactReceipt {
  const prompts = { kept: 1, of: 1 };
  const extent = (messages: number) => ({ messages, tokens: 100 * messages });
  return {
    version: 1,
    number: 1,
    answered,
    ...(answered ? {} : { why: 'it is odd' }),
    ms: 1,
    before: extent(20),
    after: extent(random.whole(1, 5)),
    prompts,
    whole: [],
    steps: { whole: 1, lines: 1, gone: 0 },
  };
}

function* compactTurn(world: ProcessState, said: Said): Beats {
  const { lines, random, habits, disk, run } = world;
  disk.tell(run.session, [said.uuid], random.chance(0.5));
  if (habits.commandsOff) return yield* refused(world, said, 'compact');
  const outcome = random.weighted({
    success: 6,
    failed: 1.5,
    rejected: 0.5,
    empty: 0.7,
    unavailable: 1,
    silent: isOwn(said) ? habits.silent * 4 : 0,
  });
  if (outcome === 'silent' && random.chance(0.5)) yield lines.status({ status: 'compacting' });
  if (outcome === 'success') yield* compaction(world, said);
  if (outcome === 'silent') yield 'stuck';
  if (outcome === 'empty') yield lines.synthetic('Error: No messages to compact');
  const error = {
    failed: 'Error during compaction: it broke',
    rejected: 'API Error: 400 no',
    unavailable: 'API Error: 529 overloaded',
  }[outcome as string];
  if (error !== undefined) {
    yield lines.status({ status: 'compacting' });
    if (outcome === 'unavailable') yield lines.system('api_retry', { error_status: 529 });
    yield lines.status({ compact_result: 'failed', compact_error: error });
  }
  yield* end(world, { num_turns: 0, result: error ?? '' });
}

function* clearTurn(world: ProcessState, said: Said): Beats {
  const { lines, habits, disk, run, random } = world;
  disk.tell(run.session, [said.uuid], random.chance(0.5));
  if (habits.commandsOff) return yield* refused(world, said, 'clear');
  const { clear } = habits;
  if (clear === 'without-effect') return yield* end(world, { num_turns: 0, result: '' });
  if (clear === 'reset') yield { type: 'conversation_reset', session_id: run.session };
  run.context = PREFIX;
  disk.flush();
  if (clear !== 'silent') run.session = world.newId('session');
  yield* hook(world, 'SessionStart', { source: 'clear' });
  yield lines.init([said]);
  yield lines.synthetic('(no content)');
  yield* end(world, { num_turns: 0, result: '' });
}

/** The caller's own command may take as long as it likes. */
function isOwn({ uuid }: Said): boolean {
  return uuid.at(-12) === '0';
}

function* refused(world: ProcessState, said: Said, command: string): Beats {
  const text = `/${command} isn't available in this environment.`;
  yield world.lines.init([said]);
  yield world.lines.synthetic(text);
  yield* end(world, { num_turns: 0, result: text });
}

function* commandTurn(world: ProcessState, said: Said): Beats {
  world.disk.tell(world.run.session, [said.uuid], world.random.chance(0.5));
  yield world.lines.init([said]);
  yield world.lines.synthetic('So much.');
  yield* end(world, { num_turns: 0, result: 'So much.' });
}

function* backgroundTurn(world: ProcessState): Beats {
  const { lines, random, run, habits } = world;
  if (random.chance(0.3)) yield* hook(world, 'UserPromptSubmit', { prompt: '<task-notification>' });
  yield lines.init();
  run.context += random.whole(100, habits.growth);
  yield lines.call(run.context);
  yield* end(world, { origin: { kind: 'task-notification' } });
}
