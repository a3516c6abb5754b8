import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../src/claude/supported-versions.ts';
import { resolveConfig } from '../src/config/resolve-config.ts';
import { FACTS } from '../src/doctor/facts.ts';
import { PAGES } from './support/pages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = PAGES.get('README.md') ?? '';
const LIMITATIONS = PAGES.get('docs/limitations.md') ?? '';
const SOURCE = PAGES.get('docs/source.md') ?? '';

it.each([...PAGES].map(([path, text]) => ({ path, text })))('every link of $path leads somewhere', ({ path, text }) => {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  expect(links.filter((target) => !leads(path, target))).toEqual([]);
});

it.each(['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', ...PAGES.keys()])('%s has no mark of a conflict', (path) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).not.toMatch(/^(?:<{7}|={7}|>{7})(?: |$)/m);
});

it('the README fits into two screens', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(81);
});

it('the README has the same savings as their page', () => {
  const rows = README.split('\n').filter((line) => /^\| .*: cost \|/.test(line));
  const figures = rows.flatMap((row) => [...row.matchAll(/\$[\d.]+/g)].map(([figure]) => figure));
  expect(figures).toHaveLength(6);
  const outcome = PAGES.get('docs/outcome.md') ?? '';
  expect(figures.filter((figure) => !outcome.includes(figure))).toEqual([]);
});

it('the account of claude alone is off by less than 3 % in every measured job', () => {
  const rows = PAGES.get('docs/outcome.md')?.matchAll(
    /^\|[^|]*(?:\| \$[^|]*){2}\|[^|]*\|[^|]*\|[^|]*\| (-?[\d.]+) % \|$/gm,
  );
  const errors = [...(rows ?? [])].map(([, error]) => Math.abs(Number(error)));
  expect(errors.length).toBeGreaterThan(10);
  expect(errors.filter((error) => error >= 3)).toEqual([]);
});

it('every page is in the index of pages', () => {
  const index = PAGES.get('docs/README.md') ?? '';
  const pages = [...PAGES.keys()].flatMap((path) => (path.startsWith('docs/') ? [path.slice('docs/'.length)] : []));
  expect(pages.filter((page) => page !== 'README.md' && !index.includes(`(${page})`))).toEqual([]);
});

it('every message of the page on trouble is one that ctxb prints', () => {
  const headings = [...(PAGES.get('docs/troubleshooting.md') ?? '').matchAll(/^### `(.*)`$/gm)];
  const parts = headings.flatMap(([, text = '']) => text.split('…').map((part) => part.trim()));
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const source = files.map((file) => readFileSync(join(ROOT, 'src', file), 'utf8')).join('\n');
  expect(headings.length).toBeGreaterThan(15);
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});

it('docs/source.md describes every source folder', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const folders = new Set(files.filter((file) => file.includes(sep)).map((file) => `src/${file.split(sep)[0]}`));
  const table = SOURCE.slice(SOURCE.indexOf('| folder |'), SOURCE.indexOf('## Where is'));
  const named = [...table.matchAll(/`(src\/[\w-]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...folders].sort());
});

it('the architecture fits on a page', () => {
  expect((PAGES.get('docs/architecture.md') ?? '').split('\n').length).toBeLessThanOrEqual(72);
});

it('the pages on the architecture and the source name files that are there', () => {
  const text = `${PAGES.get('docs/architecture.md')}${SOURCE}`;
  const named = [...text.matchAll(/`(?:src\/)?([\w/-]+\/[\w-]+\.ts|messages\.ts)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(20);
  const places = ['', 'src', 'src/core/governor', 'src/core/governor/conversation'];
  const isThere = (file: string) => places.some((place) => existsSync(join(ROOT, place, file)));
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});

const oldestPart: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(ROOT, 'test/support/oldest-part.json'), 'utf8'),
);

it.each(Object.entries(oldestPart))(
  'the oldest claude is tried with tests of test/e2e/%s that are there',
  (name, words) => {
    const file = readFileSync(join(ROOT, `test/e2e/${name}.test.ts`), 'utf8');
    // A value in quotation marks comes from a table of the test.
    const titles = words.flatMap((title) => title.split(/'[^']*'/)).filter((part) => part !== '');
    expect(titles.filter((title) => !file.includes(title))).toEqual([]);
  },
);

it('the versions in the documentation are those that ctxb is tested with', () => {
  const table = LIMITATIONS.slice(LIMITATIONS.indexOf('## Versions of Claude Code'));
  const rows = [...table.matchAll(/^\| (\d+\.\d+\.\d+) \| (.*) \|$/gm)].map(([, version, text]) => ({ version, text }));
  const count = FACTS.length;
  const all = `all ${count} facts of \`ctxb doctor\` hold`;
  expect(rows).toEqual([
    { version: NEWEST_CLAUDE, text: expect.stringContaining(`the newest: ${all}`) },
    { version: OLDEST_CLAUDE, text: expect.stringContaining(`the oldest supported: ${all}`) },
    { version: '1.0.128', text: expect.stringContaining('recordings are read') },
  ]);
  expect(LIMITATIONS.replaceAll('\n', ' ')).toContain(
    `newest Claude Code (${NEWEST_CLAUDE}), a part of them with the oldest supported one (${OLDEST_CLAUDE})`,
  );
});

it('the configuration that its page shows is a good one', async () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(PAGES.get('docs/configuration.md') ?? '') ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-config-'));
  try {
    writeFileSync(join(folder, '.contextbudgetrc'), json);
    const { sources, findings } = await resolveConfig({ cwd: folder, env: {}, flags: {} });
    expect(findings).toEqual([]);
    expect(Object.values(sources).some(({ source }) => source === 'file')).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** To a page of the web, a file of the repository, or a heading of a page. */
function leads(from: string, target: string): boolean {
  const [path = '', heading] = target.split('#');
  if (path.startsWith('https:')) return true;
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return false;
  return heading === undefined || headingsOf(readFileSync(join(ROOT, file), 'utf8')).includes(heading);
}

/** As they are named in links. */
function headingsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
