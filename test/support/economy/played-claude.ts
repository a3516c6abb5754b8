import {
  createMessage,
  type Message,
  type ToolResult,
  type ToolUse,
  tokensOfAll,
  tokensOfText,
} from '../../../src/core/exact/message.ts';
import { PRICES, priceAt, priceOf } from '../../../src/core/governor/cost/prices.ts';
import type { Action } from '../../../src/core/governor/decisions.ts';
import type { HookAnswer } from '../../../src/core/governor/effects.ts';
import { NATIVE_RESERVE_TOKENS } from '../../../src/core/governor/policy.ts';
import { costsSoFar } from '../../../src/core/governor/relief/baseline.ts';
import { isHandoffRequest } from '../../../src/core/governor/relief/handoff-request.ts';
import { shortenPrompt } from '../../../src/core/memory/notebook/user-words.ts';
import { type ExactPlan, TOO_LARGE } from '../../../src/core/protocol/exact-plan.ts';
import { fieldsOf, parseFields } from '../../../src/core/protocol/fields.ts';
import { createPlayedClaude } from '../../../src/replay/governed.ts';
import {
  type Driver,
  drive,
  hookLine,
  type Line,
  type PolicyChanges,
  policyWith,
  runWith,
  userLine,
} from '../governor.ts';
import { read, textOf } from './moves.ts';

/** An answer of the model, with the results of its tool calls. */
export interface Call {
  readonly kind: 'call';
  readonly text: string;
  readonly uses: readonly ToolUse[];
  readonly results: readonly ToolResult[];
  /** Tokens. */
  readonly output: number;
  /** The turn ends with it. */
  readonly ends: boolean;
  /** Whether it only fetches contents that left the context. */
  readonly again?: boolean;
  /** Tokens of each call of the subagent that answers it. */
  readonly agent?: readonly number[];
}

/** The next answer of the model, or a pause before it. */
export type Move = Call | Pause;

interface Pause {
  readonly kind: 'pause';
  readonly ms: number;
}

/** Whether the request contains the words. */
export type Sight = (words: string) => boolean;

/** A turn yields moves until it answers, and knows only what it sees. */
export interface PlayedTurn {
  readonly prompt: string;
  /** Number of pictures in the prompt. */
  readonly pictures?: number;
  readonly next: (sight: Sight) => Move;
}

export type PlayedJob = () => readonly PlayedTurn[];

export interface PlayedSetup {
  readonly window: number;
  readonly model: string;
  readonly policy?: PolicyChanges;
  /** Tokens of the first call, without the prompt. */
  readonly prefix?: number;
  /** Calls never hit the cache. */
  readonly cold?: boolean;
  /** The caller gives all prompts at once. */
  readonly atOnce?: boolean;
  /** Whether the caller has closed the input. */
  readonly ended?: boolean;
  /** The user has set the level at which claude compacts. */
  readonly level?: number;
  /** Tokens of the thoughts of each call. They stay until a compaction. */
  readonly thoughts?: number;
  /** Tokens of the conversation that the run resumes. Its contents are not needed any more. */
  readonly resumed?: number;
  /** Tokens of a file that the first prompt mentions. claude adds it to the prompt. */
  readonly attached?: number;
  /** Other models that the user chooses, by the number of the prompt before. */
  readonly chosen?: Readonly<Record<number, Pick<PlayedSetup, 'model' | 'window'>>>;
}

export interface Played {
  readonly usd: number;
  /** Cost after each call that did more than read a file. */
  readonly bills: readonly number[];
  readonly calls: number;
  readonly peak: number;
  readonly reliefs: readonly Relief[];
  readonly driver: Driver | undefined;
  /** Summaries that claude wrote. */
  readonly summaries: number;
}

interface Relief {
  /** Calls before it. */
  readonly call: number;
  /** The context before it, and after it. */
  readonly before: number;
  readonly landing: number;
  /** Dollars to write what stays to the cache, and to fetch once what went. */
  readonly price: number;
}

