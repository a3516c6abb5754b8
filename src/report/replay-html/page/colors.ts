/** The colours of the page's style, for what is drawn. */
export interface Colors {
  readonly ink: string;
  readonly quiet: string;
  readonly paper: string;
  readonly line: string;
  readonly edge: string;
  readonly mark: string;
  readonly warn: string;
  readonly bad: string;
  /** For kinds and curves, in order; the last one is for all others. */
  readonly kinds: readonly string[];
}

export const KIND_COLORS = 8;

export function currentColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: color('ink'),
    quiet: color('quiet'),
    paper: color('paper'),
    line: color('line'),
    edge: color('edge'),
    mark: color('mark'),
    warn: color('warn'),
    bad: color('bad'),
    kinds: Array.from({ length: KIND_COLORS }, (_, at) => color(`kind-${at + 1}`)),
  };
}

/** Calls back when the colours have changed: another scheme, or before and after printing, which is always light. */
export function onOtherColors(changed: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  for (const isPrinting of [true, false]) {
    addEventListener(isPrinting ? 'beforeprint' : 'afterprint', () => {
      document.documentElement.classList.toggle('printing', isPrinting);
      changed();
    });
  }
}
