import { button, grouped, h } from '../../../browser/dom.ts';
import type { BudgetKey, BudgetsView } from '../studio-view.ts';

const FIELDS = [
  { key: 'preset', label: 'Preset', hint: 'Sets the three sizes below; a size that is set there wins.' },
  { key: 'contextBudgetChars', label: 'Whole briefing', hint: 'In characters.' },
  { key: 'historyRecentChars', label: 'Newest step', hint: 'Its output, in characters.' },
  { key: 'historyOlderChars', label: 'Each older step', hint: 'Its output, in characters.' },
  {
    key: 'contextBudgetTokens',
    label: 'Whole, in tokens',
    hint: 'Tokens, or a share of the window such as 20%; wins over the characters.',
  },
] as const;

const PRESETS = ['lean', 'balanced', 'heavy'];

export interface FormNews {
  readonly budgets: BudgetsView;
  readonly faultOf: (key: BudgetKey) => string | undefined;
  readonly isDraft: (key: BudgetKey) => boolean;
}

/** The form of one level; `update` changes what stands around the values and leaves what is being typed. */
export function createForm(
  writtenIn: (key: BudgetKey) => string,
  { onInput, onSubmit }: { onInput: (key: BudgetKey, value: string) => void; onSubmit: () => void },
) {
  const rows = FIELDS.map((field) => createRow(field, writtenIn(field.key), (value) => onInput(field.key, value)));
  const element = h('form', { novalidate: true, autocomplete: 'off' }, ...rows.map((row) => row.element));
  // Enter in a field leads to the review, as the button does.
  element.append(h('input', { type: 'submit', hidden: true }));
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit();
  });
  return {
    element,
    update(news: FormNews): void {
      for (const row of rows) row.update(news);
    },
  };
}

function createRow({ key, label, hint }: (typeof FIELDS)[number], value: string, onInput: (value: string) => void) {
  const id = `field-${key}`;
  const input = createInput(key, { id, 'aria-describedby': `${id}-used ${id}-hint ${id}-fault` });
  input.value = value;
  const clear = button('Clear', () => set(''), { 'aria-label': `Clear ${label}` });
  const used = h('p', { id: `${id}-used`, class: 'used' });
  const fault = h('p', { id: `${id}-fault`, class: 'warning' });
  const element = h(
    'div',
    { class: 'row' },
    h('label', { for: id }, label, ' ', h('code', {}, key)),
    h('div', { class: 'entry' }, input, clear),
    used,
    h('p', { id: `${id}-hint`, class: 'quiet' }, hint),
    fault,
  );
  input.addEventListener('input', () => onInput(input.value));
  return { element, update };

  function set(text: string): void {
    input.value = text;
    onInput(text);
    input.focus();
  }

  function update({ budgets, faultOf, isDraft }: FormNews): void {
    const isOwn = input.value.trim() !== '';
    const warning = budgets.warnings.find(({ field }) => field === key)?.message;
    element.classList.toggle('own', isOwn);
    element.classList.toggle('draft', isDraft(key));
    clear.disabled = !isOwn;
    used.textContent = [usedText(budgets, key), isDraft(key) ? 'not saved' : ''].filter(Boolean).join(' · ');
    fault.textContent = faultOf(key) ?? warning ?? '';
    input.setAttribute('aria-invalid', String(faultOf(key) !== undefined));
    if (input instanceof HTMLInputElement && isSize(key)) input.placeholder = grouped(budgets.effective[key].value);
  }
}

function createInput(key: BudgetKey, attributes: Record<string, string>): HTMLInputElement | HTMLSelectElement {
  if (key !== 'preset') return h('input', { type: 'text', inputmode: 'numeric', spellcheck: 'false', ...attributes });
  const options = PRESETS.map((preset) => h('option', { value: preset }, preset));
  return h('select', attributes, h('option', { value: '' }, 'none here'), ...options);
}

function usedText({ effective }: BudgetsView, key: BudgetKey): string {
  return isSize(key) ? `${grouped(effective[key].value)} used, from ${effective[key].source}` : '';
}

/** The other keys are turned into sizes. */
function isSize(key: BudgetKey): key is keyof BudgetsView['effective'] {
  return key !== 'preset' && key !== 'contextBudgetTokens';
}
