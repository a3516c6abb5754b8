import { createRandom, type Random } from '../support/random.ts';

/** Something that must be visible to the model before a step, or it has to be fetched again. */
export interface Evidence {
  readonly id: string;
  readonly kind: 'path' | 'number';
  /** What the model looks for in the request; it stands nowhere else. */
  readonly sign: string;
  /** The file that it is found in, and the line there (from 1). */
  readonly file: string;
  readonly line: number;
}

/** Something that the user has asked for, once, and that holds from then on. */
export interface Constraint {
  readonly id: string;
  /** The user's sentence. */
  readonly text: string;
  /** The command of somebody who knows it, and of somebody who does not. */
  readonly kept: (detail: string) => string;
  readonly broken: (detail: string) => string;
  /** Whether a command of its program keeps it. */
  readonly isKept: (command: string) => boolean;
}

/** A command that does not work, whatever one does, and what works in its place. */
export interface DeadEnd {
  readonly id: string;
  readonly command: string;
  readonly instead: string;
}

export type Step =
  | { readonly kind: 'read'; readonly file: string; readonly needs: readonly Evidence[] }
  | {
      readonly kind: 'edit';
      readonly file: string;
      readonly old: string;
      readonly now: string;
      readonly needs: readonly Evidence[];
    }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'constrained'; readonly constraint: Constraint; readonly detail: string }
  | { readonly kind: 'tempted'; readonly deadEnd: DeadEnd }
  | { readonly kind: 'answer'; readonly text: string };

