import type { RecordedRequest, RequestKind } from '../../standin/scenario.ts';
import type { Standin } from '../../standin/server.ts';

/** Requests of the main conversation so far, or of another kind. */
export function requestsOf({ requests }: Standin, kind: RequestKind = 'main'): RecordedRequest[] {
  return requests.filter((request) => request.kind === kind);
}

/** Whether a request holds these words, wherever: in a prompt, in the result of a tool, in a reminder of claude's. */
export function holds(request: RecordedRequest | undefined, words: string): boolean {
  return JSON.stringify(request?.body.messages ?? []).includes(JSON.stringify(words).slice(1, -1));
}
