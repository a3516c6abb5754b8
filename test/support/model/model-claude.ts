import type { ExactReceipt } from '../../../src/core/protocol/exact-plan.ts';
import { fieldsOf, textOf } from '../../../src/core/protocol/fields.ts';
import type { Line } from '../governor.ts';
import type { Random } from '../random.ts';
import type { ModelDisk } from './model-disk.ts';
import { linesOf } from './model-lines.ts';
import { type Beat, type Beats, beatsOf, type Habits, type ProcessState, type Said } from './model-turns.ts';

export interface ClaudeOptions {
  readonly random: Random;
  readonly habits: Habits;
  readonly disk: ModelDisk;
  /** The session it begins or goes on with, and the size of its context. */
  readonly session: string;
  readonly context: number;
  readonly newId: (what: string) => string;
}

interface ModelTask {
  readonly kind: 'agent' | 'shell';
  readonly toolUseId: string;
}

/** One process of a modelled claude. Reads lines, processes them step by step, and writes lines. */
export class ModelClaude {
  readonly stdin: Line[] = [];
  readonly stdout: Line[] = [];
  /** Exit code or signal. */
  end: { readonly code: number | undefined; readonly signal: string | undefined } | undefined;
  isInputEnded = false;

  readonly #options: ClaudeOptions;
  readonly #world: ProcessState;
  readonly #lines: ReturnType<typeof linesOf>;
  readonly #queue: Said[] = [];
  readonly #tasks = new Map<string, ModelTask>();
  /** Answers from ctxb, by request id. */
  readonly #answered = new Map<string, Line>();
  /** Tasks that have ended and about which a turn is to be started. */
  #notices = 0;
  #hooks: Readonly<Record<string, readonly string[]>> = {};
  #turn: Beats | undefined;
  /** The prompts of the turn, or of the last one. */
  #said: readonly Said[] = [];
  #halt: Beat | undefined;
  #isDeaf = false;

