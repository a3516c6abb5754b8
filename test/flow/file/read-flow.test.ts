import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readText } from '../../../src/flow/file/flow-files.ts';
import { readFlow } from '../../../src/flow/file/read-flow.ts';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/flows/', import.meta.url));

let root = '';
let folder = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-flow-'));
  folder = join(root, 'flows');
  mkdirSync(folder);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(content: string | Buffer, name = 'f.yaml'): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const SMALL = 'name: a\nsteps: [{id: x, prompt: y}]\n';

it('reads the small example', () => {
  const flow = readFlow(join(FIXTURES, 'small.yaml'));
  expect(flow).toMatchObject({ name: 'add-search', profiles: {}, budgets: { preset: 'lean' } });
  expect(flow.profile).toBeUndefined();
  expect(flow.curator).toEqual({});
  expect(flow.steps[2]).toEqual({
    id: 'test',
    agent: 'test-author',
    priority: undefined,
    objective: 'Prove with tests that the search finds what it should and nothing else.',
    inputs: ['src/search.ts'],
    outputs: ['test/search.test.ts'],
    teaching: { notes: undefined, emphasis: [], constraints: [] },
    prompt: 'Write test/search.test.ts, run it, and mend src/search.ts where it fails.',
    budgets: {},
    curator: {},
    model: undefined,
    timeoutSeconds: 900,
    onFail: 'stop',
  });
});

it('reads the example with 25 steps', () => {
  const flow = readFlow(join(FIXTURES, '25-steps.yaml'));
  expect(flow.steps).toHaveLength(25);
  expect(flow.profiles).toEqual({
    daily: { budgets: { preset: 'balanced' }, curator: {} },
    'small-window': { budgets: { preset: 'lean' }, curator: {} },
  });
  expect(flow.steps[24]).toMatchObject({ id: 'history', budgets: { preset: 'heavy' } });
});

it.each([
  { name: 'a byte order mark', content: `\uFEFF${SMALL}` },
  { name: 'lines that end as on Windows', content: SMALL.replaceAll('\n', '\r\n') },
  { name: 'lines that end as on old Macs', content: SMALL.replaceAll('\n', '\r') },
  { name: 'comments and a marked beginning', content: `# what it is\n---\n${SMALL}# the end\n` },
  { name: 'a schema for editors', content: `$schema: ./flow.schema.json\n${SMALL}` },
  { name: 'YAML 1.1 said outright, whose words stay texts', content: `%YAML 1.1\n---\n${SMALL}` },
])('reads a file with $name', ({ content }) => {
  const plain = readFlow(write(SMALL, 'plain.yaml'));
  expect(plain.name).toBe('a');
  expect(readFlow(write(content))).toEqual(plain);
});

it('reads the same from JSON, with or without a byte order mark', () => {
  const json = `\uFEFF${JSON.stringify({ name: 'a', steps: [{ id: 'x', prompt: 'y' }] }, undefined, '\t')}`;
  expect(readFlow(write(json, 'f.json'))).toEqual(readFlow(write(SMALL)));
});

it('reads words of YAML 1.1 and quoted numbers as texts', () => {
  const flow = readFlow(write('name: no\nsteps: [{id: on, objective: 12:30, prompt: "3"}]'));
  expect(flow).toMatchObject({ name: 'no', steps: [{ id: 'on', objective: '12:30', prompt: '3' }] });
});

it('executes nothing', () => {
  const mark = join(root, 'mark');
  const code = `(function () { require('node:fs').writeFileSync('${mark}', '') })()`;
  write(`name: a\nsteps: [{id: x, prompt: !!js/function "${code}"}]`);
  expect(() => readFlow(join(folder, 'f.yaml'))).toThrow('found: the tag tag:yaml.org,2002:js/function; correct');
  expect(() => readText(mark)).toThrow('expected a readable file');
});

it.each([
  { name: 'nothing', make: () => {}, found: 'expected a readable file, found: ENOENT' },
  { name: 'a folder', make: (path: string) => mkdirSync(path), found: 'expected a file, found: a folder' },
  {
    name: 'a pipe that nobody writes to',
    make: (path: string) => void execFileSync('mkfifo', [path]),
    found: 'expected a file, found: a special file',
  },
  {
    name: 'more than a megabyte',
    make: (path: string) => writeFileSync(path, `${SMALL}#${'x'.repeat(1_000_000)}`),
    found: 'expected at most 1000000 bytes, found: 1000037',
  },
  {
    name: 'bytes that are no text',
    make: (path: string) => writeFileSync(path, Buffer.from([0x6e, 0xff, 0xfe])),
    found: 'expected text in UTF-8, found: other bytes',
  },
])('refuses $name', ({ make, found }) => {
  const path = join(folder, 'it.yaml');
  make(path);
  expect(() => readFlow(path)).toThrow(`${path}: ${found}`);
});

it('accepts a flow of exactly a megabyte', () => {
  expect(readFlow(write(`${SMALL}#${'x'.repeat(1_000_000 - SMALL.length - 1)}`)).name).toBe('a');
});

// Root may read everything.
it.skipIf(process.getuid?.() === 0)('refuses a file that the user may not read', () => {
  const path = write('name: a\nsteps: [{id: x, prompt: y}]');
  chmodSync(path, 0o200);
  expect(() => readFlow(path)).toThrow('expected a readable file, found: EACCES');
});

it('follows a link to a flow and uses the folder of the link', () => {
  writeFileSync(join(root, 'elsewhere.yaml'), 'name: a\nprofile: p\nsteps: [{id: x, prompt: y}]');
  symlinkSync('../elsewhere.yaml', join(folder, 'f.yaml'));
  mkdirSync(join(folder, 'profiles'));
  write('budgets: {preset: lean}', 'profiles/p.yaml');
  expect(readFlow(join(folder, 'f.yaml')).profiles).toHaveProperty('p');
});
