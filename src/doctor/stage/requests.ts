import type { RecordedRequest, RequestKind } from '../../standin/scenario.ts';
import type { Seen } from './scene.ts';

/** Requests of the main conversation, or of another kind, in order. */
export function requestsOf({ requests }: Pick<Seen, 'requests'>, kind: RequestKind = 'main'): RecordedRequest[] {
  return requests.filter((request) => request.kind === kind);
}

/** Whether a request holds these words, wherever: in a prompt, in the result of a tool, in a reminder of claude's. */
export function holds(request: RecordedRequest | undefined, words: string): boolean {
  return JSON.stringify(request?.body.messages ?? []).includes(JSON.stringify(words).slice(1, -1));
}

/** The first request of the main conversation that holds these words. */
export function requestWith(seen: Seen, words: string): RecordedRequest | undefined {
  return requestsOf(seen).find((request) => holds(request, words));
}
