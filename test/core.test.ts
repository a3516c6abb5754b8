import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
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

/**
 * The rooms of the governor from the ground up: each may use what stands before it. Types may come from anywhere: the
 * state names what all rooms keep in it.
 */
const ROOMS = [
  ...['call-identity', 'policy', 'input', 'facts', 'decisions', 'effects', 'state', 'gauge', 'cost', 'steps'],
  ...[
    'prompts',
    'agents',
    'zones',
    'tool-budget',
    'relief',
    'waits',
    'control',
    'process',
    'conversation',
    'initial-state',
    'record',
    'standing',
    'step',
  ],
];

const roomOf = (file: string) => file.slice('core/governor/'.length).split('/')[0]?.replace(/\.ts$/, '') ?? '';

/** Files whose values a file uses; with `types`, their types too. */
function usedBy(file: string, types = false): readonly string[] {
  const { staticImports } = parseSync(file, textOf(file)).module;
  return staticImports
    .filter(({ entries }) => types || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => join(dirname(file), moduleRequest.value));
}

describe('the rooms of the core', () => {
  /** From the ground up. */
  const rooms = ['protocol', 'governor', 'memory', 'exact'];

  it('are these', () => {
    expect([...new Set(filesIn('core').map((file) => file.split('/')[1]))].sort()).toEqual([...rooms].sort());
  });

  it.each(rooms.map((room, at) => [room, rooms.slice(at + 1)] as const))(
    '%s uses nothing of %j, not even types',
    (room, above) => {
      const used = filesIn(`core/${room}`).flatMap((file) =>
        usedBy(file, true).filter((other) => above.some((one) => other.startsWith(`core/${one}/`))),
      );
      expect(used).toEqual([]);
    },
  );
});

describe('the governor', () => {
  const files = filesIn('core/governor');

  it('has no room without its place', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...ROOMS].sort());
  });

  it.each(ROOMS)('%s uses nothing that stands above it', (room) => {
    const own = files.filter((file) => roomOf(file) === room);
    const above = own.flatMap((file) =>
      usedBy(file)
        .filter((used) => used.startsWith('core/governor/') && ROOMS.indexOf(roomOf(used)) > ROOMS.indexOf(room))
        .map((used) => `${file} uses ${used}`),
    );
    expect(above).toEqual([]);
  });

  it.each(['state', 'decisions', 'effects', 'input'])('%s uses no value of another file', (name) => {
    expect(usedBy(`core/governor/${name}.ts`)).toEqual([]);
  });
});
