import type { ToldFact } from '../core/governor/decisions.ts';
import { FACT_KINDS } from '../core/memory/notebook/fact.ts';
import { FACT_NAMES } from '../messages.ts';
import type { CompactionSeen, LostFact, ReliefSeen } from '../replay/items-seen.ts';
import { keptOf } from '../replay/sums.ts';
import { counted, tokens } from './figures.ts';
import { fitText, present } from './layout.ts';
import { onOneLine } from './shown.ts';
import type { Style } from './style.ts';

/** A compaction or handoff with its session and recording. */
export interface ReliefReceipt {
  readonly session: string | null;
  /** The recording that the line numbers refer to. */
  readonly file: string;
  readonly relief: ReliefSeen;
  /** Sizes of the compaction in tokens; missing for a handoff. */
  readonly compaction?: CompactionSeen | undefined;
}

interface ReceiptsPage {
  readonly style: Style;
  readonly columns: number;
}

/**
 * Kept, lost and handed-back facts as a diff: a block for each compaction or handoff, a section for each kind of fact.
 */
export function receiptLines(receipts: readonly ReliefReceipt[], page: ReceiptsPage): string[] {
  return receipts.flatMap((receipt, index) => [...(index === 0 ? [] : ['']), ...reliefLines(receipt, page)]);
}

function reliefLines({ session, file, relief, compaction }: ReliefReceipt, page: ReceiptsPage): string[] {
  const { style } = page;
  const { all, kept, given } = keptOf([relief], FACT_KINDS);
  const sizes =
    compaction?.firstAfter == null
      ? ''
      : `, ${tokens(compaction.preTokens ?? compaction.gaugeBefore)} → ${tokens(compaction.firstAfter)} tokens`;
  const relieved = relief.actual ? kept : kept - given;
  const lostFacts: readonly Partial<LostFact>[] = [...relief.gone, ...relief.stayed];
  const refetched = lostFacts.filter(({ again = null }) => again !== null).length;
  return present(
    style.bold(`${relief.relief} before call ${relief.call} of session ${(session ?? '?').slice(0, 8)}${sizes}`),
    style.dim(`log: ${onOneLine(file)}`),
    `counted in the request after it: ${relieved} of ${counted(all, 'fact')}${relief.actual && given > 0 ? `, ${given} of them handed back by ctxb` : ''}`,
    !relief.actual && given > 0 && `estimated: ctxb would have handed back ${given} more (~)`,
    refetched > 0 && `counted in the calls after it: a tool was asked for ${refetched} of those that went`,
    ...FACT_KINDS.flatMap((kind) => kindLines(kind, relief, page)),
  );
}

function kindLines(kind: ToldFact['kind'], { gone, stayed, actual }: ReliefSeen, page: ReceiptsPage): string[] {
  const { style } = page;
  const isOfKind = (fact: ToldFact) => fact.kind === kind;
  const [lostFacts, left] = [gone.filter(isOfKind), stayed.filter(isOfKind)];
  const [back, relieved] = [left.filter(({ by }) => by === 'ctxb'), left.filter(({ by }) => by === 'claude')];
  if (lostFacts.length + left.length === 0) return [];
  const line = (mark: string, fact: ToldFact & Partial<LostFact>) => factLine(mark, fact.text, whereText(fact), page);
  return [
    style.cyan(`@@ ${FACT_NAMES[kind]}: ${lostFacts.length + left.length} known @@`),
    ...relieved.map((fact) => line(' ', fact)),
    ...back.map((fact) => (actual ? style.green(line('+', fact)) : style.yellow(line('~', fact)))),
    ...lostFacts.map((fact) => style.red(line('-', fact))),
  ];
}

function whereText({ line = null, again = null }: Partial<LostFact>): string {
  return present(line !== null && `line ${line}`, again !== null && `asked for again in call ${again}`).join('; ');
}

/** Cuts `text` to the width, but keeps `where` complete. @param where the place of the fact */
function factLine(mark: string, text: string, where: string, { columns }: ReceiptsPage): string {
  const behind = where === '' ? '' : `  (${where})`;
  return `${mark} ${fitText(onOneLine(text), columns - 2 - behind.length)}${behind}`;
}

/** The meaning of the marks in the diff. */
export const LEGEND = '  stayed    + handed back by ctxb    ~ went, ctxb would hand it back    - went';
