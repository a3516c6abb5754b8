import {
  EVIDENCE_KINDS,
  type Evidence,
  type EvidenceItem,
  type EvidenceKind,
  type Fact,
  holds,
  normalised,
} from '../notebook/evidence.ts';
import { inTurns } from '../words.ts';

/** Hands back what a compaction loses, and remembers what was handed back. */
export interface Recall {
  /** A new compaction: what was handed back before it is lost again. */
  begin(): void;
  /** Evidence that fits into `room` UTF-16 units, without what was given already or the summary holds. */
  take(room: number): Taken;
  /** The summary is known: from now on only what it does not hold is given. */
  compare(summary: string): Compared;
}

export interface Taken {
  readonly text: string;
  readonly items: readonly EvidenceItem[];
}

export interface Compared {
  /** Everything there was to keep. */
  readonly all: readonly Fact[];
  /** Of that, what the summary holds. */
  readonly kept: readonly Fact[];
  /** Of that, what was given back so far. */
  readonly given: readonly Fact[];
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
  let snapshot: readonly EvidenceItem[] = [];
  const given = new Set<EvidenceItem>();
  let summary: string | undefined;

  function isMissing(item: EvidenceItem): boolean {
    if (given.has(item)) return false;
    const { facts } = item;
    return summary === undefined || facts.length === 0 || facts.some((fact) => !holds(summary ?? '', fact));
  }

  return {
    begin() {
      snapshot = EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind));
      given.clear();
      summary = undefined;
    },
    take(room) {
      const items = fitting(snapshot.filter(isMissing), room);
      for (const item of items) given.add(item);
      return { text: render(items), items };
    },
    compare(text) {
      summary = normalised(text);
      const words = summary;
      const all = snapshot.flatMap(({ facts }) => facts);
      return {
        all,
        kept: all.filter((fact) => holds(words, fact)),
        given: snapshot.filter((item) => given.has(item)).flatMap(({ facts }) => facts),
      };
    },
  };
}

/** Of each kind the newest, as long as there is room. */
function fitting(items: readonly EvidenceItem[], room: number): EvidenceItem[] {
  const kinds = EVIDENCE_KINDS.map((kind) => items.filter((item) => item.kind === kind));
  const costOf = ({ kind, line }: EvidenceItem, isFirst: boolean) =>
    line.length + 3 + (isFirst ? TITLES[kind].length + 1 : 0);
  return inTurns(kinds, room, costOf).flat();
}

function render(items: readonly EvidenceItem[]): string {
  return EVIDENCE_KINDS.flatMap((kind) => {
    const lines = items.filter((item) => item.kind === kind).map(({ line }) => `- ${line}`);
    return lines.length === 0 ? [] : [TITLES[kind], ...lines];
  }).join('\n');
}
