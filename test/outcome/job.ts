import { createRandom, type Random } from '../support/random.ts';
import { sourceFile, tools, WORDS } from './job-files.ts';

/** Something that must be visible to the model before a step, or it has to be fetched again. */
export interface Evidence {
  readonly id: string;
  readonly kind: 'path' | 'number';
  /** What the model looks for in the request; it stands nowhere else. */
  readonly sign: string;
  /** The file that it is found in, and the line there (from 1). */
  readonly file: string;
  readonly line: number;
  /** The lines of the file that are needed; undefined: all of them. */
  readonly region?: Region;
}

/** Lines of a file, from 1. */
export interface Region {
  readonly from: number;
  readonly lines: number;
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
  readonly text: string | Uint8Array;
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
const FILES_IN_TASK = 5;
/** Lines of a source file: drawn evenly between these. */
const LINES = [140, 460] as const;
const SIGN_EVERY = 80;

/**
 * Makes a job of several tasks in a folder of source files.
 *
 * @param tasks number of tasks
 * @param work what each of them is about; default: files that are read, changed and rarely needed again
 */
export function makeJob(seed: number, tasks = 12, work: Work = fiveFiles): Job {
  const random = createRandom(seed);
  const constraints = makeConstraints(random);
  const deadEnds = makeDeadEnds(random);
  const files = new Map<string, JobFile>();
  const facts: Evidence[] = [];
  const made = Array.from({ length: tasks }, (_, at) =>
    makeTask({ at, random, constraints, deadEnds, files, facts }, work),
  );
  return { seed, tasks: made, files: [...files.values(), ...tools(deadEnds)], constraints, deadEnds, facts };
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

/** A job as far as it is made. */
export interface Making {
  /** Number of the task, from 0. */
  readonly at: number;
  readonly random: Random;
  readonly constraints: readonly Constraint[];
  readonly deadEnds: readonly DeadEnd[];
  readonly files: Map<string, JobFile>;
  readonly facts: Evidence[];
}

/** What a task is about, beside its rules and dead ends. */
export interface TaskWork {
  /** What the user calls it. */
  readonly name: string;
  /** The user's sentences. */
  readonly asked: string;
  readonly steps: readonly Step[];
}

export type Work = (making: Making) => TaskWork;

/** Tasks 1, 2, 4 and 6 say two constraints each; every second task up to the ninth meets a dead end. */
const SAID_IN = [0, 1, 3, 5];

function makeTask(making: Making, work: Work): Task {
  const { at, random, constraints, deadEnds } = making;
  const said = SAID_IN.indexOf(at);
  const fresh = said === -1 ? [] : constraints.slice(2 * said, 2 * said + 2);
  const known = constraints.slice(0, 2 * SAID_IN.filter((task) => task < at).length);
  const met = deadEnds.slice(0, Math.ceil(at / 2));
  const { name, asked, steps: own } = work(making);
  const steps: Step[] = [
    ...own,
    ...[...fresh, ...shuffled(random, [...known])]
      .slice(0, 6)
      .map((constraint, index): Step => ({ kind: 'constrained', constraint, detail: `${name}-${index + 1}` })),
    ...(at % 2 === 0 ? deadEnds.slice(at / 2, at / 2 + 1) : []).map((deadEnd): Step => ({ kind: 'tempted', deadEnd })),
    ...shuffled(random, [...met])
      .slice(0, 2)
      .map((deadEnd): Step => ({ kind: 'tempted', deadEnd })),
  ];
  const [first, ...rest] = steps;
  const mixed = [
    ...(first ? [first] : []),
    ...interleaved(random, rest),
    { kind: 'answer', text: `Task ${at + 1} is done: ${name} keeps its limits in one place.` } as const,
  ];
  return { prompt: promptOf(at, asked, fresh), steps: mixed };
}

function fiveFiles({ at, random, files, facts }: Making): TaskWork {
  const round = Math.floor(at / AREAS.length);
  const area = `${AREAS[at % AREAS.length]}${round === 0 ? '' : round + 1}`;
  const older = shuffled(random, [...facts]).slice(0, at === 0 ? 0 : 2);
  const sources = Array.from({ length: FILES_IN_TASK }, (_, index) => {
    const path = `src/${area}/${random.pick(WORDS)}-${index + 1}.ts`;
    return sourceFile(random, path, { lines: random.whole(...LINES), signEvery: SIGN_EVERY });
  });
  for (const { file } of sources) files.set(file.path, file);
  facts.push(...sources.map(({ fact }) => fact));
  const paths = sources.map(({ file }) => file.path).join(', ');
  return {
    name: area,
    asked: `give each limit of ${area} its real value. Read ${paths}, look at each with bin/inspect, and put the value that belongs there in the place of 0; some of the values were found in earlier tasks.`,
    steps: [
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
    ],
  };
}

/** The order within reads and edits stays; what runs between them is put anywhere. */
function interleaved(random: Random, steps: readonly Step[]): Step[] {
  const fixed = steps.filter(({ kind }) => kind === 'read' || kind === 'edit' || kind === 'run');
  for (const step of steps.filter((each) => !fixed.includes(each)))
    fixed.splice(random.whole(0, fixed.length), 0, step);
  return fixed;
}

function promptOf(at: number, asked: string, fresh: readonly Constraint[]): string {
  const rules = fresh.map(({ text }) => text).join(' ');
  return [
    `Task ${at + 1}: ${asked}`,
    ...(rules === '' ? [] : [`From now on, also in all later tasks: ${rules}`]),
    'Check, load, publish and deploy as usual.',
  ].join(' ');
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
