import { basename } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { lineDiff } from '../../report/line-diff.ts';
import { readUserFile, replaceUserFile } from '../../store/files/user-file.ts';
import { readFlowReceipt } from '../../store/runs/flow-run.ts';
import type { BudgetWorld } from '../effective.ts';
import { MAX_FILE_BYTES } from '../file/flow-files.ts';
import { checkFlow } from '../file/read-flow.ts';
import { readReceipt } from '../step-receipt.ts';
import { editedKey, editFlow, ownBudgets } from './edit-flow.ts';
import type { Studio } from './studio-server.ts';
import { type Edit, flowView, type StepView, type StudioView } from './studio-view.ts';

/** Where a flow's receipts are, and the settings it is shown with. */
interface Place extends BudgetWorld {
  readonly contextDir: string;
  /** Overrides the profile that the flow names. */
  readonly profile?: string | undefined;
}

/**
 * Edits a flow file. Reads the file for each request, to detect changes by other programs.
 *
 * @param path absolute path of the flow file
 */
export function createFileStudio(path: string, place: Place): Studio {
  const read = () => readUserFile(path, MAX_FILE_BYTES);
  const check = (text: string) => checkFlow(path, text, { profile: place.profile });

  /** Edits with invalid values become findings; the view then shows the other edits only. */
  function view(edits: readonly Edit[]): StudioView {
    const { text: before, hash } = read();
    const base = { file: basename(path), hash, diff: [] };
    const known = check(before);
    if (known.flow === undefined) return { ...base, findings: known.findings, flow: undefined };
    const all = editFlow(path, before, edits);
    const { findings, flow } = check(all);
    const bad = new Set(findings.map(({ key }) => key));
    const good = edits.filter((edit) => !bad.has(editedKey(path, before, edit)));
    const text = flow === undefined ? editFlow(path, before, good) : all;
    const shown = flow ?? check(text).flow ?? known.flow;
    const { contextDir, global, window } = place;
    return {
      ...base,
      findings,
      diff: lineDiff(before, text),
      flow: flowView(shown, {
        global,
        window,
        ownBudgets: ownBudgets(path, text),
        receiptOf: (step) => receiptOf(contextDir, shown.name, step),
      }),
    };
  }

  return {
    view,
    save(edits, hash) {
      const file = read();
      if (file.hash !== hash) return 'changed';
      const edited = editFlow(path, file.text, edits);
      const [finding] = check(edited).findings;
      if (finding !== undefined) throw new CtxbError('usage', `nothing was written: ${finding.message}`);
      return edited === file.text || replaceUserFile(path, edited, { hash, limit: MAX_FILE_BYTES })
        ? 'saved'
        : 'changed';
    },
  };
}

/** An unreadable receipt is reported at its step. */
function receiptOf(contextDir: string, flow: string, step: string): StepView['receipt'] {
  try {
    const json = readFlowReceipt(contextDir, flow, step);
    return json === undefined ? undefined : (readReceipt(json) ?? { fault: 'its receipt is not one that can be read' });
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error.message };
    throw error;
  }
}
