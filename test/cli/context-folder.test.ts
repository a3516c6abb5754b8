import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openContextDir } from '../../src/store/folders/context-dir.ts';
import { sampled } from '../support/size.ts';
import { createPlace, journalOf, type Place, runFake } from './fakes.ts';

const TWO_PROMPTS = { fake: 'answers', flags: ['--prompt', 'one', '--prompt', 'two'] };

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function run(place: Place, flags: readonly string[] = []) {
  return runFake(place, { ...TWO_PROMPTS, flags: [...flags, ...TWO_PROMPTS.flags] });
}

describe('.context', () => {
  it('is readable only by its owner, and ignored by git', async () => {
    await using place = await createPlace();
    await run(place);
    expect(mode(place.path('.context'))).toBe('700');
    const entries = readdirSync(place.path('.context'), { recursive: true, withFileTypes: true });
    const names = entries.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['.gitignore', 'journal.ndjson', 'mailbox.ndjson', 'scratch.md']));
    for (const entry of entries) {
      expect(mode(join(entry.parentPath, entry.name))).toBe(entry.isDirectory() ? '700' : '600');
    }
    expect(readFileSync(place.path('.context/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('is extended by the next run', async () => {
    await using place = await createPlace();
    await run(place);
    await run(place);
    const kinds = journalOf(place).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'start')).toHaveLength(2);
    expect(journalOf(place).every(({ v, t }) => v === 1 && !Number.isNaN(Date.parse(String(t))))).toBe(true);
  });

  it('that was open to others and visible to git is corrected, and the run says so', async () => {
    await using place = await createPlace();
    await run(place);
    const before = journalOf(place).length;
    await place.file('.context/.gitignore', '');
    await chmod(place.path('.context'), 0o755);
    await chmod(place.path('.context/journal.ndjson'), 0o644);
    const { code, stderr } = await run(place);
    expect(code).toBe(0);
    expect(stderr).toContain(`${place.path('.context')} was open to other users (mode 755), and is yours alone now`);
    expect(stderr).toContain('.gitignore did not have git ignore the folder, and does now');
    expect(readFileSync(place.path('.context/.gitignore'), 'utf8')).toBe('*\n');
    expect([mode(place.path('.context')), mode(place.path('.context/journal.ndjson'))]).toEqual(['700', '600']);
    expect(journalOf(place).length).toBeGreaterThan(before);
  });

  it('is where --context-dir says', async () => {
    await using place = await createPlace();
    await run(place, ['--context-dir', 'deep/er']);
    expect(existsSync(place.path('.context'))).toBe(false);
    expect(existsSync(place.path('deep/er/journal.ndjson'))).toBe(true);
  });

  it('lists every held prompt before its delivery, and the delivery', async () => {
    await using place = await createPlace();
    await run(place);
    const lines = readFileSync(place.path('.context/mailbox.ndjson'), 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { held?: string; delivered?: string });
    const held = entries.flatMap(({ held }) => held ?? []);
    const delivered = entries.flatMap(({ delivered }) => delivered ?? []);
    expect(delivered).toHaveLength(2);
    expect(held.length).toBeGreaterThan(0);
    for (const uuid of held) {
      expect(entries.findIndex((entry) => entry.held === uuid)).toBeLessThan(
        entries.findIndex((entry) => entry.delivered === uuid),
      );
    }
  });
});

interface InTheWay {
  readonly title: string;
  readonly prepare: (place: Place) => Promise<unknown>;
}

const IN_THE_WAY: readonly InTheWay[] = [
  {
    title: '.context is a symbolic link to a folder',
    prepare: async (place) => {
      await mkdir(place.path('elsewhere'));
      await symlink(place.path('elsewhere'), place.path('.context'));
    },
  },
  { title: '.context is a dangling symbolic link', prepare: (place) => symlink('nowhere', place.path('.context')) },
  { title: '.context is a file', prepare: (place) => place.file('.context', 'mine') },
  {
    title: 'the journal is a symbolic link',
    prepare: async (place) => {
      openContextDir(place.path('.context'));
      await place.file('target', '');
      await symlink(place.path('target'), place.path('.context/journal.ndjson'));
    },
  },
  {
    title: 'the journal is a folder',
    prepare: async (place) => {
      openContextDir(place.path('.context'));
      await mkdir(place.path('.context/journal.ndjson'));
    },
  },
];

it.each(sampled(IN_THE_WAY, 3))(
  '$title: one notice, nothing is written there, and the run continues',
  async ({ prepare }) => {
    await using place = await createPlace();
    await prepare(place);
    const finished = await run(place);
    expect(finished.stdout.toString()).toBe('answer to one\nanswer to two\n');
    expect(finished.code).toBe(0);
    expect(finished.stderr).toMatch(/^ctxb: [^\n]*nothing more is written to [^\n]*\n$/);
    if (existsSync(place.path('elsewhere'))) expect(readdirSync(place.path('elsewhere'))).toEqual([]);
    if (existsSync(place.path('target'))) expect(readFileSync(place.path('target'), 'utf8')).toBe('');
  },
);
