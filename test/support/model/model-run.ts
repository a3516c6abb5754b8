import type { Action } from '../../../src/core/governor/decisions.ts';
import type { TimerName } from '../../../src/core/governor/effects.ts';
import { initialState } from '../../../src/core/governor/initial-state.ts';
import type { Input, OwnEvent } from '../../../src/core/governor/input.ts';
import { promptsInTurn } from '../../../src/core/governor/prompts/mailbox.ts';
import { stampUuid } from '../../../src/core/governor/prompts/prompt.ts';
import type { GovernorState, Run } from '../../../src/core/governor/state.ts';
import { step } from '../../../src/core/governor/step.ts';
import { decodeLine, decodeObject } from '../../../src/core/protocol/decode.ts';
import { fieldsOf } from '../../../src/core/protocol/fields.ts';
import { type Line, userLine } from '../governor.ts';
import type { Random } from '../random.ts';
import { freeze } from './freeze.ts';
import { ModelClaude } from './model-claude.ts';
import { createDisk, type ModelDisk } from './model-disk.ts';
import { createRunFile } from './model-resume.ts';
import type { Habits } from './model-turns.ts';

/** One input with the states before and after it, and the actions. */
export interface Judged {
  readonly input: Input;
  readonly raw: Line | undefined;
  readonly before: GovernorState;
  readonly after: GovernorState;
  readonly actions: readonly Action[];
}

export interface ModelRunOptions {
  readonly random: Random;
  readonly run: Run;
  readonly habits: Habits;
  /** Crashes of processes at most. */
  readonly mostCrashes: number;
  readonly onJudged: (judged: Judged) => void;
}

type StartClaude = Extract<Action, { readonly kind: 'start-claude' }>;

/** A whole run: the governor, and a model of the shell, of claude's processes and of the clock round it. */
export class ModelRun {
  readonly disk: ModelDisk = createDisk();
  /** `uuid`s of what the caller said, in order. */
  readonly said: string[] = [];
  /** Of these, what ctxb answered itself. */
  readonly settled: string[] = [];
  /** Prompts whose answers the caller has. */
  readonly answered: string[] = [];
  /** Lines of ctxb's own that repeat prompts which a lost context held. */
  readonly retold: { readonly by: string; readonly uuids: readonly string[] }[] = [];
  /** Prompts that ctxb reported as not answered. */
  readonly leftUndone: string[] = [];
  state: GovernorState;
  isOver = false;

  readonly #options: ModelRunOptions;
  /** Stored files, by name. */
  readonly #kept = new Map<string, readonly string[]>();
  readonly #file = createRunFile();
  readonly #timers = new Map<TimerName, number>();
  #now = 1_000_000;
  #claude: ModelClaude;
  #isExitTold = false;
  #wanted: StartClaude | undefined;
  #isAsked = false;
  #crashes = 0;
  #wasInterrupted = false;
  /** The process was not left: its session may be lost with it. */
  #hasDied = false;
  #wasStopped = false;
  #ids = 0;
  #prompts = 0;

  constructor(options: ModelRunOptions) {
    this.#options = options;
    this.state = initialState(options.run);
    const context = options.run.resumes ? options.random.whole(20_000, 190_000) : 20_000;
    if (options.run.resumes) this.disk.tell('session-0', ['earlier'], true);
    this.#claude = this.#start('session-0', context);
    this.tell({ kind: 'begin' });
  }

  get claude(): ModelClaude {
    return this.#claude;
  }

  /** Whether a prompt may remain unsaid that is not left undone: where a turn was stopped with what was said into it. */
  get mayLose(): boolean {
    return this.#wasStopped || this.#wasInterrupted || this.state.session.id === undefined;
  }

  /** claude takes what hooks change. */
  get takesChanges(): boolean {
    return this.#options.habits.takesChanges;
  }

  get timers(): ReadonlyMap<TimerName, number> {
    return this.#timers;
  }

