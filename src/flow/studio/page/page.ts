import { button, counted, h, part } from '../../../browser/dom.ts';
import type { DiffLine } from '../../../report/line-diff.ts';
import { type Edit, PROFILE, type StudioView } from '../studio-view.ts';
import { createDrafts, levelOf } from './drafts.ts';
import { drawGraph } from './graph.ts';
import { inspect, levelLinks } from './inspector.ts';

/** The file without edits, and the same with them. */
let saved: StudioView | undefined;
let shown: StudioView | undefined;
/** Number of the last request: the answer to an earlier one comes too late. */
let asked = 0;
/** Something was typed since the last request; a request is under way. */
let typed = false;
let following = false;

const drafts = createDrafts();
/** The level that is inspected, as an edit names it, and what shows news of it. */
let chosen: string | null = null;
let updateInspector: ((view: StudioView) => void) | undefined;

part('reload').addEventListener('click', () => void load('Loaded again'));
part('discard').addEventListener('click', () => void discard());
part('review').addEventListener('click', () => void review());
addEventListener('hashchange', () => select(true));
addEventListener('beforeunload', (event) => {
  if (drafts.list().length > 0) event.preventDefault();
});
await load('');

/** Loads the file as it is now. Drafts stay, except those of steps that are gone. */
async function load(words: string): Promise<void> {
  const answer = await ask('view', [], undefined);
  if (answer.kind !== 'view') return refuse(answer);
  saved = answer.view;
  const lost = drafts.keep(saved.flow);
  showNotice();
  const names = lost.map(({ step }) => (step === PROFILE ? 'the profile' : step)).join(', ');
  const told = names && `Dropped changes of steps that are not there any more: ${names}`;
  if (await preview()) tell([words, told].filter(Boolean).join('. '));
  select(false);
}

/** Shows the file with the drafts applied. False: it was refused, or a newer request is under way. */
async function preview({ isTyping = false } = {}): Promise<boolean> {
  asked += 1;
  const number = asked;
  const answer = await ask('view', drafts.list(), saved?.hash);
  if (number !== asked) return false;
  if (answer.kind !== 'view') {
    refuse(answer, { isTyping });
    return false;
  }
  shown = answer.view;
  update();
  return true;
}

function onEdit(edit: Edit): void {
  if (saved?.flow === undefined) return;
  drafts.set(edit, saved.flow);
  typed = true;
  if (!following) void follow();
}

/** One request at a time, however fast somebody types: a large flow takes a second to answer. */
async function follow(): Promise<void> {
  following = true;
  while (typed) {
    typed = false;
    if (await preview({ isTyping: true })) tell(judgement());
  }
  following = false;
}

/** The effect of a change, for screen readers. */
function judgement(): string {
  const [finding] = shown?.findings ?? [];
  if (finding !== undefined) return finding.message;
  const warnings = levelOf(shown?.flow, chosen)?.warnings ?? [];
  return warnings.map(({ message }) => message).join('. ');
}

async function review(): Promise<void> {
  if (!(await preview()) || shown === undefined) return;
  const [finding] = shown.findings;
  if (finding !== undefined) return tell(`Not to be saved like this: ${finding.message}`);
  const changes = changesOf(shown);
  if (changes.length === 0) return tell('There is nothing to save');
  openReview(changes, () => void save());
}

/** What the edits make of each file. */
function changesOf({ file, diff, flow }: StudioView): Change[] {
  const ofProfile = { file: flow?.profile?.file ?? '', diff: flow?.profile?.diff ?? [] };
  return [{ file, diff }, ofProfile].filter((change) => change.diff.length > 0);
}

async function save(): Promise<void> {
  const sent = drafts.list();
  const files = shown && changesOf(shown).map(({ file }) => file);
  const answer = await ask('save', sent, saved?.hash);
  if (answer.kind !== 'view') return refuse(answer);
  saved = answer.view;
  drafts.drop(sent);
  if (!(await preview())) return;
  select(false);
  tell(`Saved ${files?.join(' and ')}`);
  part('inspector').focus();
}

async function discard(): Promise<void> {
  drafts.clear();
  await preview();
  select(false);
  tell('Changes discarded');
  part('inspector').focus();
}