  constructor(options: ClaudeOptions) {
    const { random, habits, disk, session, context, newId } = options;
    this.#options = options;
    const run: ProcessState['run'] = {
      session,
      context,
      costUsd: 0,
      trigger: 200_000,
      isError: false,
      hasMod: false,
      receipt: undefined,
    };
    this.#lines = linesOf(() => run.session, habits.exact > 0 ? '2.1.330' : undefined);
    this.#world = {
      random,
      habits,
      disk,
      newId,
      run,
      lines: this.#lines,
      hooks: () => this.#hooks,
      fold: () => this.#takePlain(),
      answerTo: (id) => this.#answered.get(id) ?? {},
      startTask: (kind, toolUseId) => this.#startTask(kind, toolUseId),
    };
  }

  get session(): string {
    return this.#world.run.session;
  }

  get context(): number {
    return this.#world.run.context;
  }

  /** The receipt of the mod; can be read once. */
  takeReceipt(): ExactReceipt | undefined {
    const { run } = this.#world;
    const { receipt } = run;
    run.receipt = undefined;
    return receipt;
  }

  /** Whether no turn runs and no prompt waits. */
  get isIdle(): boolean {
    return this.#turn === undefined && this.#queue.length === 0 && this.stdin.length === 0;
  }

  get hasTasks(): boolean {
    return this.#tasks.size > 0 || this.#notices > 0;
  }

  /** Does one thing; false: there is nothing to do. */
  work(): boolean {
    if (this.end !== undefined) return false;
    const line = this.#isDeaf ? undefined : this.stdin.shift();
    if (line !== undefined) return this.#read(line);
    if (this.#turn !== undefined) return this.#goOn();
    if (this.#begin()) return true;
    if (!this.isInputEnded || this.stdin.length > 0) return false;
    this.end = { code: this.#world.run.isError ? 1 : 0, signal: undefined };
    return true;
  }

  /** A task comes to its end. */
  endTask(): boolean {
    const [entry] = this.#tasks;
    if (entry === undefined || this.end !== undefined) return false;
    const [id, { toolUseId }] = entry;
    this.#tasks.delete(id);
    this.#notices++;
    this.#write(this.#lines.system('task_notification', { task_id: id, tool_use_id: toolUseId, status: 'completed' }));
    return true;
  }

  die(code: number | undefined, signal: string | undefined): void {
    if (this.end !== undefined) return;
    this.end = { code, signal };
    this.#options.disk.die(this.#options.random.whole(0, 2));
  }

  #write(line: Line): void {
    this.stdout.push(line);
  }

  #begin(): boolean {
    const first = this.#queue[0];
    if (first === undefined) {
      if (this.#notices === 0) return false;
      this.#notices--;
      this.#said = [];
    } else this.#said = isCommand(first) ? this.#queue.splice(0, 1) : this.#takePlain();
    this.#turn = beatsOf(this.#world, this.#said);
    return true;
  }

  /** Plain prompts up to the first command: they are joined. */
  #takePlain(): Said[] {
    const until = this.#queue.findIndex(isCommand);
    return this.#queue.splice(0, until < 0 ? this.#queue.length : until);
  }

  #goOn(): boolean {
    if (this.#halt !== undefined && !this.#isAnswered(this.#halt)) return false;
    this.#halt = undefined;
    const next = this.#turn?.next();
    if (next === undefined || next.done) this.#turn = undefined;
    else if (typeof next.value === 'string' || 'awaits' in next.value) this.#stop(next.value);
    else this.#write(next.value);
    // With its result a turn is over.
    if (typeof next?.value === 'object' && 'type' in next.value && next.value.type === 'result') this.#turn = undefined;
    return true;
  }

  /** With its input closed it does not wait for answers. */
  #isAnswered(halt: Beat): boolean {
    if (typeof halt === 'string') return false;
    return this.#answered.has(String(halt.awaits)) || (this.isInputEnded && this.stdin.length === 0);
  }

  #stop(halt: Beat): void {
    this.#halt = halt;
    this.#isDeaf = halt === 'deaf';
  }

  #read(line: Line): boolean {
    if (line.type === 'user') this.#hear(line);
    else if (line.type === 'control_response') this.#hearAnswer(fieldsOf(line.response));
    else if (line.type === 'control_request') this.#obey(String(line.request_id), fieldsOf(line.request));
    return true;
  }

  #hearAnswer({ request_id, response }: Line): void {
    this.#answered.set(String(request_id), answerIn(fieldsOf(response)));
  }

  #hear(line: Line): void {
    const content = fieldsOf(line.message).content;
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const uuid = textOf(line.uuid) ?? '';
    const isKnown = this.#options.disk.knows(this.session, uuid) || this.#queue.some((said) => said.uuid === uuid);
    if (!isKnown) this.#queue.push({ uuid, text });
  }

  #obey(id: string, request: Line): void {
    const { random } = this.#options;
    switch (request.subtype) {
      case 'initialize':
        this.#hooks = hooksIn(request);
        this.#write(this.#lines.response(id, {}));
        return;
      case 'get_context_usage':
        if (random.chance(0.9)) this.#tellContext(id);
        return;
      case 'apply_flag_settings':
        this.#moveTrigger(id, fieldsOf(fieldsOf(request.settings).env));
        return;
      case 'interrupt':
        this.#interrupt(id, request);
        return;
      case 'reload_plugins':
        this.#world.run.hasMod = this.#options.habits.exact > 0;
        this.#write(this.#lines.response(id, {}));
        return;
      case 'stop_task':
        this.#stopTask(String(request.task_id));
        this.#write(this.#lines.response(id, {}));
        return;
      default:
        this.#write(this.#lines.response(id, { session: { total_cost_usd: this.#world.run.costUsd } }));
        return;
    }
  }

  #tellContext(id: string): void {
    const { random } = this.#options;
    const answer = {
      totalTokens: this.context,
      rawMaxTokens: 200_000,
      isAutoCompactEnabled: true,
      autocompactSource: 'auto',
    };
    this.#write(this.#lines.response(id, random.chance(0.95) ? answer : undefined));
  }

  #moveTrigger(id: string, env: Line): void {
    const isMoved = this.#options.random.chance(0.9);
    if (isMoved) this.#world.run.trigger = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW) - 33_000;
    this.#write(this.#lines.response(id, isMoved ? {} : undefined));
  }

  #interrupt(id: string, { cancel_queued }: Line): void {
    const cancelled = cancel_queued === true && this.#turn !== undefined ? this.#queue.splice(0) : [];
    for (const { uuid } of cancelled) {
      this.#write({ type: 'command_lifecycle', command_uuid: uuid, state: 'cancelled', session_id: this.session });
    }
    this.#write(this.#lines.response(id, {}));
    if (this.#turn === undefined && this.#begin()) this.#goOn();
    if (this.#turn === undefined) return;
    this.#turn = undefined;
    this.#halt = undefined;
    this.#write(this.#lines.init(this.#said));
    this.#write(this.#lines.notice('[Request interrupted by user]'));
    const total_cost_usd = this.#world.run.costUsd;
    this.#write(this.#lines.result({ subtype: 'error_during_execution', is_error: true, total_cost_usd }));
  }

  #startTask(kind: 'agent' | 'shell', toolUseId: string): string {
    const id = this.#options.newId('task');
    this.#tasks.set(id, { kind, toolUseId });
    return id;
  }

  #stopTask(id: string): void {
    if (!this.#tasks.delete(id)) return;
    this.#write(this.#lines.system('task_notification', { task_id: id, status: 'stopped' }));
  }
}

/** Fields of a hook answer: common ones, and those of its kind. */
function answerIn({ hookSpecificOutput, ...common }: Line): Line {
  return { ...common, ...fieldsOf(hookSpecificOutput) };
}

function isCommand({ text }: Said): boolean {
  return /^\s*\/\w/.test(text);
}

function hooksIn(request: Line): Readonly<Record<string, readonly string[]>> {
  const names = Object.entries(fieldsOf(request.hooks)).map(([name, matchers]) => {
    const ids = (Array.isArray(matchers) ? matchers : []).flatMap((matcher) => fieldsOf(matcher).hookCallbackIds);
    return [name, ids.filter((id) => typeof id === 'string')] as const;
  });
  return Object.fromEntries(names);
}
