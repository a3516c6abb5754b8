import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { parsed } from '../../stream/fields.ts';
import { budgets } from '../file/flow-schema.ts';
import type { BudgetKey } from './studio-view.ts';

/** Edits of a thousand steps have fewer bytes. */
const LIMIT = 1024 * 1024;

const keys = Object.keys(budgets.entries) as BudgetKey[];

const requestSchema = v.object({
  // Of the file that the edits are made for; without it they are for whatever is there.
  hash: v.optional(v.string()),
  edits: v.array(
    v.object({ step: v.nullable(v.string()), key: v.picklist(keys), value: v.pipe(v.string(), v.maxLength(100)) }),
  ),
});

/** What the page asks for: a view of the file with edits, or to write them. */
export type StudioRequest = v.InferOutput<typeof requestSchema>;

/** undefined: it is none of the page's. */
export async function readRequest(request: IncomingMessage): Promise<StudioRequest | undefined> {
  // A form of another site could send anything else without asking the browser.
  if (request.headers['content-type'] !== 'application/json') return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  // Destroyed, it could not be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LIMIT) return undefined;
    chunks.push(chunk);
  }
  const { success, output } = v.safeParse(requestSchema, parsed(Buffer.concat(chunks).toString('utf8')));
  return success ? output : undefined;
}
