import { countOf, type Fields, fieldsOf, textOf, textsOf } from '../stream/fields.ts';
import type { OwnEvent } from './input.ts';

/** What ctxb had to say, as a line of a record. */
export function ownEventLine(event: OwnEvent): string {
  return JSON.stringify({ ...event, type: `ctxb_${event.kind}` });
}

type Readers = { readonly [K in OwnEvent['kind']]: (fields: Fields) => Extract<OwnEvent, { readonly kind: K }> };

const READERS: Readers = {
  begin: () => ({ kind: 'begin' }),
  interrupt: () => ({ kind: 'interrupt' }),
  state: ({ to, source }) => ({ kind: 'state', to: textOf(to) ?? '', source: source === 'told' ? 'told' : 'pattern' }),
  'dead-end': ({ text }) => ({ kind: 'dead-end', text: textOf(text) ?? '' }),
  earlier: ({ entry }) => ({ kind: 'earlier', entry: fieldsOf(entry) }),
  notes: ({ path }) => ({ kind: 'notes', path: textOf(path) ?? '' }),
  'handoff-problems': ({ problems }) => ({ kind: 'handoff-problems', problems: textsOf(problems) }),
  'handoff-written': ({ path, text, by, problems }) => ({
    kind: 'handoff-written',
    path: textOf(path),
    text: textOf(text) ?? '',
    by: by === 'agent' ? 'agent' : 'memory',
    problems: textsOf(problems),
  }),
  'project-cost': ({ others, earlier }) => ({
    kind: 'project-cost',
    others: countOf(others) ?? 0,
    earlier: countOf(earlier) ?? 0,
  }),
  'cost-answer': ({ limitUsd }) => ({
    kind: 'cost-answer',
    limitUsd: typeof limitUsd === 'number' ? limitUsd : undefined,
  }),
  'file-measured': ({ requestId, file }) => ({
    kind: 'file-measured',
    requestId: textOf(requestId) ?? '',
    file: measureIn(fieldsOf(file)),
  }),
  'hook-failed': ({ requestId }) => ({ kind: 'hook-failed', requestId: textOf(requestId) ?? '' }),
  'result-stored': ({ requestId, path }) => ({
    kind: 'result-stored',
    requestId: textOf(requestId) ?? '',
    path: textOf(path),
  }),
  recovered: ({ answers, document, ...fields }) => ({
    kind: 'recovered',
    ...endIn(fields),
    answers: textsOf(answers),
    document: documentIn(fieldsOf(document)),
  }),
  exit: ({ code, signal, logged, delivered, ...fields }) => ({
    kind: 'exit',
    code: countOf(code),
    signal: textOf(signal),
    logged: logged === true,
    delivered: textsOf(delivered),
    ...endIn(fields),
  }),
};

function endIn({ finished, openTool }: Fields) {
  return { finished: finished === true, openTool: textOf(openTool) };
}

function measureIn({ lines, fitting }: Fields) {
  const [all, some] = [countOf(lines), countOf(fitting)];
  return all === undefined || some === undefined ? undefined : { lines: all, fitting: some };
}

function documentIn({ path, text }: Fields) {
  const [where, words] = [textOf(path), textOf(text)];
  return where === undefined || words === undefined ? undefined : { path: where, text: words };
}

/** The same again. A line that no version has written says nothing. */
export function readOwnEvent(fields: Fields): OwnEvent {
  const kind = textOf(fields.type)?.replace(/^ctxb_/, '') ?? '';
  return Object.hasOwn(READERS, kind) ? READERS[kind as OwnEvent['kind']](fields) : { kind: 'begin' };
}
