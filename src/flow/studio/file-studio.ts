import { basename, dirname, relative } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { lineDiff } from '../../report/line-diff.ts';
import { readUserFile, replaceUserFile } from '../../store/files/user-file.ts';
import { readFlowReceipt } from '../../store/runs/flow-run.ts';
import { type BudgetWorld, profileOf } from '../effective.ts';
import { pathText } from '../file/fault.ts';
import { MAX_FILE_BYTES } from '../file/flow-files.ts';
import { checkFlow, checkProfileText, type ReadFlow } from '../file/read-flow.ts';
import type { Flow } from '../flow.ts';
import { readReceipt } from '../step-receipt.ts';
import { editedKey, editFlow, ownBudgets } from './edit-flow.ts';
import type { Studio } from './studio-server.ts';
import { type Edit, type FlowView, flowView, PROFILE, type StepView, type StudioView } from './studio-view.ts';

/** Where the files of a flow and what holds for it are. */
interface Place extends BudgetWorld {
  readonly contextDir: string;
  readonly profile?: string | undefined;
}

/**
 * Edits a flow file and the file of its profile, which are read for every request, so that changes by others are noticed.
 *
 * @param path absolute
 */
export function createFileStudio(path: string, place: Place): Studio {
  const view: Studio['view'] = ({ hash, edits }) => {
    const files = readFiles(path, place.profile);
    return hash !== undefined && files.hash !== hash ? 'changed' : makeView(files, edits, place);
  };
  return {
    view,
    save({ hash, edits }) {
      const files = readFiles(path, place.profile);
      // An edit without a hash may be for another version of the file.
      if (files.hash !== hash) return 'changed';
      const texts = editTexts(files, edits);
      const [finding] = checkTexts(files, texts).findings;
      if (finding !== undefined) throw new CtxbError('usage', `nothing was written: ${finding.message}`);
      return writeFiles(files, texts) ? view({ edits: [] }) : 'changed';
    },
  };
}

interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

interface Files {
  readonly flow: ReadFile;
  /** That of the chosen profile, where it has one of its own. */
  readonly profile: ReadFile | undefined;
  readonly hash: string;
  readonly checked: ReadFlow;
  /** The chosen profile, where it stands in the flow. */
  readonly inFlow: string | undefined;
  readonly asked: string | undefined;
}

function readFiles(path: string, asked: string | undefined): Files {
  const read = (file: string) => ({ path: file, ...readUserFile(file, MAX_FILE_BYTES) });
  const own = read(path);
  const checked = checkFlow(path, own.text, { profile: asked });
  const file = checked.flow && profileOf(checked.flow)?.file;
  if (file === undefined) {
    return { flow: own, profile: undefined, hash: own.hash, checked, inFlow: checked.flow?.profile, asked };
  }
  const profile = read(file);
  return { flow: own, profile, hash: `${own.hash}-${profile.hash}`, checked, inFlow: undefined, asked };
}

interface Texts {
  readonly flow: string;
  readonly profile: string | undefined;
}

function editTexts({ flow, profile, inFlow }: Files, edits: readonly Edit[]): Texts {
  const isElsewhere = ({ step }: Edit) => profile !== undefined && step === PROFILE;
  const ofProfile = edits.filter(isElsewhere).map((edit) => ({ ...edit, step: null }));
  const ofFlow = edits.filter((edit) => !isElsewhere(edit));
  return {
    flow: editFlow(flow.path, flow.text, ofFlow, inFlow),
    profile: profile && editFlow(profile.path, profile.text, ofProfile),
  };
}

/** The keys of findings in the file of a profile have this in front. */
const IN_PROFILE = 'profile.';

function checkTexts({ flow, profile, asked }: Files, texts: Texts): ReadFlow {
  const ofProfile = profile === undefined ? [] : checkProfileText(profile.path, texts.profile ?? '').findings;
  const profileText = ofProfile.length === 0 ? texts.profile : profile?.text;
  const checked = checkFlow(flow.path, texts.flow, { profile: asked, profileText });
  const findings = [...checked.findings, ...ofProfile.map((each) => ({ ...each, key: `${IN_PROFILE}${each.key}` }))];
  return findings.length === 0 ? checked : { flow: undefined, findings };
}

function writeFiles({ flow, profile }: Files, texts: Texts): boolean {
  const changed = [
    { file: flow, text: texts.flow },
    ...(profile === undefined ? [] : [{ file: profile, text: texts.profile ?? profile.text }]),
  ].filter(({ file, text }) => file.text !== text);
  for (const [index, { file, text }] of changed.entries()) {
    if (replaceUserFile(file.path, text, { hash: file.hash, limit: MAX_FILE_BYTES })) continue;
    if (index === 0) return false;
    throw new CtxbError('usage', `${flow.path} is written; ${file.path} is not: it was changed meanwhile`);
  }
  return true;
}

/**
 * What the page shows of the files with edits. Edits with invalid values become findings, and the rest
 * is shown without them.
 *
 * @throws CtxbError `usage` as `editFlow`
 */
function makeView(files: Files, edits: readonly Edit[], place: Place): StudioView {
  const { hash, checked } = files;
  const base = { file: basename(files.flow.path), hash, diff: [] };
  if (checked.flow === undefined) return { ...base, findings: checked.findings, flow: undefined };
  const { texts, flow, findings } = goodEdits(files, edits);
  const diff = lineDiff(files.flow.text, texts.flow);
  return { ...base, findings, flow: viewOf(flow ?? checked.flow, files, texts, place), diff };
}

function goodEdits(files: Files, edits: readonly Edit[]) {
  const all = editTexts(files, edits);
  const { flow, findings } = checkTexts(files, all);
  if (flow !== undefined) return { texts: all, flow, findings };
  const bad = new Set(findings.map(({ key }) => key));
  const good = editTexts(
    files,
    edits.filter((edit) => !bad.has(keyOf(files, edit))),
  );
  return { texts: good, flow: checkTexts(files, good).flow, findings };
}

function keyOf({ flow, profile, inFlow }: Files, edit: Edit): string {
  if (edit.step === PROFILE && profile !== undefined) return `${IN_PROFILE}budgets.${edit.key}`;
  return editedKey(flow.path, flow.text, edit, inFlow);
}

function viewOf(flow: Flow, files: Files, texts: Texts, { contextDir, global, window }: Place): FlowView {
  const { profile, inFlow } = files;
  const ofFlow = ownBudgets(files.flow.path, texts.flow, inFlow);
  const ofProfile = profile && ownBudgets(profile.path, texts.profile ?? '');
  return flowView(flow, {
    global,
    window,
    ownBudgets: (step) => (step === PROFILE && ofProfile !== undefined ? ofProfile(null) : ofFlow(step)),
    profile: {
      file: profile && relative(dirname(files.flow.path), profile.path),
      key: inFlow === undefined ? IN_PROFILE.slice(0, -1) : pathText(['profiles', inFlow]),
      diff: profile === undefined ? [] : lineDiff(profile.text, texts.profile ?? ''),
    },
    receiptOf: (step) => receiptOf(contextDir, flow.name, step),
  });
}

/** A receipt that cannot be read is reported at its step. */
function receiptOf(contextDir: string, flow: string, step: string): StepView['receipt'] {
  try {
    const json = readFlowReceipt(contextDir, flow, step);
    return json === undefined ? undefined : (readReceipt(json) ?? { fault: 'its receipt is not one that can be read' });
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error.message };
    throw error;
  }
}
