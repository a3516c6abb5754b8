import { onlyReads } from '../dead-ends/command-words.ts';
import { EVIDENCE_KINDS, type Evidence, type EvidenceItem, type EvidenceKind } from '../notebook/evidence.ts';
import { holds, type Searchable, searchable } from '../notebook/fact.ts';
import { inTurns } from '../words.ts';

/** Hands back what a compaction loses, and remembers what was handed back. */
export interface Recall {
  /** A new compaction: what was handed back before it is lost again. */
  begin(): void;
  /** Evidence that fits into `room` UTF-16 units, without what was given already or the summary holds. */
  take(room: number): Taken;
  /** UTF-16 units of what is not to be tried again. */
  urgentLength(): number;
  /** The summary is known: from now on only what it does not hold is given. */
  compare(summary: string): void;
}

export interface Taken {
  readonly text: string;
  readonly items: readonly EvidenceItem[];
}

const TITLES: Readonly<Record<EvidenceKind, string>> = {
  'dead end': 'Did not work:',
  'failing command': 'Commands that failed when they last ran:',
  error: 'Errors of other tools:',
  file: 'Files changed:',
  command: 'Commands that ran:',
  'file read': 'Files read:',
};

export function createRecall(evidence: Evidence): Recall {
  let useful: readonly EvidenceItem[] = [];
  const given = new Set<EvidenceItem>();
  let summary: Searchable | undefined;

  function isMissing(item: EvidenceItem): boolean {
    if (given.has(item)) return false;
    const { facts } = item;
    const known = summary;
    return known === undefined || facts.length === 0 || facts.some((fact) => !holds(known, fact));
  }

  return {
    begin() {
      useful = usefulOf(EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind)));
      given.clear();
      summary = undefined;
    },
    take(room) {
      const items = fitting(useful.filter(isMissing), room);
      for (const item of items) given.add(item);
      return { text: render(items), items };
    },
    urgentLength: () => render(useful.filter((item) => isMissing(item) && isUrgent(item))).length,
    compare(text) {
      summary = searchable(text);
    },
  };
}

/** What a next step can need and a text does not tell, as far as it fits into `room` UTF-16 units. */
export function evidenceBeside(
  evidence: Pick<Evidence, 'items'>,
  tells: (item: EvidenceItem) => boolean,
  room: number,
): string {
  const useful = usefulOf(EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind)));
  return render(
    fitting(
      useful.filter((item) => !tells(item)),
      room,
    ),
  );
}

/** Of what went well the newest is enough. */
const MOST_COMMANDS = 10;

/** What a next step can need: a failure once, where it is a dead end too; no looks at files, which any step can take. */
function usefulOf(items: readonly EvidenceItem[]): EvidenceItem[] {
  const deadEnds = items.filter(({ kind }) => kind === 'dead end');
  const isTold = (item: EvidenceItem) => item.kind !== 'dead end' && deadEnds.some((other) => isSame(item, other));
  const left = { command: MOST_COMMANDS, 'file read': MOST_COMMANDS };
  return items.filter((item) => {
    if (item.kind === 'command' || item.kind === 'file read') {
      return !(item.kind === 'command' && onlyReads(item.subject)) && left[item.kind]-- > 0;
    }
    return !isTold(item);
  });
}

/** Whether a dead end tells of the same call: it names the command, or has come of the error. */
function isSame({ kind, line, calls, facts: [fact] }: EvidenceItem, deadEnd: EvidenceItem): boolean {
  if (deadEnd.kind !== 'dead end') return false;
  if (kind === 'error') return calls.some((id) => deadEnd.calls.includes(id));
  if (kind !== 'command' && kind !== 'failing command') return false;
  return fact?.whole === deadEnd.facts[0]?.or?.whole || deadEnd.line.includes(line.slice(0, line.indexOf('`', 1) + 1));
}

function isUrgent({ kind }: EvidenceItem): boolean {
  return kind === 'dead end' || kind === 'failing command';
}

/** What failed first, then of each other kind the newest, as long as there is room. */
function fitting(items: readonly EvidenceItem[], room: number): EvidenceItem[] {
  const costOf = ({ kind, line }: EvidenceItem, isFirst: boolean) =>
    line.length + 3 + (isFirst ? TITLES[kind].length + 1 : 0);
  const kinds = EVIDENCE_KINDS.map((kind) => items.filter((item) => item.kind === kind));
  const urgent = inTurns(
    kinds.filter(([item]) => item && isUrgent(item)),
    room,
    costOf,
  );
  const spent = urgent.flatMap((own) => own.map((item, at) => costOf(item, at === 0))).reduce((a, b) => a + b, 0);
  const others = inTurns(
    kinds.filter(([item]) => item && !isUrgent(item)),
    room - spent,
    costOf,
  );
  return [...urgent, ...others].flat();
}

function render(items: readonly EvidenceItem[]): string {
  return EVIDENCE_KINDS.flatMap((kind) => {
    const lines = items.filter((item) => item.kind === kind).map(({ line }) => `- ${line}`);
    return lines.length === 0 ? [] : [TITLES[kind], ...lines];
  }).join('\n');
}
