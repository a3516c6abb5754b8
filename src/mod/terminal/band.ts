import type { GovernorState } from '../../core/governor/state.ts';
import type { Style } from '../../report/style.ts';
import { statusText } from '../../statusline/status-text.ts';

export interface Piece {
  readonly text: string;
  readonly color?: string;
  readonly dimColor?: boolean;
}

/** Marks that no text has, around what is painted. */
const [BEGIN, SEPARATOR, END] = ['\u0001', '\u0002', '\u0003'];

const mark = (name: string) => (text: string) => `${BEGIN}${name}${SEPARATOR}${text}${END}`;

const MARKS: Style = {
  bold: (text) => text,
  dim: mark('dim'),
  green: mark('success'),
  yellow: mark('warning'),
  red: mark('error'),
  cyan: (text) => text,
};

/** The status line above the prompt, in the colours of claude's theme. */
export function bandText(state: GovernorState, costUsd: number | undefined, width: number): readonly Piece[] {
  return `ctxb ${statusText(state, costUsd, MARKS, Math.max(1, width - 'ctxb '.length))}`
    .split(/[\u0001\u0003]/)
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', text] = part.split(SEPARATOR);
      if (text === undefined) return { text: name };
      return name === 'dim' ? { text, dimColor: true } : { text, color: name };
    });
}
