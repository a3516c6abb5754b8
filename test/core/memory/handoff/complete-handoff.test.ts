import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS } from '../../../../src/core/governor/relief/handoff-request.ts';
import type { Entry } from '../../../../src/core/memory/entry.ts';
import { missingSection } from '../../../../src/core/memory/hand-back/recall.ts';
import { parseHandoff } from '../../../../src/core/memory/handoff/check-handoff.ts';
import { createNotebook } from '../../../../src/core/memory/notebook/notebook.ts';
import { command, edit, randomTexts } from '../../../support/notes.ts';

/** A document that says None everywhere but where `bodies` says something else. */
function documentOf(bodies: Partial<Record<(typeof HANDOFF_SECTIONS)[number], string>> = {}): string {
  return HANDOFF_SECTIONS.map((section) => `## ${section}\n${bodies[section] ?? 'None'}\n`).join('\n');
}

const FOLDER = '.context/sessions/s1';

function said(text: string): Entry {
  return { kind: 'prompt', t: 0, text, pictures: 0 };
}

function missing(document: string, entries: readonly Entry[], room = 8_000): string {
  const notebook = createNotebook();
  for (const entry of entries) notebook.add(entry);
  return missingSection(document, notebook, FOLDER, room);
}

const FAILED = command('bin/bench fast --all', 2);
const PASSED = command('make install', 0);

/** Lines of what is missing, without headings. */
function linesOf(document: string, entries: readonly Entry[]): string[] {
  return missing(document, entries)
    .split('\n')
    .filter((line) => line.startsWith('- '));
}

describe('completing a document', () => {
  it('changes nothing if the document is complete', () => {
    expect(missing(documentOf(), [])).toBe('');
  });

  it.each<{ name: string; document: string; entries: readonly Entry[]; missing: RegExp | undefined }>([
    {
      name: 'a failing command',
      document: documentOf(),
      entries: [FAILED],
      missing: /^- `bin\/bench fast --all` exit 2/,
    },
    {
      name: 'one that is a dead end there',
      document: documentOf({ 'Dead ends': '- **`bin/bench fast --all`**: of no use here' }),
      entries: [FAILED],
      missing: undefined,
    },
    {
      name: 'one that is said to fail somewhere',
      document: documentOf({ 'In progress': '`bin/bench fast --all` still fails' }),
      entries: [FAILED],
      missing: undefined,
    },
    {
      name: 'one of which is not said that it failed',
      document: documentOf({ 'Commands to verify': '- `bin/bench fast --all` — not run' }),
      entries: [FAILED],
      missing: /bin\/bench/,
    },
    {
      name: 'one that is part of another that is named',
      document: documentOf({ 'Dead ends': '- `bin/bench fast --all-of-it`' }),
      entries: [FAILED],
      missing: /bin\/bench/,
    },
    { name: 'a command', document: documentOf(), entries: [PASSED], missing: /^- `make install` exit 0/ },
    {
      name: 'a command that is named',
      document: documentOf({ 'Commands to verify': '- `make install` — passed' }),
      entries: [PASSED],
      missing: undefined,
    },
    {
      name: 'a command that only reads',
      document: documentOf(),
      entries: [command('ls -la src', 0)],
      missing: undefined,
    },
    {
      name: 'a changed file',
      document: documentOf({ Files: '- `src/ab.ts`' }),
      entries: [edit('src/a.ts')],
      missing: /src\/a\.ts/,
    },
    {
      name: 'a file that is named',
      document: documentOf({ Files: '- `src/a.ts`: edited' }),
      entries: [edit('src/a.ts')],
      missing: undefined,
    },
  ])('adds $name: $missing', ({ document, entries, missing }) => {
    expect(linesOf(document, entries)).toEqual(missing === undefined ? [] : [expect.stringMatching(missing)]);
  });

  it("adds the user's missing words first", () => {
    const prompts = [said('Mend the clock. Port 4711 must stay free.'), said('Now the bell.'), said('Go on.')];
    const document = documentOf({ Goal: 'Mend it. Go on.' });
    expect(linesOf(document, [...prompts, FAILED, PASSED])).toEqual([
      '- #2: Now the bell.',
      '- #1: Mend the clock. Port 4711 must stay free.',
      expect.stringContaining('bin/bench'),
      expect.stringContaining('make install'),
    ]);
  });

  it('adds a dead end once, for any form of the note', () => {
    const entries = [1, 2, 3].map(() => FAILED);
    const lines = linesOf(documentOf(), entries).filter((line) => line.includes('bin/bench fast'));
    expect(lines).toHaveLength(1);
  });

  it('stays within its room, with failures before successes', () => {
    const passed = Array.from({ length: 100 }, (_, n) => command(`make part-${n}`, 0));
    const failed = Array.from({ length: 20 }, (_, n) => command(`bin/try number-${n}`, 1));
    const entries = [...failed, said(`Mend ${'the clock and '.repeat(90)}the bell. Never touch vendor/x.`), ...passed];
    for (const room of [0, 50, 300, 1_000, 3_000, 8_000]) {
      expect(missing(documentOf(), entries, room).length).toBeLessThanOrEqual(room);
    }
    const text = missing(documentOf(), entries, 3_000);
    expect(text.match(/bin\/try number-\d+/g)).toHaveLength(20);
    expect(text).toContain(' Never touch vendor/x.');
  });

  it('adds a single section, for any texts', () => {
    const entries = randomTexts(7, 40).map((text, n) => command(`${text} ${n}`, n % 3));
    const text = missing(documentOf(), entries);
    const { sections } = parseHandoff(`${documentOf()}\n${text}`);
    expect([...sections.keys()]).toEqual([...HANDOFF_SECTIONS]);
    for (const [, body] of sections) expect(body).toBe('None');
  });
});
