import { CtxbError } from '../../errors.ts';
import { readFlowReceipt } from '../../store/flow-receipt.ts';
import { readUserFile, replaceUserFile } from '../../store/user-file.ts';
import { checkFlow } from '../file/read-flow.ts';
import { MAX_FILE_BYTES } from '../file/read-text.ts';
import { editFlow } from './edit-flow.ts';
import { makeView, type ViewWorld } from './make-view.ts';
import { receiptView } from './receipt-view.ts';
import type { StudioRequest } from './request.ts';
import type { Studio } from './studio-server.ts';

/**
 * Edits one flow file. It is read anew for every request, so that whatever else changes it is noticed.
 *
 * @param path absolute
 * @param contextDir where the receipts are
 */
export function createFileStudio(
  path: string,
  { contextDir, ...place }: Omit<ViewWorld, 'receiptOf'> & { readonly contextDir: string },
): Studio {
  const world: ViewWorld = { ...place, receiptOf: (flow, step) => readReceipt(contextDir, flow, step) };
  const read = () => ({ path, ...readUserFile(path, MAX_FILE_BYTES) });
  const view: Studio['view'] = ({ hash, edits }) => {
    const file = read();
    return isOther(file.hash, hash) ? 'changed' : makeView(file, edits, world);
  };
  return {
    view,
    save({ hash, edits }) {
      const file = read();
      // What is not known to be for this file is not written.
      if (file.hash !== hash) return 'changed';
      const text = editFlow(path, file.text, edits);
      const [finding] = checkFlow(path, text).findings;
      if (finding !== undefined) throw new CtxbError('usage', `nothing was written: ${finding.message}`);
      return replaceUserFile(path, text, { hash: file.hash, limit: MAX_FILE_BYTES }) ? view({ edits: [] }) : 'changed';
    },
  };
}

function isOther(hash: string, known: StudioRequest['hash']): boolean {
  return known !== undefined && known !== hash;
}

/** What cannot be read is said at its step, and the page is there all the same. */
function readReceipt(contextDir: string, flow: string, step: string): ReturnType<ViewWorld['receiptOf']> {
  try {
    const json = readFlowReceipt(contextDir, flow, step);
    return json === undefined ? undefined : receiptView(json);
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error.message };
    throw error;
  }
}
