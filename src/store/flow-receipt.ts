import { join, resolve } from 'node:path';
import { fileName } from './file-name.ts';
import { readPlain } from './plain-file.ts';

/** Folder of the last receipt of each step of each flow, in the context folder. */
const RECEIPTS = 'receipts';

/** Bytes of a receipt that are read; one with a thousand items has about 300,000. */
const LIMIT = 4 * 1024 * 1024;

/** Where the last receipt of a step is, in the context folder. */
export function flowReceiptFile(flow: string, step: string): string {
  return join(RECEIPTS, fileName(flow), `${fileName(step)}.json`);
}

/**
 * The last receipt of a step, in JSON; undefined when there is none.
 *
 * @throws CtxbError `store`
 */
export function readFlowReceipt(contextDir: string, flow: string, step: string): string | undefined {
  return readPlain(resolve(contextDir, flowReceiptFile(flow, step)), LIMIT);
}
