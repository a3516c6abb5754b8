import type { Input, OwnEvent } from '../../governor/input.ts';
import type { GovernorState } from '../../governor/state.ts';
import { isNotice, textsOf } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import type { Entry, PromptEntry, RemarkEntry, StateEntry, TaskEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { createStates, createTaskList } from './session-state.ts';
import { type EndedCall, type OpenCall, readOutcome } from './tool-calls.ts';

/** A fact as it was found: not masked yet; a tool call is joined with its result. */
export type Found = PromptFound | StateEntry | TaskEntry | RemarkEntry | EndedCall;

type PromptFound = Omit<PromptEntry, 'text'> & { readonly texts: readonly string[] };

export interface ExtractOptions {
  /** The times of the inputs are when they came, not only what a recording says. */
  readonly live: boolean;
}

/** Calls whose result never came (interrupted turns) are forgotten, oldest first. */
const MAX_OPEN_CALLS = 1_000;

/** Finds the facts in a stream of inputs, as they come. Grows in place; its size is bounded. */
export function createExtractor(options: ExtractOptions) {
  const open = new Map<string, OpenCall>();
  const agents = new Map<string, string>();
  const tasks = createTaskList();
  const states = createStates();
  let cwd: string | undefined;
  let callerSpeaks = false;

  const timeOf = (input: Input, event: Event) =>
    ('timestamp' in event ? event.timestamp : undefined) ?? (options.live ? input.t : undefined);

  function assistant(event: AssistantEvent, t: number | undefined): readonly Found[] {
    if (event.synthetic) return [];
    const { subagent, blocks } = event;
    if (subagent === null) cwd = event.cwd ?? cwd;
    for (const block of blocks) if (block.type === 'tool_use') begin(block, subagent, t);
    if (subagent !== null) return [];
    return states.see(event, t ?? 0);
  }

  function begin(use: OpenCall['use'], subagent: string | null, t: number | undefined): void {
    // A subagent by what it was asked to do, where its beginning was seen.
    const agent = subagent === null ? null : (agents.get(subagent) ?? subagent);
    const call = { use, agent, t, cwd: subagent === null ? cwd : undefined, root: cwd };
    remember(open, use.id, call, MAX_OPEN_CALLS);
    if (use.name !== 'Task' && use.name !== 'Agent') return;
    const description = textOf(fieldsOf(use.input).description);
    if (description !== undefined) remember(agents, use.id, description, MAX_OPEN_CALLS);
  }

  function end(result: EndedCall['result'], report: unknown, t: number | undefined): Found[] {
    const call = open.get(result.toolUseId);
    if (call === undefined) return [];
    open.delete(result.toolUseId);
    const { name } = call.use;
    const ended: EndedCall = { kind: 'call', call, result, report, t, ...readOutcome(name, result, report) };
    if (ended.outcome !== 'ok') return [ended];
    return [ended, ...(call.agent === null ? states.called(name, t ?? 0) : []), ...tasks.add(ended)];
  }

  function user(event: UserEvent, t: number | undefined): readonly Found[] {
    if (event.role === 'tool-result') {
      return event.blocks.flatMap((block) => (block.type === 'tool_result' ? end(block, event.toolReport, t) : []));
    }
    if (event.subagent !== null) return [];
    const spoken = event.role === 'prompt' && !callerSpeaks ? [prompt(event, t ?? 0)] : [];
    return [...states.see(event, t ?? 0), ...spoken];
  }

  function fromClaude(event: Event, input: Input): readonly Found[] {
    const t = timeOf(input, event);
    if (event.kind === 'assistant') return assistant(event, t);
    if (event.kind === 'user') return user(event, t);
    if (event.kind === 'init') cwd = event.cwd ?? cwd;
    return states.see(event, t ?? 0);
  }

  function own(event: OwnEvent, t: number): readonly Found[] {
    if (event.kind === 'state') return states.work(event.to, t);
    return event.kind === 'dead-end' ? [{ kind: 'remark', t, text: event.text, source: 'told' }] : [];
  }

  return {
    earlier(entry: Entry): void {
      if (entry.kind === 'task') tasks.earlier(entry);
    },
    add(input: Input): readonly Found[] {
      if (input.from === 'claude') return fromClaude(input.event, input);
      if (input.from === 'ctxb') return own(input.event, input.t);
      if (input.from !== 'caller' || input.event.kind !== 'user') return [];
      callerSpeaks = true;
      const { event, t } = input;
      return event.blocks.length === 0 || event.role === 'tool-result' ? [] : [prompt(event, t)];
    },
  };
}

function prompt({ blocks }: UserEvent, t: number): PromptFound {
  const pictures = blocks.filter(({ type }) => type === 'image' || type === 'document').length;
  const own = blocks.filter((block) => block.type !== 'text' || block.text.trim() === '' || !isNotice(block.text));
  return { kind: 'prompt', t, texts: textsOf(own), pictures };
}

/** Keeps back what was found in prompts that wait in ctxb, until they go to claude: the notes are of what was said. */
export function createPromptQueue() {
  let held: { readonly event: Input['event']; readonly found: readonly Found[] }[] = [];
  return {
    /** @param state after the input was judged */
    pass({ event, from, t }: Input, found: readonly Found[], { mailbox }: GovernorState): readonly Found[] {
      const waits = (prompt: Input['event']) => mailbox.waiting.some((waiting) => waiting.event === prompt);
      const sent = held
        .filter((each) => !waits(each.event))
        .flatMap((each) => each.found.map((one) => ({ ...one, t })));
      held = held.filter((each) => waits(each.event));
      if (from !== 'caller' || found.length === 0 || !waits(event)) return [...found, ...sent];
      held.push({ event, found });
      return sent;
    },
  };
}
