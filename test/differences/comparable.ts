import type { RecordedRequest } from '../support/standin/scenario.ts';
import type { Row } from './row.ts';
import type { Seen } from './run-row.ts';
import { VARIABLE_FIELDS } from './variable-fields.ts';

const KEYS = new Set(VARIABLE_FIELDS.flatMap((field) => ('keys' in field ? field.keys : [])));
const LINES = VARIABLE_FIELDS.flatMap((field) => ('line' in field ? [field.line] : []));
const TEXTS = VARIABLE_FIELDS.flatMap((field) => ('text' in field ? [field] : []));

/** A run in a form that can be compared: parsed where it is JSON, without what is another in each run. */
export function comparable(seen: Seen, row: Row): Record<string, unknown> {
  const plain = plainer(seen, row);
  const { stdout, stderr, exit, requests } = seen;
  return { stdout: parsed(plain(stdout)), stderr: plain(stderr), exit, request: byKind(requests, plain) };
}

/** Replaces the folder and the address of the run, and all variable texts that the caller did not give himself. */
function plainer({ folder, url }: Seen, row: Row): (text: string) => string {
  const given = JSON.stringify(row);
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  const { host } = new URL(url);
  return (text) =>
    TEXTS.reduce(
      (plain, field) => plain.replace(field.text, (found) => (given.includes(found) ? found : stand(field, found))),
      text.replaceAll(url, 'URL').replaceAll(host, 'HOST').replaceAll(name, 'FOLDER'),
    );
}

function stand({ text, stands }: (typeof TEXTS)[number], found: string): string {
  return found.replace(new RegExp(text.source), stands);
}

/** Lines of JSON as their values; anything else as it is. */
function parsed(text: string): unknown {
  const lines = text.split('\n').filter(Boolean);
  try {
    return lines.length === 0 ? text : lines.map(withoutVariables).filter((line) => !isVariable(line));
  } catch {
    return text;
  }
}

function isVariable(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'subtype' in line && LINES.includes(String(line.subtype));
}

/** What an agent asks and what the main conversation asks go side by side; questions for a count go all at once. */
function byKind(requests: readonly RecordedRequest[], plain: (text: string) => string): Record<string, unknown> {
  const kinds = [...new Set(requests.map(({ kind }) => kind))].sort();
  return Object.fromEntries(
    kinds.map((kind) => {
      const bodies = requests.filter((request) => request.kind === kind).map(({ body }) => plain(JSON.stringify(body)));
      return [kind, (kind === 'count' ? bodies.sort() : bodies).map(withoutVariables)];
    }),
  );
}

function withoutVariables(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (KEYS.has(key) ? null : value));
}
