import type { ReportedFact } from '../core/governor/decisions.ts';
import { FACT_KINDS } from '../core/memory/notebook/fact.ts';
import { FACT_NAMES } from '../messages.ts';
import type { FactPlace } from '../replay/observers/fact-places.ts';
import type { RecordedCompaction, RecordedRelief } from '../replay/recorded-items.ts';
import { countKept } from '../replay/sums.ts';
import { counted, tokens } from './figures.ts';
import { fitText, presentLines } from './layout.ts';
import { onOneLine } from './printable.ts';
import type { Style } from './style.ts';

export interface ReliefReceipt {
  readonly session: string | null;
  /** The recording that the line numbers refer to. */
  readonly file: string;
  readonly relief: RecordedRelief;
  /** Sizes of the compaction in tokens; missing for a handoff. */
  readonly compaction?: RecordedCompaction | undefined;
}

/** Facts as a diff: a block for each compaction or handoff, a section for each kind of fact. */
export function receiptLines(receipts: readonly ReliefReceipt[], style: Style, columns: number): string[] {
  return receipts.flatMap((receipt, index) => [...(index === 0 ? [] : ['']), ...reliefLines(receipt, style, columns)]);
}

function reliefLines(receipt: ReliefReceipt, style: Style, columns: number): string[] {
  const { session, file, relief, compaction } = receipt;
  const { all, kept, given } = countKept([relief], FACT_KINDS);
  const sizes =
    compaction?.firstAfter == null
      ? ''
      : `, ${tokens(compaction.preTokens ?? compaction.gaugeBefore)} → ${tokens(compaction.firstAfter)} tokens`;
  const relieved = relief.actual ? kept : kept - given;
  const lostFacts: readonly Partial<FactPlace>[] = [...relief.gone, ...relief.stayed];
  const refetched = lostFacts.filter(({ again = null }) => again !== null).length;
  return presentLines(
    style.bold(`${relief.relief} before call ${relief.call} of session ${(session ?? '?').slice(0, 8)}${sizes}`),
    style.dim(`log: ${onOneLine(file)}`),
    `facts in the next request: ${relieved} of ${counted(all, 'fact')}${relief.actual && given > 0 ? `, ${given} of them handed back by ctxb` : ''}`,
    !relief.actual && given > 0 && `estimated: ctxb would have handed back ${given} more (~)`,
    refetched > 0 && `asked for again in later calls: ${counted(refetched, 'removed fact')}`,
    ...FACT_KINDS.flatMap((kind) => kindLines(kind, relief, style, columns)),
  );
}

/** Marks of facts in the order of their lines. */
const MARKS = [' ', '+', '~', '-'] as const;

function kindLines(kind: ReportedFact['kind'], relief: RecordedRelief, style: Style, columns: number): string[] {
  const { gone, stayed, actual } = relief;
  const facts = [
    ...stayed.map((fact) => ({ mark: fact.by === 'claude' ? ' ' : actual ? '+' : '~', ...fact }) as const),
    ...gone.map((fact) => ({ mark: '-', ...fact }) as const),
  ].filter((fact) => fact.kind === kind);
  if (facts.length === 0) return [];
  const paint = { ' ': (text: string) => text, '+': style.green, '~': style.yellow, '-': style.red };
  return [
    style.cyan(`@@ ${FACT_NAMES[kind]}: ${facts.length} known @@`),
    ...MARKS.flatMap((mark) => facts.filter((fact) => fact.mark === mark)).map((fact) =>
      paint[fact.mark](factLine(fact, columns)),
    ),
  ];
}

/** Cuts the fact to the width, but keeps its place complete. */
function factLine(
  { mark, text, line = null, again = null }: ReportedFact & Partial<FactPlace> & { readonly mark: string },
  columns: number,
): string {
  const places = presentLines(line !== null && `line ${line}`, again !== null && `asked for again in call ${again}`);
  const behind = places.length === 0 ? '' : `  (${places.join('; ')})`;
  return `${mark} ${fitText(onOneLine(text), columns - 2 - behind.length)}${behind}`;
}

export const LEGEND = '  stayed    + handed back by ctxb    ~ removed, but ctxb would hand it back    - removed';