/** A file as claude knows it; without the id of a call if claude has shown it beside its summary. */
interface KnownFile {
  readonly id: string;
  readonly text: string;
  /** Number of the call that last changed or wrote it; 0: none. */
  readonly changed: number;
}

/** Of a summary, as claude writes it and as it stays. */
const SUMMARY_TOKENS = 2_250;
/** Of claude's request for it. */
const REQUEST_TOKENS = 1_600;
const SUMMARY = 'word '.repeat(Math.round((SUMMARY_TOKENS / tokensOfText('word '.repeat(1_000))) * 1_000));
/** Notes of ctxb's, longer than what it may give back: after a summary in UTF-16 units, and beside an exact compaction. */
const NOTES = 'fact '.repeat(2_000);
const GIVEN_LENGTH = 8_900;
/** The document of a handoff. */
const WRITTEN = { kind: 'handoff-written', path: 'h.md', by: 'agent', problems: [] } as const;
/** Names in the paths of the notes. */
const POINTER_LENGTH = 300;
const NOTE_LENGTH = 6_000;
const WORDS_LENGTH = 7_000;
/** Of the first call without the prompt: the rest stands in the first message, which a summary replaces. */
const SYSTEM_SHARE = 0.8;
const CACHE_LIFE_MS = 5 * 60_000;
const CALL_MS = 8_000;

/** Plays a job with ctxb's governor, whose mod answers compactions with what the real one would keep. @param watch sees it */
export function playGoverned(job: PlayedJob, world: PlayedSetup, watch = (driver: Driver) => driver): Played {
  return play(job, world, watch(drive(runOf(world))));
}

function runOf({ policy, level, resumed }: PlayedSetup) {
  const changes = { callerPlacedTrigger: level !== undefined, resumes: resumed !== undefined };
  return runWith({ exact: true, policy: policyWith(policy), ...changes });
}

/** Costs that a run has counted, in micro-dollars: with ctxb, and with claude alone. */
export function accountOf({ driver }: Pick<Played, 'driver'>) {
  if (driver === undefined) throw new Error('claude alone has no account');
  return costsSoFar(driver.state.relief.baseline, driver.state.gauge);
}

/** Dollars that a run has saved by its own account. */
export function savedByAccount(run: Pick<Played, 'driver'>): number {
  const { baseline, real } = accountOf(run);
  return (baseline - real) / 1e6;
}

/** Dollars that a run may cost: 1.05 times as much as claude alone, and the price of its dearest compaction. */
export function mostUsd({ reliefs }: Pick<Played, 'reliefs'>, alone: number): number {
  return 1.05 * alone + Math.max(0, ...reliefs.map(({ price }) => price));
}

/** The same job with claude alone, which has a summary written at its own level. */
export function playAlone(job: PlayedJob, world: PlayedSetup): Played {
  return play(job, world, undefined);
}

function play(job: PlayedJob, world: PlayedSetup, driver: Driver | undefined): Played {
  const claude = new PlayedClaude(world, driver);
  const turns = job();
  if (world.atOnce) for (const turn of turns) claude.hear(turn);
  if (world.atOnce && world.ended) driver?.callerEnd();
  for (const turn of turns) claude.turn(turn);
  return claude.end();
}

class PlayedClaude {
  #world: PlayedSetup;
  #turns = 0;
  readonly #driver: Driver | undefined;
  readonly #prefix: number;
  readonly #thoughts: number;
  #messages: Message[] = [];
  #tokens = 0;
  #cached = 0;
  #cachedAt = 0;
  #now = 0;
  #trigger: number;
  /** The model for which claude has rendered the system prompt and the tools. */
  #rendered: string;
  readonly #mod: ReturnType<typeof createPlayedClaude>;
  /** The part of the last plan that comes from the notes. */
  #notes: Pick<ExactPlan, 'note' | 'said'> = { note: '' };
  #heard = 0;
  /** The user's prompts as the notes have them, the newest first. */
  readonly #asked: { number: number; text: string }[] = [];
  #said = 0;
  #usd = 0;
  readonly #bills: number[] = [];
  #summaries = 0;
  #calls = 0;
  #peak = 0;
  readonly #reliefs: Relief[] = [];
  /** Sizes of what was fetched or written, in tokens, by the id of the call. */
  readonly #contents = new Map<string, number>();
  /** By path; those that were used last come last. */
  readonly #files = new Map<string, KnownFile>();

