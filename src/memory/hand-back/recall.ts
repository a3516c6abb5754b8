import {
  EVIDENCE_KINDS,
  type Evidence,
  type EvidenceItem,
  type EvidenceKind,
  type Fact,
  holds,
  normalised,
} from './evidence.ts';

/** Handing back what a compaction loses, and knowing what was handed back since. */
export interface Recall {
  /** A new compaction: what was given back before it is gone again. */
  begin(): void;
  /** Evidence that fits into `room` UTF-16 units, without what was given already or the summary holds. */
  take(room: number): Taken;
  /** The summary is known: from now on only what it does not hold is given. */
  compare(summary: string): Compared;
  readonly isOpen: boolean;
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
  const given = new Set<string>();
  let summary: string | undefined;
  let open = false;

  const isMissing = ({ key, facts }: EvidenceItem) =>
    !given.has(key) &&
    (summary === undefined || facts.length === 0 || facts.some((fact) => !holds(summary ?? '', fact)));

  return {
    begin() {
      snapshot = EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind));
      given.clear();
      summary = undefined;
      open = true;
    },
    take(room) {
      const items = fitting(snapshot.filter(isMissing), room);
      for (const { key } of items) given.add(key);
      // What does not fit stays in the files; only the first prompt after the comparison carries more.
      if (summary !== undefined) open = false;
      return { text: render(items), items };
    },
    compare(text) {
      summary = normalised(text);
      const words = summary;
      const all = snapshot.flatMap(({ facts }) => facts);
      return {
        all,
        kept: all.filter((fact) => holds(words, fact)),
        given: snapshot.filter(({ key }) => given.has(key)).flatMap(({ facts }) => facts),
      };
    },
    get isOpen() {
      return open;
    },
  };
}

/** In turns one of each kind, newest first, as long as there is room. */
function fitting(items: readonly EvidenceItem[], room: number): EvidenceItem[] {
  const queues = EVIDENCE_KINDS.map((kind) => items.filter((item) => item.kind === kind));
  const taken: EvidenceItem[] = [];
  let left = room;
  const titled = new Set<EvidenceKind>();
  for (let rank = 0; queues.some((queue) => queue.length > rank); rank++) {
    for (const queue of queues) {
      const item = queue[rank];
      if (item === undefined) continue;
      const cost = item.line.length + 3 + (titled.has(item.kind) ? 0 : TITLES[item.kind].length + 1);
      if (cost > left) continue;
      left -= cost;
      titled.add(item.kind);
      taken.push(item);
    }
  }
  return taken;
}

function render(items: readonly EvidenceItem[]): string {
  return EVIDENCE_KINDS.flatMap((kind) => {
    const lines = items.filter((item) => item.kind === kind).map(({ line }) => `- ${line}`);
    return lines.length === 0 ? [] : [TITLES[kind], ...lines];
  }).join('\n');
}