  /** Lines claude has written come to ctxb one by one; then its end. */
  deliver(): boolean {
    const line = this.#claude.stdout.shift();
    const receipt = line !== undefined && tellsOfCompaction(line) ? this.#claude.takeReceipt() : undefined;
    if (receipt !== undefined) this.tell({ kind: 'exact-receipt', receipt, kept: [] });
    if (line !== undefined) this.#judge({ t: this.#now, from: 'claude', event: decodeObject(line) }, line);
    else if (this.#claude.end !== undefined) this.#succeed();
    else return false;
    return true;
  }

  caller(line: Line): void {
    const isHeard = line.type === 'user' && this.state.mailbox.input !== 'closed';
    if (isHeard && !isCommand(line)) this.said.push(String(line.uuid));
    this.#judge({ t: this.#now, from: 'caller', event: decodeObject(line), line: JSON.stringify(line) }, line);
  }

  /** ctxb is killed, and its claude with it; another takes the run up. */
  takeUp(): void {
    const { random, run } = this.#options;
    // A process that ended by itself has written its log.
    if (this.#claude.end === undefined) this.#claude.die(undefined, 'SIGKILL');
    else this.disk.flush();
    this.leftUndone.length = 0;
    const { session, event, lines } = this.#file.takeUp(this.disk, this.#claude.session);
    if (session === undefined && event.document === undefined) this.disk.abandon();
    this.#timers.clear();
    [this.#wanted, this.#isAsked, this.#isExitTold, this.#hasDied] = [undefined, false, false, false];
    const runId = `${random.whole(2, 9)}${run.runId.slice(1)}`;
    this.state = initialState({ ...run, runId, resumes: session !== undefined });
    const context = session === undefined ? 20_000 : this.#claude.context;
    this.#claude = this.#start(session ?? `session-${++this.#ids}`, context);
    this.tell(event);
    for (const line of lines)
      this.#judge({ t: this.#now, from: 'caller', event: decodeLine(line), line }, JSON.parse(line));
    this.endCaller();
    this.tell({ kind: 'begin' });
  }

  prompt(text: string): void {
    this.caller(userLine(text, { uuid: stampUuid(this.state.run.runId, ++this.#prompts) }));
  }

  /** The caller asks claude to stop. */
  interruptByCaller(): void {
    this.#wasInterrupted = true;
    this.caller({ type: 'control_request', request_id: `caller-${++this.#ids}`, request: { subtype: 'interrupt' } });
  }

  endCaller(): void {
    this.#judge({ t: this.#now, from: 'caller', event: { kind: 'end' } });
  }

  tell(event: OwnEvent): void {
    this.#judge({ t: this.#now, from: 'ctxb', event });
  }

  answerPerson(): boolean {
    if (!this.#isAsked) return false;
    this.#isAsked = false;
    const { random } = this.#options;
    this.tell({ kind: 'cost-answer', limitUsd: random.chance(0.3) ? undefined : random.whole(0, 20) });
    return true;
  }

  /** The timer that runs out first does. */
  fire(): boolean {
    const [first] = [...this.#timers].sort(([, a], [, b]) => a - b);
    if (first === undefined) return false;
    const [timer, due] = first;
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, due);
    this.#judge({ t: this.#now, from: 'timer', event: { kind: 'timeout', timer } });
    return true;
  }

  crash(): boolean {
    const { random, mostCrashes } = this.#options;
    if (this.#claude.end !== undefined || this.#crashes >= mostCrashes) return false;
    this.#crashes++;
    const end = random.pick<number | string>(['SIGKILL', 'SIGSEGV', 1, 137]);
    if (typeof end === 'number') this.#claude.die(end, undefined);
    else this.#claude.die(undefined, end);
    if (random.chance(0.5)) this.#claude.stdout.splice(random.whole(0, this.#claude.stdout.length));
    return true;
  }

  #start(session: string, context: number): ModelClaude {
    const { random, habits } = this.#options;
    const newId = (what: string) => `${what}-${++this.#ids}`;
    return new ModelClaude({ random, habits, disk: this.disk, session, context, newId });
  }

  #succeed(): void {
    const { end } = this.#claude;
    if (end !== undefined && !this.#isExitTold) {
      this.#isExitTold = true;
      this.tell({ kind: 'exit', ...end, ...this.#logged() });
      return;
    }
    const start = this.#wanted;
    this.#wanted = undefined;
    if (start === undefined || this.state.mailbox.input !== 'open') {
      this.isOver = true;
      return;
    }
    this.#now += start.afterMs;
    if (this.#options.random.chance(0.05)) {
      this.#crashes++;
      this.tell({
        kind: 'exit',
        code: 127,
        signal: undefined,
        logged: true,
        delivered: [],
        finished: false,
        openTool: undefined,
      });
      this.#succeed();
      return;
    }
    if (start.resume === undefined && (this.#hasDied || this.state.operation.phase !== 'leaving')) this.disk.abandon();
    this.#hasDied = false;
    const context = start.resume === undefined ? 20_000 : this.#claude.context;
    this.#claude = this.#start(start.resume ?? `session-${++this.#ids}`, context);
    this.#isExitTold = false;
    this.tell({ kind: 'begin' });
  }

  #logged() {
    const { session, turn } = this.state;
    const logged = session.id !== undefined && this.disk.hasLog(session.id);
    const delivered =
      session.id === undefined
        ? []
        : this.disk.delivered(
            session.id,
            [...(turn.last?.prompts ?? []), ...promptsInTurn(this.state)].map(({ uuid }) => uuid),
          );
    return { logged, delivered, finished: this.#options.random.chance(0.3), openTool: undefined };
  }

  #judge(input: Input, raw?: Line): void {
    const before = this.state;
    freeze(before);
    freeze(input);
    if (input.event.kind === 'interrupt') this.#wasInterrupted = true;
    const state = step(before, input);
    const { actions } = state;
    this.state = state;
    this.#now += this.#options.random.whole(1, 3_000);
    for (const action of actions) {
      this.#file.note(action);
      this.#carryOut(action);
    }
    if (state.session.id !== undefined) this.#file.session(state.session.id);
    this.#options.onJudged({ input, raw, before, after: state, actions });
    for (const action of actions) this.#tellBack(action);
  }

  #carryOut(action: Action): void {
    switch (action.kind) {
      case 'send':
        this.#send(JSON.parse(action.line));
        return;
      case 'answer-hook':
        this.#answer(action);
        return;
      case 'end-input':
        this.#claude.isInputEnded = true;
        return;
      case 'set-timer':
        this.#timers.set(action.timer, this.#now + action.afterMs);
        return;
      case 'clear-timer':
        this.#timers.delete(action.timer);
        return;
      case 'restart':
        this.#hasDied = true;
        return;
      case 'start-claude':
        this.#wanted = action;
        return;
      case 'ask-person':
        this.#isAsked = true;
        return;
      case 'answered':
        this.answered.push(...action.uuids);
        this.disk.answer(action.uuids);
        return;
      case 'left-undone':
        this.leftUndone.push(...action.prompts);
        return;
      case 'reply':
        this.settled.push(String(fieldsOf(JSON.parse(action.line)).user_message_uuid));
        return;
      case 'keep':
        this.#kept.set(action.file, action.texts);
        return;
      case 'kill':
        this.#claude.die(undefined, 'SIGKILL');
        return;
      default:
    }
  }

  /** Events with which the shell answers an action. */
  #tellBack(action: Action): void {
    const { random } = this.#options;
    if (action.kind === 'write-handoff') this.#write(action);
    if (action.kind === 'arm-exact')
      this.tell({ kind: 'exact-folder', path: random.chance(0.95) ? '/mod' : undefined });
    if (action.kind === 'prove-exact' && random.chance(0.95)) this.tell({ kind: 'exact-proved' });
    if (action.kind === 'store-result') {
      const path = random.chance(0.9) ? `/home/dev/project/.context/tool-results/${action.name}.txt` : undefined;
      this.tell({ kind: 'result-stored', requestId: action.requestId, path });
    }
    if (action.kind === 'measure-file') {
      const file = random.chance(0.9) ? { lines: random.whole(0, 9_000), fitting: random.whole(0, 1_500) } : undefined;
      this.tell({ kind: 'file-measured', requestId: action.requestId, file });
    }
  }

  #answer({ requestId, output, specific }: Extract<Action, { readonly kind: 'answer-hook' }>): void {
    const response = specific === undefined ? output : { ...output, hookSpecificOutput: specific };
    this.#send({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } });
  }

  #send(line: Line): void {
    this.#noteRetold(String(line.uuid), String(fieldsOf(line.message).content));
    const { end, isInputEnded, stdin } = this.#claude;
    if (end === undefined && !isInputEnded) stdin.push(line);
  }

  /** A long prompt is repeated by its beginning and the file that has the whole. */
  #noteRetold(by: string, words: string): void {
    const told = [...this.#kept].filter(([file]) => words.includes(file)).flatMap(([, texts]) => texts);
    const isTold = (text: string) => (words.includes('word for word:') && words.includes(text)) || told.includes(text);
    const uuids = this.state.mailbox.prompts.flatMap(({ prompt, fate }) =>
      fate === 'owed' && isTold(prompt.text) ? [prompt.uuid] : [],
    );
    if (uuids.length > 0) this.retold.push({ by, uuids });
  }

  #write({ answer }: Extract<Action, { readonly kind: 'write-handoff' }>): void {
    const { random } = this.#options;
    const isGood = answer?.startsWith('#') ?? false;
    const path = random.chance(0.9) ? '.context/handoffs/handoff-1.md' : undefined;
    const by = isGood ? 'agent' : 'memory';
    this.tell({
      kind: 'handoff-written',
      path,
      text: 'The work goes on here.',
      by,
      problems: isGood ? [] : ['It is bad.'],
    });
  }
}

/** Whether a line is a slash command, which is no prompt of the user. */
function isCommand(line: Line): boolean {
  return String(fieldsOf(line.message).content).startsWith('/');
}

function tellsOfCompaction({ subtype, request }: Line): boolean {
  const hook = fieldsOf(fieldsOf(request).input).hook_event_name;
  return subtype === 'compact_boundary' || subtype === 'status' || hook === 'SessionStart' || hook === 'PostCompact';
}