  constructor(world: PlayedSetup, driver: Driver | undefined) {
    this.#world = world;
    this.#driver = driver;
    this.#prefix = world.prefix ?? 33_000;
    this.#thoughts = world.thoughts ?? 0;
    this.#trigger = this.#ownLevel();
    this.#rendered = world.model;
    this.#mod = createPlayedClaude({
      tell: (event) => driver?.tell(event),
      claude: (line) => driver?.claude(line),
      window: () => this.#world.window,
      prompt: (line) => this.#read(line),
    });
    for (let at = 0; this.#tokens < (world.resumed ?? 0); at++) this.#recall(at);
    if (world.resumed !== undefined) [this.#cached, this.#cachedAt] = [this.#context(), Number.NEGATIVE_INFINITY];
    driver?.begin();
    this.#obey();
  }

  /** A turn of the conversation that the run resumes. */
  #recall(at: number): void {
    const id = `earlier_${at}`;
    const { uses: toolUses, results: toolResults } = read(`src/earlier-${at}.ts`, 8_000, id);
    this.#say(createMessage('user', `Look at part ${at} of the work.`, { handle: `0 ${++this.#said}` }));
    this.#say(createMessage('assistant', 'Looking at it.', { toolUses }));
    this.#say(createMessage('user', '', { toolResults }));
    this.#say(createMessage('assistant', 'It is as it should be.'));
  }

  /** The caller gives a prompt. */
  hear({ prompt, pictures = 0 }: PlayedTurn): void {
    const mention = this.#heard === 0 && this.#world.attached !== undefined ? ' @docs/spec.md' : '';
    const blocks = [{ type: 'text', text: prompt + mention }, ...Array.from({ length: pictures }, () => PICTURE)];
    this.#driver?.caller(userLine(blocks, { uuid: `prompt-${++this.#heard}` }));
  }

  turn(turn: PlayedTurn): void {
    const { prompt: text, pictures = 0, next } = turn;
    this.#choose(this.#world.chosen?.[this.#turns++]);
    if (!this.#world.atOnce) this.hear(turn);
    this.#obey();
    this.#asked.unshift({ number: this.#asked.length + 1, text: shortenPrompt(text) });
    const attached = this.#asked.length === 1 ? (this.#world.attached ?? 0) / PICTURE_TOKENS : 0;
    this.#say(createMessage('user', text, { handle: `${pictures + attached} ${++this.#said}` }));
    this.#tell({
      type: 'system',
      subtype: 'init',
      session_id: 's1',
      model: this.#world.model,
      claude_code_version: '2.1.332',
    });
    for (;;) {
      const move = next((words) => {
        this.#makeRoom();
        return this.#sees(words);
      });
      if (move.kind === 'pause') this.#pause(move.ms);
      else if (this.#step(move)) break;
    }
    const costs = { total_cost_usd: this.#usd };
    const modelUsage = { [this.#world.model]: { contextWindow: this.#world.window } };
    this.#tell({
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 1,
      session_id: 's1',
      modelUsage,
      ...costs,
    });
    this.#obey();
  }

  /**
   * The new model finds nothing in the cache, and claude renders the tools for it with the next compaction. If its window
   * is too small, the model before writes a summary. A level that ctxb has placed stays, but below claude's own.
   */
  #choose(other: Pick<PlayedSetup, 'model' | 'window'> | undefined): void {
    if (other === undefined) return;
    const wasOwn = this.#trigger === this.#ownLevel();
    const former = this.#world;
    const next = { ...former, ...other };
    if (this.#context() >= levelOf(next)) this.#compact('auto');
    this.#world = next;
    this.#trigger = wasOwn ? this.#ownLevel() : Math.min(this.#trigger, this.#ownLevel());
    if (next.model !== former.model) this.#cachedAt = Number.NEGATIVE_INFINITY;
  }

  end(): Played {
    this.#driver?.callerEnd();
    const [usd, bills, calls, peak] = [this.#usd, this.#bills, this.#calls, this.#peak];
    return { usd, bills, calls, peak, reliefs: this.#reliefs, driver: this.#driver, summaries: this.#summaries };
  }

  #sees(words: string): boolean {
    return this.#messages.some(
      ({ text, toolUses, toolResults = [] }) =>
        text.includes(words) ||
        toolUses.some(({ input }) => Object.values(fieldsOf(input)).some((value) => String(value).includes(words))) ||
        toolResults.some((result) => result.text.includes(words)),
    );
  }

  #pause(ms: number): void {
    this.#now += ms;
    this.#driver?.wait(ms);
  }

  /** A call, and the results it asked for; true: the turn is over. */
  #step({ text, uses, results, output, ends, again, agent = [] }: Call): boolean {
    this.#makeRoom();
    const usage = this.#call(output + this.#thoughts);
    if (again !== true && uses.every(({ tool }) => tool !== 'Read')) this.#bills.push(this.#usd);
    this.#tokens += this.#thoughts;
    const content = [
      ...thoughtOf(this.#thoughts),
      { type: 'text', text },
      ...uses.map(({ tool_use_id: id, tool: name, input }) => ({ type: 'tool_use', id, name, input })),
    ];
    const message = { id: `msg_${this.#calls}`, role: 'assistant', model: this.#world.model, content, usage };
    this.#tell({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's1' });
    this.#say(createMessage('assistant', text, { toolUses: uses }));
    for (const use of uses) {
      const { tool_use_id: id, tool, input } = use;
      const text = tool === 'Read' ? results.find((result) => result.tool_use_id === id)?.text : undefined;
      if (['Read', 'Edit', 'Write'].includes(tool)) this.#note(use, text);
      if (tool === 'Write') this.#contents.set(id, tokensOfText(String(fieldsOf(input).content)));
    }
    if (again === true) for (const { tool_use_id: id, text: got } of results) this.#contents.set(id, tokensOfText(got));
    for (const [at, tokens] of agent.entries()) this.#agentCall(uses[at % uses.length]?.tool_use_id ?? '', tokens, at);
    for (const result of results) {
      this.#say(createMessage('user', '', { toolResults: [result] }));
      const { tool_use_id, text: got, isError = false } = result;
      const block = { type: 'tool_result', tool_use_id, content: got, is_error: isError };
      this.#tell({
        type: 'user',
        message: { role: 'user', content: [block] },
        parent_tool_use_id: null,
        session_id: 's1',
      });
    }
    return ends;
  }

  /** A call of a subagent, which writes its context to the cache. */
  #agentCall(id: string, tokens: number, at: number): void {
    const usage = {
      input_tokens: 0,
      cache_creation_input_tokens: tokens,
      cache_read_input_tokens: 0,
      output_tokens: 300,
    };
    this.#pay(0, tokens, usage.output_tokens);
    const content = [{ type: 'text', text: 'Looking.' }];
    const message = { id: `sub_${id}_${at}`, role: 'assistant', model: this.#world.model, content, usage };
    this.#tell({ type: 'assistant', message, parent_tool_use_id: id, session_id: 's1' });
  }

  /** claude compacts before a call, so the model decides by what is left. */
  #makeRoom(): void {
    if (this.#context() >= this.#trigger) this.#compact('auto');
  }

  #context(): number {
    return this.#prefix + this.#tokens;
  }

  #call(output: number) {
    this.#calls++;
    this.#pause(CALL_MS);
    const context = this.#context();
    const read = this.#isWarm() ? Math.min(this.#cached, context) : 0;
    this.#pay(read, context - read, output);
    [this.#cached, this.#cachedAt] = [context, this.#now];
    this.#peak = Math.max(this.#peak, context);
    return {
      ...{ input_tokens: 0, cache_creation_input_tokens: context - read, cache_read_input_tokens: read },
      output_tokens: output,
    };
  }

  #isWarm(): boolean {
    return this.#world.cold !== true && this.#now - this.#cachedAt <= CACHE_LIFE_MS;
  }

  #pay(read: number, written: number, output: number): void {
    const rates = priceAt(priceOfWorld(this.#world), read + written);
    this.#usd += (read * rates.cacheRead + written * rates.cacheWrite + output * rates.output) / 1e12;
  }

  #say(message: Message): void {
    this.#messages.push(message);
    this.#tokens += sizeOf([message]);
  }

  #tell(line: Line): void {
    this.#driver?.claude(line);
    this.#obey();
  }

  #words() {
    return { prompts: [...this.#asked], file: '.context/human-input.md', room: WORDS_LENGTH };
  }

  #obeyed = 0;

  /** Does what the governor asks of claude and of its host. */
  #obey(): void {
    const driver = this.#driver;
    if (driver === undefined) return;
    while (this.#obeyed < driver.actions.length) {
      const action = driver.actions[this.#obeyed++] as Action;
      if (action.kind === 'send') this.#control(parseFields(action.line));
      if (action.kind === 'plan-exact') this.#notes = { note: NOTES.slice(0, NOTE_LENGTH), said: this.#words() };
      if (action.kind === 'write-handoff') this.#driver?.tell({ ...WRITTEN, text: action.answer ?? NOTES });
      this.#mod.obey(action);
    }
  }

  #read({ message }: Line): void {
    const text = String(fieldsOf(message).content);
    if (text.startsWith('/compact')) this.#compactAsAsked();
    else if (text === '/clear') this.#clear();
    else if (isHandoffRequest(text)) this.#writeDocument(text);
  }

  #compactAsAsked(): void {
    this.#compact('manual');
    this.#tell({
      type: 'user',
      message: { role: 'user', content: '<local-command-stdout>Compacted</local-command-stdout>' },
      isReplay: true,
      session_id: 's1',
    });
    this.#tell({ type: 'result', subtype: 'success', is_error: false, num_turns: 0, session_id: 's1' });
  }

  /** The agent answers with the document. */
  #writeDocument(request: string): void {
    this.#say(createMessage('user', request, { handle: `0 ${++this.#said}` }));
    this.#makeRoom();
    const usage = this.#call(SUMMARY_TOKENS + this.#thoughts);
    const message = {
      ...{ id: `msg_${this.#calls}`, role: 'assistant', model: this.#world.model, usage },
      content: [{ type: 'text', text: SUMMARY }],
    };
    this.#tell({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's1' });
    this.#say(createMessage('assistant', SUMMARY));
    this.#tell({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, session_id: 's1' });
  }

  #clear(): void {
    const [had, before] = [this.#messages, this.#context()];
    this.#replace([]);
    this.#files.clear();
    this.#tell({ type: 'conversation_reset', session_id: 's1' });
    const [hook] = (this.#driver?.claude(hookLine('SessionStart', { source: 'clear' })) ?? []).filter(
      ({ kind }) => kind === 'answer-hook',
    );
    const { context: given = '' } = (hook ?? {}) as Partial<HookAnswer>;
    this.#say(attached(given));
    this.#tell({ type: 'result', subtype: 'success', is_error: false, num_turns: 0, session_id: 's1' });
    this.#leave(had, before);
  }

  #control({ type, request_id: id, request }: Line): void {
    if (type !== 'control_request') return;
    const { subtype } = fieldsOf(request);
    if (subtype === 'get_context_usage') this.#tellLevel(id);
    else if (subtype === 'apply_flag_settings') this.#place(request);
  }

  #place(request: unknown): void {
    const env = fieldsOf(fieldsOf(fieldsOf(request).settings).env);
    const setting = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW ?? 0);
    const percent = Number(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE ?? 0);
    if (percent > 0) this.#trigger = ((setting - 20_000) * percent) / 100;
    else if (setting > 0) this.#trigger = Math.min(setting, this.#world.window) - NATIVE_RESERVE_TOKENS;
    else this.#trigger = this.#ownLevel();
  }

  /** Without an answer, the driver knows the window all the same. */
  #tellLevel(id: unknown): void {
    const { level, window, resumed, attached } = this.#world;
    if (level === undefined && resumed === undefined && attached === undefined) return;
    // claude underestimates the system prompt and the tools.
    const messages = this.#tokens + (attached === undefined ? 0 : this.#prefix / 3);
    const response = {
      rawMaxTokens: window,
      autoCompactThreshold: level ?? this.#ownLevel(),
      isAutoCompactEnabled: true,
      autocompactSource: level === undefined ? 'model-default' : 'env',
      totalTokens: this.#context(),
      categories: [{ id: 'messages', tokens: messages }],
    };
    this.#tell({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  }

  #ownLevel(): number {
    return levelOf(this.#world);
  }

  #compact(trigger: 'auto' | 'manual'): void {
    const before = this.#context();
    const had = this.#messages;
    const driver = this.#driver;
    const answer = this.#mod.compact(this.#messages, trigger, this.#notes);
    if (driver === undefined) this.#summarise();
    else {
      // Without the mod, claude writes a summary.
      const { kept, outcome } = answer ?? {};
      if (kept === undefined && outcome !== undefined && outcome.why !== TOO_LARGE) return;
      if (kept !== undefined) this.#replace(kept);
      else {
        this.#summarise();
        const [hook] = driver
          .claude(hookLine('SessionStart', { source: 'compact' }))
          .filter(({ kind }) => kind === 'answer-hook');
        const { context: given = '', room = GIVEN_LENGTH } = (hook ?? {}) as Partial<HookAnswer>;
        const length = Math.max(given.length + POINTER_LENGTH, Math.min(room, GIVEN_LENGTH));
        this.#say(attached(`${given}${NOTES}`.slice(0, length)));
      }
      driver.claude({ type: 'system', subtype: 'status', status: null, compact_result: 'success', session_id: 's1' });
      const post_tokens = kept === undefined ? SUMMARY_TOKENS : outcome?.after.tokens;
      const compact_metadata = { trigger, pre_tokens: before, post_tokens };
      driver.claude({ type: 'system', subtype: 'compact_boundary', session_id: 's1', compact_metadata });
    }
    this.#leave(had, before);
  }

  /** Messages have left the context. @param had they and the others */
  #leave(had: readonly Message[], before: number): void {
    const { model } = this.#world;
    this.#cached = this.#rendered === model ? Math.min(this.#cached, this.#prefix) : 0;
    this.#rendered = model;
    this.#reliefs.push({ call: this.#calls, before, landing: this.#context(), price: this.#priceOf(had, before) });
  }

  /** @param had the messages before a compaction, whose context had `tokens` */
  #priceOf(had: readonly Message[], tokens: number): number {
    const { cacheRead, cacheWrite, output } = priceAt(priceOfWorld(this.#world), tokens);
    const stays = new Set(answeredIn(this.#messages));
    const gone = answeredIn(had).flatMap((id) => (stays.has(id) ? [] : (this.#contents.get(id) ?? [])));
    const written = this.#tokens + gone.reduce((sum, size) => sum + size, 0);
    const perCall =
      tokens * (this.#world.cold === true ? cacheWrite : cacheRead) + (FETCH_OUTPUT + this.#thoughts) * output;
    return (written * cacheWrite + gone.length * perCall) / 1e12;
  }

  /** The step under way stays as it is beside the summary, for which it is not read; the last files are shown again. */
  #summarise(): void {
    this.#summaries++;
    const read = this.#isWarm() ? this.#cached : 0;
    this.#pay(read, this.#cached - read + REQUEST_TOKENS, SUMMARY_TOKENS);
    [this.#cached, this.#cachedAt] = [Math.round(this.#prefix * SYSTEM_SHARE), this.#now];
    const step = this.#messages.findLastIndex(({ role }) => role === 'assistant');
    const stays = this.#messages.slice(Math.max(0, step));
    const shown = shownAgain(this.#files, stays);
    this.#replace([createMessage('user', SUMMARY), ...stays, attached(shown.map(([, { text }]) => text).join('\n'))]);
    for (const [path, file] of shown.reverse()) this.#files.set(path, { ...file, id: '' });
  }

  #replace(messages: readonly Message[]): void {
    this.#messages = [...messages];
    this.#tokens = sizeOf(messages);
    const ids = answeredIn(messages);
    for (const [path, { id }] of this.#files) if (!ids.includes(id)) this.#files.delete(path);
  }

  #note({ tool_use_id: id, tool, input }: ToolUse, text = String(fieldsOf(input).content)): void {
    const path = String(fieldsOf(input).file_path);
    const known = this.#files.get(path);
    const changed = tool === 'Read' ? (known?.changed ?? 0) : this.#calls;
    this.#files.delete(path);
    if (tool !== 'Edit') this.#files.set(path, { id, text, changed });
    else if (known !== undefined) this.#files.set(path, { ...known, changed });
  }
}

/** With Haiku the real one compacts once the API refuses a prompt: it was seen to do so at 200,795 tokens. */
function levelOf({ model, window, level }: PlayedSetup): number {
  if (level !== undefined) return level;
  return model.includes('haiku') ? window : window - NATIVE_RESERVE_TOKENS;
}

/** Tokens of a call that fetches something. */
const FETCH_OUTPUT = 150;

function thoughtOf(tokens: number) {
  return tokens === 0 ? [] : [{ type: 'thinking', thinking: textOf('thought', tokens), signature: 'sign' }];
}

function priceOfWorld({ model }: PlayedSetup) {
  const price = priceOf(model, PRICES);
  if (price === undefined) throw new Error(`no price for ${model}`);
  return price;
}

function answeredIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ toolResults = [] }) => toolResults.map(({ tool_use_id: id }) => id));
}

/** Attachments that claude adds to a message. A mod does not get them, so an exact compaction removes them. */
function attached(text: string): Message {
  return createMessage('user', `<system-reminder>${text}</system-reminder>`);
}

/** A picture of a prompt, and its tokens. A mod does not see it: the handle of its message says how many there are. */
const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
const PICTURE_TOKENS = 1_500;

function sizeOf(messages: readonly Message[]): number {
  const pictures = messages.reduce((sum, { handle }) => sum + Number(handle?.split(' ')[0] ?? 0), 0);
  return tokensOfAll(messages) + pictures * PICTURE_TOKENS;
}

/** Files that claude shows again behind a summary (2.1.332): the last changed ones, then the last read, unless they are large. */
function shownAgain(files: ReadonlyMap<string, KnownFile>, stays: readonly Message[]): [string, KnownFile][] {
  const there = stays.flatMap(({ toolUses }) => toolUses.map(({ input }) => fieldsOf(input).file_path));
  const last = [...files].reverse().filter(([path]) => !there.includes(path));
  const shown = last.sort(([, one], [, other]) => other.changed - one.changed).slice(0, 5);
  return shown.filter(([, { text }]) => tokensOfText(text) <= 5_300);
}
