import type { Receipt } from '../../core/governor/decisions.ts';
import type { HookAnswer } from '../../core/governor/effects.ts';
import type { GovernorState, Run } from '../../core/governor/state.ts';
import { createMemory } from '../../core/memory/memory.ts';
import {
  commandFact,
  type Fact,
  holds,
  pathFact,
  type Searchable,
  searchable,
} from '../../core/memory/notebook/fact.ts';
import { remember } from '../../core/memory/remember.ts';
import type { Mask } from '../../core/memory/words.ts';
import { plainText } from '../../core/protocol/blocks.ts';
import type { Block } from '../../core/protocol/events.ts';
import { fieldsOf, textOf } from '../../core/protocol/fields.ts';
import type { NeededTally, ReliefSeen } from '../items-seen.ts';
import type { Seen } from './seen.ts';

/** Calls after a relief in which something seen before it counts as needed. */
const NEEDED_CALLS = 40;

/** Of what was seen in results the newest is remembered. */
const MAX_SEEN = 20_000;
const RESULT_LENGTH = 100_000;

const LOST: HookAnswer = { kind: 'answer-hook', requestId: '', hook: 'SessionStart', output: {}, recall: 'lost' };

interface OpenRelief {
  readonly relief: Omit<ReliefSeen, 'needed'>;
  readonly claude: Searchable;
  readonly ctxb: Searchable;
  /** Number of the last call in which something counts as needed. */
  readonly until: number;
  readonly known: ReadonlyMap<string, Fact>;
  readonly needed: Map<string, Fact>;
}

/**
 * For each relief: what was known before it, and what of that the next calls used.
 *
 * @param recorded whether the run wrote receipts itself; else its notes are made here, and asked what they would hand back
 */
export function createRetention({ run, mask, recorded }: { run: Run; mask: Mask; recorded: boolean }) {
  const memory = recorded ? undefined : createMemory({ run, mask });
  const known = new Map<string, Fact>();
  const reliefs: ReliefSeen[] = [];
  const fresh = { claude: [] as string[], ctxb: [] as string[] };
  let open: OpenRelief | undefined;
  let isFollowed = false;
  /** The context was replaced, and no request was made with the new one. */
  let isFresh = false;

  function close(): void {
    if (open !== undefined) reliefs.push({ ...open.relief, needed: neededOf(open) });
    open = undefined;
  }

  function settle(receipt: Receipt, at: Pick<ReliefSeen, 'call' | 'line'>): void {
    close();
    const { relief, all, kept, given, gone } = receipt;
    open = {
      relief: { relief, actual: recorded, ...at, all, kept, given, gone },
      claude: searchable(fresh.claude.join('\n')),
      ctxb: searchable(fresh.ctxb.join('\n')),
      until: at.call + NEEDED_CALLS - 1,
      known: new Map(known),
      needed: new Map(),
    };
    fresh.claude = [];
    fresh.ctxb = [];
    isFresh = false;
  }

  function follow({ input, after, line }: Seen): void {
    if (memory === undefined) return;
    if (!isFollowed) memory.add({ t: 0, from: 'ctxb', event: { kind: 'notes', path: 'notes' } }, after);
    isFollowed = true;
    if (input.event.kind === 'boundary') handedBack(memory.answer(LOST, after).output);
    for (const decision of memory.add(input, after).decisions) {
      if (decision.kind === 'receipt') settle(decision, { call: after.gauge.calls, line });
    }
  }

  function handedBack(output: object): void {
    const text = textOf(fieldsOf(fieldsOf(output).hookSpecificOutput).additionalContext);
    if (text !== undefined) fresh.ctxb.push(text);
  }

  function use(block: Block, { gauge }: GovernorState): void {
    if (block.type !== 'tool_use') return;
    for (const [key, fact] of usedIn(block)) {
      const seen = open?.known.get(key);
      if (open !== undefined && gauge.calls <= open.until && seen !== undefined) open.needed.set(key, seen);
      if (fact.kind === 'commands') remember(known, key, fact, MAX_SEEN);
    }
  }

  function read(event: Seen['input']['event'], state: GovernorState): void {
    if ((event.kind !== 'user' && event.kind !== 'assistant') || event.subagent !== null) return;
    for (const block of event.blocks) {
      use(block, state);
      if (block.type !== 'tool_result') continue;
      for (const [key, fact] of factsIn(block.text.slice(0, RESULT_LENGTH))) remember(known, key, fact, MAX_SEEN);
    }
    if (isFresh && event.kind === 'user' && event.role !== 'tool-result') fresh.claude.push(plainText(event.blocks));
  }

  return {
    see(seen: Seen): void {
      const { event } = seen.input;
      if (event.kind === 'boundary' || event.kind === 'reset') {
        fresh.claude = [];
        isFresh = true;
      }
      follow(seen);
      if (open !== undefined && seen.after.gauge.calls > open.until) close();
      read(event, seen.after);
    },
    /** The record of a run: what it handed back itself. */
    handedBack,
    /** The record of a run: the receipt that it wrote. */
    receipt: settle,
    found(): readonly ReliefSeen[] {
      close();
      return reliefs;
    },
  };
}

/** Paths, and figures that tell something apart: a port, a line, an id. */
const PATH = /(?<![\w./@~-])(?:[~/]|\.{1,2}\/)?(?:[\w.@-]+\/)+[\w.@-]*\w|(?<![\w./@~-])[\w-]+\.[a-z]{1,4}(?![\w/])/g;
const FIGURE = /(?<![\w.-])(?:\d{3,}|(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40})(?![\w.-]|:\d)/g;

function factsIn(text: string): Map<string, Fact> {
  const facts = new Map<string, Fact>();
  for (const [path] of text.matchAll(PATH)) facts.set(`path ${path}`, pathFact(path, false));
  for (const [figure] of text.matchAll(FIGURE)) {
    facts.set(`figure ${figure}`, { kind: 'numbers', name: figure, whole: figure, isPath: true });
  }
  return facts;
}

/** What is written, not what it is written for. */
const CONTENT = new Set('content old_string new_string new_source edits description prompt todos'.split(' '));

function usedIn({ name, input }: Extract<Block, { readonly type: 'tool_use' }>): Map<string, Fact> {
  const used = new Map<string, Fact>();
  for (const [field, value] of Object.entries(fieldsOf(input))) {
    if (CONTENT.has(field) || typeof value !== 'string') continue;
    for (const [key, fact] of factsIn(value)) used.set(key, fact);
    if (name === 'Bash' && field === 'command') used.set(`command ${value}`, commandFact('commands', value));
  }
  return used;
}

function neededOf({ needed, claude, ctxb }: OpenRelief): ReliefSeen['needed'] {
  const all = [...needed.values()];
  const still = all.filter((fact) => holds(claude, fact));
  const given = all.filter((fact) => !still.includes(fact) && holds(ctxb, fact));
  return { all: tally(all), kept: tally([...still, ...given]), given: tally(given) };
}

function tally(facts: readonly Fact[]): NeededTally {
  const count = (kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind).length;
  return { paths: count('paths'), commands: count('commands'), numbers: count('numbers') };
}
