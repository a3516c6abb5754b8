import type { OwnEvent } from '../core/governor/input.ts';
import { readAsk } from '../core/governor/own-events.ts';
import { parseFields, stringOf } from '../core/protocol/fields.ts';
import { type Faults, orReport } from '../store/files/store-error.ts';
import type { Inbox } from '../store/runs/inbox.ts';

/** Milliseconds between two looks into the inbox while claude and the caller are silent. */
const LOOK_MS = 250;

export function createMail(inbox: Inbox | undefined, onFault: Faults) {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const endWith: Faults = (consequence, error) => {
    isOver = true;
    onFault(consequence, error);
  };

  const read = () => inbox?.drain().flatMap(readLine);
  const drain = (): readonly OwnEvent[] =>
    (isOver ? undefined : orReport(endWith, 'no more notes and requests are read', read)) ?? [];

  return {
    /** Events from the lines left since the last call; feed them before processing the next input. */
    drain,
    watch(tell: (events: readonly OwnEvent[]) => void): void {
      timer = setInterval(() => tell(drain()), LOOK_MS).unref();
    },
    answer: (id: string, answer: object): void =>
      orReport(endWith, 'a request from outside is not answered', () => inbox?.answer(id, answer)),
    close(): void {
      clearInterval(timer);
      orReport(endWith, 'the inbox of this run is not removed', () => inbox?.dispose());
    },
  };
}

function readLine(line: string): OwnEvent[] {
  const { kind, text, ask, id } = parseFields(line);
  const request = kind === 'ask' ? readAsk(ask) : undefined;
  if (request !== undefined) return [{ kind: 'ask', ask: request, by: { from: 'command', id: stringOf(id) } }];
  const messageText = stringOf(text);
  if (messageText === '') return [];
  if (kind === 'state') return [{ kind, to: messageText }];
  return kind === 'dead-end' ? [{ kind, text: messageText }] : [];
}
