import { basename } from 'node:path';
import { BUDGET_FIELDS } from '../../config/config.ts';
import { isCtxbError } from '../../errors.ts';
import { readUserFile, replaceUserFile } from '../../store/files/user-file.ts';
import { MAX_FILE_BYTES } from '../file/flow-files.ts';
import { checkFlow } from '../file/read-flow.ts';
import type { Flow } from '../flow.ts';
import type { FlowView } from '../report/explain.ts';
import { type Edit, editFlow } from './edit-flow.ts';

export type Form = ReadonlyMap<string, string>;

/** The content of the page: the flow as in the file, or with the values of the form, as a preview. */
export interface StudioView extends FlowView {
  readonly file: string;
  /** Hash of the file. The form sends it back, so that it changes this version only. */
  readonly hash: string;
  readonly flow: Flow;
  readonly form: Form;
  readonly isChanged: boolean;
  /** For HTTP; 303 after the file was written. */
  readonly status: number;
  readonly message?: string;
}

export type Studio = ReturnType<typeof createStudio>;

/** Shows and changes the budgets of a file. Reads the file for each request, because other programs may change it. */
export function createStudio(path: string, profile: string | undefined, lookAt: (flow: Flow) => FlowView) {
  const flowIn = (text: string) => checkFlow(path, text, { profile });

  /** @throws CtxbError if the file cannot be read, or is not a valid flow */
  return (form: Form = new Map()): StudioView => {
    const { text, hash } = readUserFile(path, MAX_FILE_BYTES);
    const flow = flowIn(text);
    const viewOf = (shown: Flow, rest: Partial<StudioView> = {}): StudioView => {
      const file = basename(path);
      return { file, hash, flow: shown, ...lookAt(shown), form, isChanged: false, status: 200, ...rest };
    };
    if (form.size === 0) return viewOf(flow);
    const isMine = form.get('hash') === hash;
    try {
      const edited = editFlow(path, text, editsIn(form, flow));
      const shown = flowIn(edited);
      if (isMine && form.get('action') !== 'save') return viewOf(shown, { isChanged: edited !== text });
      if (isMine && replaceUserFile(path, edited, { hash, limit: MAX_FILE_BYTES })) {
        return viewOf(shown, { status: 303 });
      }
      const message = 'The file has been changed by something else since it was loaded; nothing was written.';
      return viewOf(flow, { status: 409, message });
    } catch (error) {
      if (!isCtxbError(error)) throw error;
      return viewOf(flow, { status: 422, message: `Nothing was written: ${error.message}` });
    }
  };
}

export function budgetFields(flow: Flow, step?: Flow['steps'][number]) {
  const budgets = (step ?? flow).budgets;
  return (['preset', ...BUDGET_FIELDS] as const).map((key) => ({
    step: step?.id ?? null,
    key,
    name: `${step?.id ?? ''}.${key}`,
    value: String(budgets[key] ?? ''),
  }));
}

function editsIn(form: Form, flow: Flow): Edit[] {
  const fields = [undefined, ...flow.steps].flatMap((step) => budgetFields(flow, step));
  return fields.flatMap(({ step, key, name, value }) => {
    const typed = form.get(name)?.trim() ?? value;
    return typed === value ? [] : [{ step, key, value: typed }];
  });
}