export interface Task {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

/** A file of the job's folder. */
export interface JobFile {
  readonly path: string;
  readonly text: string;
  readonly executable?: true;
}

export interface Job {
  readonly seed: number;
  readonly tasks: readonly Task[];
  readonly files: readonly JobFile[];
  readonly constraints: readonly Constraint[];
  readonly deadEnds: readonly DeadEnd[];
  /** Everything that a step needs from an earlier task. */
  readonly facts: readonly Evidence[];
}

const AREAS: readonly [string, ...string[]] = [
  'billing',
  'search',
  'ingest',
  'export',
  'auth',
  'reports',
  'queue',
  'mailer',
  'quota',
  'archive',
  'audit',
  'media',
];
const WORDS: readonly [string, ...string[]] = [
  ...(['account', 'batch', 'cursor', 'digest', 'entry', 'field', 'guard', 'handle', 'index', 'journal'] as const),
  ...(['ledger', 'marker', 'notice', 'offset', 'packet', 'query', 'record', 'shard', 'token', 'vector'] as const),
];

const FILES_IN_TASK = 5;
/** Lines of a source file, and UTF-16 units of what a check prints: drawn evenly between these. */
const LINES = [140, 460] as const;
const PRINTED = [1_500, 7_000] as const;
/** A page of a file has a sign every so many lines: a reader knows what it has not seen. */
const SIGN_EVERY = 80;

/**
 * Makes a job of several tasks in a folder of source files.
 *
 * @param tasks number of tasks
 */
export function makeJob(seed: number, tasks = 12): Job {
  const random = createRandom(seed);
  const constraints = makeConstraints(random);
  const deadEnds = makeDeadEnds(random);
  const files = new Map<string, JobFile>();
  const facts: Evidence[] = [];
  const made = Array.from({ length: tasks }, (_, at) =>
    makeTask({ at, tasks, random, constraints, deadEnds, files, facts }),
  );
  return { seed, tasks: made, files: [...files.values(), ...tools(deadEnds, made)], constraints, deadEnds, facts };
}

function makeConstraints(random: Random): Constraint[] {
  const number = () => random.whole(10_000, 99_999);
  const [seed, port, budget, ticket] = [number(), number(), number(), number()];
  const [vendor, host, owner, label] = [number(), number(), number(), number()].map((each) => each.toString(36));
  /** @param sign what a command must hold, or must not where it begins with `not `  */
  const rule = (
    id: string,
    text: string,
    kept: (detail: string) => string,
    broken: (detail: string) => string,
    sign: string,
  ) => ({
    ...{ id, text, kept, broken },
    isKept: (command: string) => (sign.startsWith('not ') ? !command.includes(sign.slice(4)) : command.includes(sign)),
  });
  return [
    rule(
      'seed',
      `Always pass --seed ${seed} to bin/check.`,
      (d) => `bin/check ${d} --seed ${seed}`,
      (d) => `bin/check ${d}`,
      `--seed ${seed}`,
    ),
    rule(
      'vendor',
      `Never change anything in vendor/${vendor}.`,
      (d) => `bin/patch overlay/${d}`,
      (d) => `bin/patch vendor/${vendor}/${d}`,
      `not vendor/${vendor}`,
    ),
    rule(
      'port',
      `Port ${port} belongs to staging, so never start a server on it; take 8080.`,
      (d) => `bin/serve ${d} 8080`,
      (d) => `bin/serve ${d} ${port}`,
      `not ${port}`,
    ),
    rule(
      'budget',
      `Only run bin/load with --limit ${budget}, never without a limit.`,
      (d) => `bin/load ${d} --limit ${budget}`,
      (d) => `bin/load ${d}`,
      `--limit ${budget}`,
    ),
    rule(
      'ticket',
      `Every line in CHANGES must begin with OPS-${ticket}.`,
      (d) => `bin/note 'OPS-${ticket} ${d}'`,
      (d) => `bin/note '${d}'`,
      `OPS-${ticket}`,
    ),
    rule(
      'host',
      `Deploy to host-${host} only, never to the default host.`,
      (d) => `bin/deploy ${d} --to host-${host}`,
      (d) => `bin/deploy ${d}`,
      `host-${host}`,
    ),
    rule(
      'owner',
      `Keep the owner team-${owner} on new tables.`,
      (d) => `bin/table ${d} --owner team-${owner}`,
      (d) => `bin/table ${d}`,
      `team-${owner}`,
    ),
    rule(
      'label',
      `Publish drafts only, with the label draft-${label}.`,
      (d) => `bin/publish ${d} --label draft-${label}`,
      (d) => `bin/publish ${d}`,
      `draft-${label}`,
    ),
  ];
}

function makeDeadEnds(random: Random): DeadEnd[] {
  return ['bench', 'trace', 'migrate', 'profile', 'bundle'].map((id) => {
    const name = `${random.pick(WORDS)}-${random.whole(1_000, 9_999)}`;
    return { id, command: `bin/${id} ${name} --incremental`, instead: `bin/${id} ${name} --full` };
  });
}

interface Making {
  readonly at: number;
  readonly tasks: number;
  readonly random: Random;
  readonly constraints: readonly Constraint[];
  readonly deadEnds: readonly DeadEnd[];
  readonly files: Map<string, JobFile>;
  readonly facts: Evidence[];
}

/** Tasks 1, 2, 4 and 6 say two constraints each; every second task up to the ninth meets a dead end. */
const SAID_IN = [0, 1, 3, 5];

function makeTask(making: Making): Task {
  const { at, random, constraints, deadEnds, files, facts } = making;
  const round = Math.floor(at / AREAS.length);
  const area = `${AREAS[at % AREAS.length]}${round === 0 ? '' : round + 1}`;
  const said = SAID_IN.indexOf(at);
  const fresh = said === -1 ? [] : constraints.slice(2 * said, 2 * said + 2);
  const known = constraints.slice(0, 2 * SAID_IN.filter((task) => task < at).length);
  const met = deadEnds.slice(0, Math.ceil(at / 2));
  const older = shuffled(random, [...facts]).slice(0, at === 0 ? 0 : 2);
  const sources = Array.from({ length: FILES_IN_TASK }, (_, index) =>
    sourceFile(random, `src/${area}/${random.pick(WORDS)}-${index + 1}.ts`),
  );
  for (const { file } of sources) files.set(file.path, file);
  const own = sources.map(({ fact }) => fact);
  const steps: Step[] = [
    { kind: 'run', command: `ls -l src/${area}` },
    ...sources.flatMap(({ file, signs, fact, target }, index): Step[] => [
      { kind: 'read', file: file.path, needs: signs },
      { kind: 'run', command: `bin/inspect ${file.path}` },
      {
        kind: 'edit',
        file: file.path,
        old: target,
        now: target.replace('0', (older[index] ?? fact).sign),
        needs: [...(index < older.length ? older.slice(index, index + 1) : []), fact],
      },
    ]),
    ...[...fresh, ...shuffled(random, [...known])]
      .slice(0, 6)
      .map((constraint, index): Step => ({ kind: 'constrained', constraint, detail: `${area}-${index + 1}` })),
    ...(at % 2 === 0 ? deadEnds.slice(at / 2, at / 2 + 1) : []).map((deadEnd): Step => ({ kind: 'tempted', deadEnd })),
    ...shuffled(random, [...met])
      .slice(0, 2)
      .map((deadEnd): Step => ({ kind: 'tempted', deadEnd })),
  ];
  facts.push(...own);
  const [first, ...rest] = steps;
  const mixed = [
    ...(first ? [first] : []),
    ...interleaved(random, rest),
    { kind: 'answer', text: `Task ${at + 1} is done: ${area} keeps its limits in one place.` } as const,
  ];
  return {
    prompt: promptOf(
      at,
      area,
      sources.map(({ file }) => file.path),
      fresh,
    ),
    steps: mixed,
  };
}

/** The order within reads and edits stays; what runs between them is put anywhere. */
function interleaved(random: Random, steps: readonly Step[]): Step[] {
  const fixed = steps.filter(({ kind }) => kind === 'read' || kind === 'edit' || kind === 'run');
  for (const step of steps.filter((each) => !fixed.includes(each)))
    fixed.splice(random.whole(0, fixed.length), 0, step);
  return fixed;
}

function promptOf(at: number, area: string, paths: readonly string[], fresh: readonly Constraint[]): string {
  const rules = fresh.map(({ text }) => text).join(' ');
  return [
    `Task ${at + 1}: give each limit of ${area} its real value.`,
    `Read ${paths.join(', ')}, look at each with bin/inspect, and put the value that belongs there in the place of 0; some of the values were found in earlier tasks.`,
    ...(rules === '' ? [] : [`From now on, also in all later tasks: ${rules}`]),
    'Check, load, publish and deploy as usual.',
  ].join(' ');
}

function sourceFile(random: Random, path: string) {
  const count = random.whole(...LINES);
  const id = path.replaceAll('/', '.');
  const signs: Evidence[] = [];
  const fact: Evidence = {
    id: `${id}:fact`,
    kind: 'number',
    sign: String(random.whole(1_000_000, 9_999_999)),
    file: path,
    line: random.whole(10, count - 10),
  };
  const target = `export const ${random.pick(WORDS)}_${random.whole(1_000, 9_999)}_limit = 0;`;
  const lines = Array.from({ length: count }, (_, index) => {
    const line = index + 1;
    if (line === fact.line) return `// measured on the last run: ${fact.sign} units`;
    if (line === fact.line + 2) return target;
    if (line % SIGN_EVERY !== 0 && line !== count) return sourceLine(random);
    const sign = `§${random.whole(1_000_000, 9_999_999).toString(36)}`;
    signs.push({ id: `${id}:${line}`, kind: 'path', sign, file: path, line });
    return `// ${sign}`;
  });
  return { file: { path, text: `${lines.join('\n')}\n` }, signs, fact, target };
}

function sourceLine(random: Random): string {
  const word = () => random.pick(WORDS);
  return `  const ${word()}${random.whole(1, 99)} = ${word()}.${word()}(${word()}, '${word()}-${random.whole(100, 999)}'); // ${word()} ${word()}`;
}

/** The programs in bin/: each prints the same whenever it is called alike, and dead ends fail. */
function tools(deadEnds: readonly DeadEnd[], tasks: readonly Task[]): JobFile[] {
  const names = new Set([
    'inspect',
    'check',
    'patch',
    'serve',
    'load',
    'note',
    'deploy',
    'table',
    'publish',
    ...deadEnds.map(({ id }) => id),
  ]);
  const failing = deadEnds.map(
    ({ command }) =>
      `  "${command}") echo "error: ${command.split(' ')[1]}: no incremental state, and none can be made here" >&2; exit 2;;`,
  );
  const script = [
    '#!/bin/sh',
    'case "bin/$(basename "$0") $*" in',
    ...failing,
    'esac',
    `sum=$(printf '%s' "$*" | cksum | cut -d' ' -f1)`,
    `awk -v s="$sum" 'BEGIN { srand(s); n = ${PRINTED[0]} + int(rand() * ${PRINTED[1] - PRINTED[0]}); while (n > 0) { l = sprintf("%06d ok %s step %d took %d ms", rand() * 999999, ARGV[1], rand() * 500, rand() * 4000); n -= length(l) + 1; print l } }' "$(basename "$0")"`,
    'echo "finished: $(basename "$0") $*"',
    '',
  ].join('\n');
  if (tasks.length === 0) return [];
  return [...names].map((name) => ({ path: `bin/${name}`, text: script, executable: true as const }));
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}
