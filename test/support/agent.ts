import { ASKED, DOCUMENT } from './handoff.ts';
import type { Call, RecordedRequest, RequestMessage, Scenario } from './standin/scenario.ts';

/** An agent that continues its work wherever its process was killed. */
export interface AgentPlan {
  /** Calls of each turn; all but the last use a tool. */
  readonly turns: readonly number[];
  readonly growBy: number;
  /** Context of the first call of any conversation, in tokens. */
  readonly from?: number;
  /** Milliseconds that each answer takes. */
  readonly callMs?: number;
  /** Milliseconds that a summary takes. */
  readonly summaryMs?: number;
}

/** Words that ctxb says to the agent. */
const RESUME = 'Go on from where the work stands.';
const WRAP_UP = 'This is your last turn';
const BRIEFING = 'Answer only: OK';

/** Beginnings of a fresh context. */
const HANDED_OVER = 'The context before this one was full';
const SUMMARY = 'SUMMARY: what was done so far.';

/** The prompt with this number, with what is easily lost on the way. */
export function promptText(number: number): string {
  return number % 2 === 1 ? `prompt ${number}: α "quoted" \\n` : `prompt ${number}\nwith two lines`;
}

/** The purpose of a request. */
export type Wanted = 'prompt' | 'document' | 'resume' | 'wrap-up' | 'briefing' | 'nothing';

export function wantedBy(request: RecordedRequest): Wanted {
  return (
    textsOf(request)
      .reverse()
      .map(wantedIn)
      .find((wanted) => wanted !== 'nothing') ?? 'nothing'
  );
}

function wantedIn(text: string): Wanted {
  if (numberOf(text) > 0) return 'prompt';
  if (text.includes(ASKED)) return 'document';
  if (text.includes(RESUME)) return 'resume';
  if (text.includes(WRAP_UP)) return 'wrap-up';
  return text.includes(BRIEFING) ? 'briefing' : 'nothing';
}

/** Number of the newest prompt in a request; 0: it holds none. */
export function newestPrompt(request: RecordedRequest): number {
  return Math.max(0, ...textsOf(request).map(numberOf));
}

function numberOf(text: string): number {
  return Number(/^prompt (\d+)/.exec(text)?.[1] ?? 0);
}

/** Whether a request begins with what is left of an earlier context. */
export function isTold({ body }: RecordedRequest): boolean {
  const text = JSON.stringify(body.messages);
  return text.includes(HANDED_OVER) || text.includes(SUMMARY);
}

/** The user's text blocks. claude ends one with a line feed where it joins another to it. */
export function textsOf({ body }: RecordedRequest): string[] {
  return (body.messages ?? [])
    .filter(({ role }: RequestMessage) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : Array.isArray(content) ? content : []))
    .flatMap((block: unknown) => {
      if (typeof block === 'string') return [block];
      const { type, text } = block as { type?: unknown; text?: unknown };
      return type === 'text' ? [String(text).replace(/\n$/, '')] : [];
    });
}

/** Does every step once, as what it has done stays done, and answers prompt N with `answer N`. */
export function agent({ turns, growBy, from = 30_000, callMs = 0, summaryMs = 0 }: AgentPlan): Scenario {
  const done = new Map<number, number>();
  let current = 0;

  function work(): Call {
    const steps = (done.get(current) ?? 0) + 1;
    if (steps >= (turns[current - 1] ?? 1)) return { text: `answer ${current}` };
    done.set(current, steps);
    const input = { command: `touch turn-${current}-step-${steps}`, description: 'A step' };
    return { tools: [{ name: 'Bash', input }] };
  }

  function answer(request: RecordedRequest): Call {
    const wanted = wantedBy(request);
    current = Math.max(current, newestPrompt(request));
    if (wanted === 'document') return { text: DOCUMENT };
    if (wanted === 'wrap-up') return { text: `wrapped up ${current}` };
    if (wanted === 'briefing') return { text: 'OK' };
    // After a compaction in mid-turn, the prompt is in the text that ctxb hands back.
    return wanted === 'nothing' && !isTold(request) ? { text: 'nothing was asked' } : work();
  }

  return {
    calls: (request) => {
      const answers = (request.body.messages ?? []).filter(({ role }) => role === 'assistant').length;
      return { ...answer(request), context: from + growBy * answers, delayMs: callMs };
    },
    summary: { text: `<summary>${SUMMARY}</summary>`, delayMs: summaryMs },
  };
}
