import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type TSSignature } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { moduleState } from './support/module-state.ts';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

const filesIn = (folder: string) =>
  readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
    .sort();

const textOf = (file: string) => readFileSync(join(SOURCE, file), 'utf8');

describe('the core remembers nothing between two calls', () => {
  it.each(['core', 'flow/pack'])('%s', (folder) => {
    const files = filesIn(folder);
    expect(files.length).toBeGreaterThan(5);
    const state = files.flatMap((file) => moduleState(textOf(file)).map((what) => `${file}: ${what}`));
    expect(state).toEqual([]);
  });

  it.each([
    ['let', 'let last: number;', 'let at the level of the module'],
    ['an exported let', 'export let last = 0;', 'let at the level of the module'],
    ['a map', 'const known = new Map(); export const see = (key: string) => known.set(key, 1);', 'known is written to'],
    ['a list', 'const all: string[] = []; function add() { all.push("a"); }', 'all is written to'],
    ['a list by index', 'const all: string[] = []; function add() { all[0] = "a"; }', 'all is written to'],
    ['a field of an object', 'const one = { count: 0 }; function add() { one.count++; }', 'one is written to'],
    ['a field that is deleted', 'const one: any = {}; function drop() { delete one.a.b; }', 'one is written to'],
    ['an exported set', 'export const SEEN = new Set<string>();', 'SEEN can be written to by others'],
  ])('finds %s', (_, source, what) => {
    expect(moduleState(source)).toEqual([what]);
  });

  it('leaves constants and what a function has alone', () => {
    const source = `const A = new Set([1]); export const B: ReadonlySet<number> = new Set([1]); const C = /a/y;
      export function f(list: number[]) { C.lastIndex = 0; const own = new Map(); own.set(1, A.has(1)); list.push(1); let n = 0; n++; }`;
    expect(moduleState(source)).toEqual([]);
  });
});

/** The rooms of the core from the ground up, each a folder or some files: each may use what stands before it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  protocol: ['protocol/'],
  text: ['text/'],
  'call-identity': ['governor/call-identity.ts'],
  prices: ['governor/cost/prices.ts'],
  policy: ['governor/policy.ts'],
  gauge: ['governor/gauge/'],
  cost: ['governor/cost/'],
  contents: [
    'cut-savings.ts',
    'content.ts',
    'call-cost.ts',
    'track-contents.ts',
    'tool-results.ts',
    'working-set.ts',
    'economic-moment.ts',
    'baseline.ts',
  ].map(inRelief),
  state: [
    ...['state.ts', 'decisions.ts', 'effects.ts', 'own-events.ts', 'input.ts', 'facts.ts', 'steps.ts'].map(inGovernor),
    ...['agents/agents-state.ts', 'relief/relief-state.ts', 'waits/waits-state.ts'].map(inGovernor),
    inGovernor('operations/operation.ts'),
    ...['tool-budget/tool-budget.ts', 'zones/zones.ts'].map(inGovernor),
  ],
  prompts: ['governor/prompts/'],
  agents: ['governor/agents/'],
  zones: ['governor/zones/'],
  'tool-budget': ['governor/tool-budget/'],
  relief: ['governor/relief/'],
  operations: ['governor/operations/'],
  waits: ['governor/waits/'],
  control: ['governor/control/'],
  process: ['governor/process/'],
  conversation: ['governor/conversation/'],
  step: ['step.ts', 'initial-state.ts', 'record.ts', 'run-status.ts'].map(inGovernor),
  memory: ['memory/'],
  exact: ['exact/'],
};

const NAMES = Object.keys(ROOMS);

function inGovernor(file: string): string {
  return `governor/${file}`;
}

function inRelief(file: string): string {
  return inGovernor(`relief/${file}`);
}

/** Its place among the rooms: a room that names the file, else the one that has its folder. */
function placeOf(file: string): number {
  const path = file.slice('core/'.length);
  const named = NAMES.findIndex((name) => ROOMS[name]?.includes(path));
  return named >= 0 ? named : NAMES.findIndex((name) => ROOMS[name]?.some((room) => path.startsWith(room)));
}

/** The files that a file of the core uses: imported, types included, or exported again. */
function usedBy(file: string): string[] {
  const { staticImports, staticExports } = parseSync(file, textOf(file)).module;
  const named = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest)),
  ];
  return named.flatMap((request) => (request ? [join(dirname(file), request.value)] : []));
}

/** The name of a property of an interface. */
function memberName(member: TSSignature): string {
  if (member.type !== 'TSPropertySignature') return '';
  if (member.key.type === 'Identifier') return member.key.name;
  return member.key.type === 'Literal' ? String(member.key.value) : '';
}

describe('the rooms of the core', () => {
  const files = filesIn('core');

  it('have a place for each file', () => {
    expect(files.filter((file) => placeOf(file) < 0)).toEqual([]);
  });

  it.each(NAMES)('%s uses nothing of a room above it, not even types', (name) => {
    const own = files.filter((file) => placeOf(file) === NAMES.indexOf(name));
    expect(own).not.toEqual([]);
    const above = own.flatMap((file) =>
      usedBy(file)
        .filter((used) => used.startsWith('core/') && placeOf(used) > placeOf(file))
        .map((used) => `${file} uses ${used}`),
    );
    expect(above).toEqual([]);
  });

  it.each([
    { file: 'state', type: 'GovernorState', most: 12, what: 'parts of the state' },
    { file: 'decisions', type: 'DecisionData', most: 28, what: 'kinds of decisions' },
  ])('at most $most $what', ({ file, type, most }) => {
    const { body } = parseSync(`${file}.ts`, textOf(`core/governor/${file}.ts`)).program;
    const declared = body.map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node));
    const members = declared.flatMap((node) =>
      node?.type === 'TSInterfaceDeclaration' && node.id.name === type ? node.body.body : [],
    );
    // Decisions of one kind with several subjects: `limit:cost`, `limit:time`.
    const kinds = new Set(members.map((member) => memberName(member).split(':')[0]));
    expect(kinds.size).toBeGreaterThan(5);
    expect(kinds.size).toBeLessThanOrEqual(most);
  });

  it.each(['state', 'decisions', 'effects', 'input'])('governor/%s.ts uses no value of another file', (name) => {
    const values = parseSync(`${name}.ts`, textOf(`core/governor/${name}.ts`)).module.staticImports.filter(
      ({ entries }) => entries.some(({ isType }) => !isType),
    );
    expect(values).toEqual([]);
  });
});