/** @param byPerson the focus follows what was chosen */
function select(byPerson: boolean): void {
  const [, id] = /^#step\/([\w-]+)$/.exec(location.hash) ?? [];
  const isProfile = location.hash === '#profile' && shown?.flow?.profile !== undefined;
  const step = shown?.flow?.steps.some((each) => each.id === id) ? (id ?? null) : null;
  chosen = isProfile ? PROFILE : step;
  if (shown?.flow === undefined || saved?.flow === undefined) {
    part('inspector').replaceChildren();
    updateInspector = undefined;
  } else updateInspector = inspect(chosen, [shown.flow, saved.flow], drafts, { onEdit, onSubmit: () => void review() });
  update();
  if (byPerson) part('inspector').focus();
}

function update(): void {
  if (shown === undefined) return;
  const { file, flow, findings } = shown;
  part('title').textContent = flow?.name ?? 'Flow Studio';
  document.title = `${flow?.name ?? file} – Flow Studio`;
  part('about').textContent = [file, flow?.profile && `profile ${flow.profile.name}`].filter(Boolean).join(' · ');
  const faults = findings.map(({ message }) => h('li', {}, message));
  if (flow === undefined) showNotice(`${file} is not a flow that can be run`, h('ul', {}, ...faults));
  part('steps').replaceChildren(...(flow === undefined ? [] : [...levelLinks(flow, chosen), drawGraph(flow, chosen)]));
  updateInspector?.(shown);
  const count = drafts.list().length;
  part<HTMLButtonElement>('discard').disabled = count === 0;
  part<HTMLButtonElement>('review').disabled = count === 0;
  part('review').textContent = count === 0 ? 'Review and save…' : `Review and save ${counted(count, 'change')}…`;
}

/** @param isTyping the focus stays where it is */
function refuse({ kind, message }: Exclude<Answer, { kind: 'view' }>, { isTyping = false } = {}): void {
  const again = button('Load the file again, keep my changes', () => void load('Loaded again'), { class: 'main' });
  showNotice(message, ...(kind === 'changed' ? [again] : []));
  if (!isTyping) again.focus();
  tell('');
}

function tell(text: string): void {
  part('status').textContent = text;
}

/** The server's answer: a view, or why not, in words; `changed`: the file is not the one that was loaded. */
type Answer =
  | { readonly kind: 'view'; readonly view: StudioView }
  | { readonly kind: 'changed' | 'refused' | 'gone'; readonly message: string };

/** @param hash of the file that the edits are for; undefined: the file as it is now */
async function ask(what: 'view' | 'save', edits: readonly Edit[], hash: string | undefined): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  try {
    // Relative: the page's address ends in the token.
    const response = await fetch(what, { method: 'POST', headers, body: JSON.stringify({ edits, hash }) });
    const body: unknown = await response.json();
    if (response.ok) return { kind: 'view', view: body as StudioView };
    return { kind: response.status === 409 ? 'changed' : 'refused', message: (body as { message: string }).message };
  } catch {
    return { kind: 'gone', message: 'The studio does not answer; it may have been ended in the terminal.' };
  }
}

/** Shows a message that stays until it is dealt with; without one, hides what is there. */
function showNotice(message = '', ...more: readonly HTMLElement[]): void {
  const place = part('notice');
  place.hidden = message === '';
  place.replaceChildren(h('p', {}, message), ...more);
}

/** The element of a line, and the sign in front of it. */
const LINES = { kept: ['span', ' '], added: ['ins', '+'], removed: ['del', '-'], gap: ['span', '…'] } as const;

interface Change {
  readonly file: string;
  readonly diff: readonly DiffLine[];
}

/** Shows the diff of each file and offers to save them. */
function openReview(changes: readonly Change[], onSave: () => void): void {
  const dialog = part<HTMLDialogElement>('dialog');
  const onClick = () => {
    dialog.close();
    onSave();
  };
  const save = button('Save', onClick, { class: 'main' });
  const back = button('Back', () => dialog.close());
  dialog.replaceChildren(
    h('h2', { id: 'dialog-title' }, `Changes in ${changes.map(({ file }) => file).join(' and ')}`),
    ...changes.map(({ file, diff }) =>
      h('pre', { class: 'card', tabindex: 0, 'aria-label': `Changes in ${file}, line by line` }, ...diff.map(lineOf)),
    ),
    h('div', { class: 'actions' }, back, save),
  );
  dialog.showModal();
  save.focus();
}

function lineOf({ kind, text }: DiffLine): HTMLElement {
  const [name, sign] = LINES[kind];
  return h(name, {}, `${sign} ${text}\n`);
}
