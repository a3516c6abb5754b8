import type { Input, OwnEvent } from '../../governor/input.ts';
import { textsOf } from '../../protocol/blocks.ts';
import type { AssistantEvent, Block, Event, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { isNotice } from '../../protocol/user-role.ts';
import type { Entry, PromptEntry, RemarkEntry, StateEntry, TaskEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { LONG_LINE_LENGTH, oneLine } from '../words.ts';
import { createStates } from './states.ts';
import { createTaskList } from './task-list.ts';
import type { EndedCall, OpenCall } from './tool-calls.ts';
import { readOutcome } from './tool-calls.ts';

/** A fact as it was found: not masked yet; a tool call is joined with its result. */
export type Found = PromptFound | StateEntry | TaskEntry | RemarkEntry | EndedCall;

/** The text is that of its blocks. */
export type PromptFound = Omit<PromptEntry, 'text'> & { readonly texts: readonly string[] };

export interface ExtractOptions {
  /** The times of the inputs are when they came, not only what a recording says. */
  readonly live: boolean;
  /** Regular expressions of the user's over what the agent says. A named group, where there is one, is what counts. */
  readonly statePattern: string | undefined;
  readonly deadEndPattern: string | undefined;
}

/** Finds the facts in a stream of inputs, as they come. Grows in place; its size is bounded. */
export interface Extractor {
  /** What one input adds. */
  add(input: Input): readonly Found[];
  /** An entry of an earlier run of the same session. */
  earlier(entry: Entry): void;
}

const NOTHING: readonly Found[] = [];

/** Calls whose result never came (interrupted turns) are forgotten, oldest first. */
const MAX_OPEN_CALLS = 1_000;

export function createExtractor(options: ExtractOptions): Extractor {
  const open = new Map<string, OpenCall>();
  const agents = new Map<string, string>();
  const tasks = createTaskList();
  const states = createStates();
  const statesIn = createPatternReader(options.statePattern);
  const deadEndsIn = createPatternReader(options.deadEndPattern);
  let cwd: string | undefined;
  let callerSpeaks = false;

  const timeOf = (input: Input, { timestamp }: { readonly timestamp?: number | undefined }) =>
    timestamp ?? (options.live || input.from !== 'claude' ? input.t : undefined);

  function assistant(event: AssistantEvent, t: number | undefined): readonly Found[] {
    if (event.synthetic) return NOTHING;
    const { subagent, blocks } = event;
    if (subagent === null) cwd = event.cwd ?? cwd;
    for (const block of blocks) if (block.type === 'tool_use') begin(block, subagent, t);
    return subagent === null ? spoken(event, t ?? 0) : NOTHING;
  }

  function spoken({ model, blocks }: AssistantEvent, t: number): readonly Found[] {
    return [
      ...states.model(model, t),
      ...blocks.flatMap((block) => (block.type === 'text' ? said(block.text, t) : [])),
    ];
  }

  function said(text: string, t: number): Found[] {
    const state = statesIn(text).at(-1);
    const remarks = deadEndsIn(text).map((found): Found => ({ kind: 'remark', t, text: found, source: 'pattern' }));
    return state === undefined ? remarks : [...states.work(state, t), ...remarks];
  }

  function begin(use: OpenCall['use'], subagent: string | null, t: number | undefined): void {
    remember(
      open,
      use.id,
      { use, agent: agentOf(subagent), t, cwd: subagent === null ? cwd : undefined, root: cwd },
      MAX_OPEN_CALLS,
    );
    if (use.name !== 'Task' && use.name !== 'Agent') return;
    const description = textOf(fieldsOf(use.input).description);
    if (description !== undefined) remember(agents, use.id, description, MAX_OPEN_CALLS);
  }

  /** A subagent by what it was asked to do, where its beginning was seen. */
  function agentOf(id: string | null): string | null {
    return id === null ? null : (agents.get(id) ?? id);
  }

  function results(event: UserEvent, t: number | undefined): readonly Found[] {
    const found: Found[] = [];
    for (const block of event.blocks) {
      if (block.type === 'tool_result') found.push(...end(block, event.toolReport, t));
    }
    return found;
  }

  function end(
    result: Extract<Block, { readonly type: 'tool_result' }>,
    report: unknown,
    t: number | undefined,
  ): Found[] {
    const call = open.get(result.toolUseId);
    if (call === undefined) return [];
    open.delete(result.toolUseId);
    const { name, input } = call.use;
    const { agent } = call;
    const ended: EndedCall = { kind: 'call', call, result, report, t, ...readOutcome(name, result, report) };
    if (ended.outcome !== 'ok') return [ended];
    const change = { t: t ?? 0, name, agent, input, text: result.text, report };
    return [ended, ...states.tool(name, agent, change.t), ...tasks.add(change)];
  }

  function user(event: UserEvent, input: Input): readonly Found[] {
    const t = timeOf(input, event);
    if (event.role === 'tool-result') return results(event, t);
    if (event.subagent !== null) return NOTHING;
    const spoken = event.role === 'prompt' && !callerSpeaks ? [prompt(event, t ?? 0)] : [];
    return [...states.mode(event.permissionMode, t ?? 0), ...spoken];
  }

  function fromClaude(event: Event, input: Input): readonly Found[] {
    switch (event.kind) {
      case 'assistant':
        return assistant(event, timeOf(input, event));
      case 'user':
        return user(event, input);
      case 'init':
        cwd = event.cwd ?? cwd;
        return states.init(event, timeOf(input, event) ?? 0);
      case 'mode':
      case 'boundary':
      case 'reset':
        return states.change(event, timeOf(input, event) ?? 0);
      default:
        return NOTHING;
    }
  }

  function own(event: OwnEvent, t: number): readonly Found[] {
    if (event.kind === 'state' && event.source === 'told') return states.work(event.to, t);
    return event.kind === 'dead-end' ? [{ kind: 'remark', t, text: event.text, source: 'told' }] : NOTHING;
  }

  return {
    earlier(entry) {
      if (entry.kind === 'task') tasks.earlier(entry);
    },
    add(input) {
      if (input.from === 'claude') return fromClaude(input.event, input);
      if (input.from === 'ctxb') return own(input.event, input.t);
      if (input.from !== 'caller' || input.event.kind !== 'user') return NOTHING;
      callerSpeaks = true;
      const { event, t } = input;
      return event.blocks.length === 0 || event.role === 'tool-result' ? NOTHING : [prompt(event, t)];
    },
  };
}

function prompt({ blocks }: UserEvent, t: number): PromptFound {
  const pictures = blocks.filter(({ type }) => type === 'image' || type === 'document').length;
  return {
    kind: 'prompt',
    t,
    texts: textsOf(
      blocks.filter((block) => block.type !== 'text' || block.text.trim() === '' || !isNotice(block.text)),
    ),
    pictures,
  };
}

/** More matches than this in one text say that the pattern matches too much. */
const MAX_FOUND = 20;

/** What a pattern finds in a text, each on one line. Agents write their markers at the beginning of a line. */
function createPatternReader(source: string | undefined): (text: string) => string[] {
  if (source === undefined) return () => [];
  const pattern = new RegExp(source, 'gm');
  return (text) =>
    [...text.matchAll(pattern)]
      .slice(-MAX_FOUND)
      .map((match) => Object.values(match.groups ?? {}).find((group) => group !== undefined) ?? match[1] ?? match[0])
      .map((found) => oneLine(found, LONG_LINE_LENGTH))
      .filter((found) => found !== '');
}
