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
  /** In place of the one that the flow names. */
  readonly profile?: string | undefined;
}

/**
 * Edits a flow file and the file of its profile, which are read for every request, so that changes by others are noticed.
 *
 * @param path absolute
 */
export function createFileStudio(path: string, place: Place): Studio {
  return {
    view: (edits) => makeView(readFiles(path, place.profile), edits, place),
    save(edits, hash) {
      const files = readFiles(path, place.profile);
      if (files.hash !== hash) return 'changed';
      const edited = withEdits(files, edits);
      const [finding] = checkFiles(edited).findings;
      if (finding !== undefined) throw new CtxbError('usage', `nothing was written: ${finding.message}`);
      return writeFiles(edited) ? 'saved' : 'changed';
    },
  };
}

type Files = Readonly<ReturnType<typeof readFiles>>;

/** @param asked in place of the profile that the flow names */
function readFiles(path: string, asked: string | undefined) {
  const flow = readFile(path);
  const checked = checkFlow(path, flow.text, { profile: asked });
  const file = checked.flow && profileOf(checked.flow)?.file;
  /** That of the chosen profile, where it has one of its own. */
  const profile = file === undefined ? undefined : readFile(file);
  /** The chosen profile, where it stands in the flow. */
  const inFlow = profile === undefined ? checked.flow?.profile : undefined;
  return { flow, profile, hash: [flow.hash, profile?.hash].join('-'), checked, inFlow, asked };
}

/** `before` is its text on the disk; edits change `text`. */
function readFile(path: string) {
  const { text, hash } = readUserFile(path, MAX_FILE_BYTES);
  return { path, before: text, text, hash };
}

function withEdits(files: Files, edits: readonly Edit[]): Files {
  const { flow, profile, inFlow } = files;
  const isElsewhere = ({ step }: Edit) => profile !== undefined && step === PROFILE;
  const ofProfile = edits.filter(isElsewhere).map((edit) => ({ ...edit, step: null }));
  const ofFlow = edits.filter((edit) => !isElsewhere(edit));
  return {
    ...files,
    flow: { ...flow, text: editFlow(flow.path, flow.text, ofFlow, inFlow) },
    profile: profile && { ...profile, text: editFlow(profile.path, profile.text, ofProfile) },
  };
}

/** The keys of findings in the file of a profile have this in front. */
const IN_PROFILE = 'profile.';

function checkFiles({ flow, profile, asked }: Files): ReadFlow {
  const ofProfile = profile === undefined ? [] : checkProfileText(profile.path, profile.text).findings;
  const profileText = ofProfile.length === 0 ? profile?.text : profile?.before;
  const checked = checkFlow(flow.path, flow.text, { profile: asked, profileText });
  const findings = [...checked.findings, ...ofProfile.map((each) => ({ ...each, key: `${IN_PROFILE}${each.key}` }))];
  return findings.length === 0 ? checked : { flow: undefined, findings };
}

function writeFiles({ flow, profile }: Files): boolean {
  const changed = [flow, ...(profile === undefined ? [] : [profile])].filter(({ before, text }) => before !== text);
  for (const [index, { path, text, hash }] of changed.entries()) {
    if (replaceUserFile(path, text, { hash, limit: MAX_FILE_BYTES })) continue;
    if (index === 0) return false;
    throw new CtxbError('usage', `${flow.path} is written; ${path} is not: it was changed meanwhile`);
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
  const all = withEdits(files, edits);
  const { findings, flow: whole } = checkFiles(all);
  const bad = new Set(findings.map(({ key }) => key));
  const isGood = (edit: Edit) => !bad.has(keyOf(files, edit));
  const good = whole === undefined ? withEdits(files, edits.filter(isGood)) : all;
  const flow = whole ?? checkFiles(good).flow ?? checked.flow;
  const diff = lineDiff(good.flow.before, good.flow.text);
  return { ...base, findings, flow: viewOf(flow, good, place), diff };
}

function keyOf({ flow, profile, inFlow }: Files, edit: Edit): string {
  if (edit.step === PROFILE && profile !== undefined) return `${IN_PROFILE}budgets.${edit.key}`;
  return editedKey(flow.path, flow.text, edit, inFlow);
}

function viewOf(flow: Flow, files: Files, { contextDir, global, window }: Place): FlowView {
  const { profile, inFlow } = files;
  const ofFlow = ownBudgets(files.flow.path, files.flow.text, inFlow);
  const ofProfile = profile && ownBudgets(profile.path, profile.text);
  return flowView(flow, {
    global,
    window,
    ownBudgets: (step) => (step === PROFILE && ofProfile !== undefined ? ofProfile(null) : ofFlow(step)),
    profile: {
      file: profile && relative(dirname(files.flow.path), profile.path),
      key: inFlow === undefined ? IN_PROFILE.slice(0, -1) : pathText(['profiles', inFlow]),
      diff: profile === undefined ? [] : lineDiff(profile.before, profile.text),
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
