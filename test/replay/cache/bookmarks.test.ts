import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { type Bookmarks, createBookmarks } from '../../../src/replay/cache/bookmarks.ts';
import { type ReplayOptions, replaySource } from '../../../src/replay/replay.ts';
import { findSources } from '../../../src/replay/sources.ts';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { redact } from '../../../src/store/masks/redact.ts';
import { boundaryLine, type Line, userLine } from '../../support/governor.ts';
import { asRecord, lineEndsOf, stagesOf } from '../../support/growing.ts';
import { createRandom } from '../../support/random.ts';
import { FIXTURE_RECORDINGS, fixture, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';
import { sized } from '../../support/size.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-bookmarks-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Variant = Pick<ReplayOptions, 'series' | 'accuracy'>;

const PLAIN: Variant = { series: false };
const DETAILED: Variant = { series: true, accuracy: true };

/** Bookmarks of every file, however short, and how often one was of use. */
function createCounting(): { readonly bookmarks: Bookmarks; readonly used: number } {
  const kept = new Map<string, string>();
  const { open } = createBookmarks({
    store: { get: (file) => kept.get(file), put: kept.set.bind(kept) },
    worthBytes: 1,
  });
  let used = 0;
  return {
    bookmarks: {
      open(file) {
        const bookmark = open(file);
        if (bookmark.found !== undefined) used++;
        return bookmark;
      },
    },
    get used() {
      return used;
    },
  };
}

async function judge(file: string, variant: Variant, bookmarks?: Bookmarks): Promise<SessionSummary> {
  const [source = { file, subagents: [] }] = findSources(file);
  const options = { policy: DEFAULTS, stdin: Readable.from([]), mask: redact, ...variant };
  return replaySource(source, { ...options, bookmarks });
}

/**
 * Lets a copy grow, and compares at each stage what is gone on with to what is read from its beginning.
 *
 * @returns how often it was gone on with
 */
async function expectSame(content: Buffer, variant: Variant, stages: readonly number[]): Promise<number> {
  const file = join(root, 'session.jsonl');
  const counting = createCounting();
  writeFileSync(file, '');
  let from = 0;
  for (const to of stages) {
    appendFileSync(file, content.subarray(from, to));
    from = to;
    expect(await judge(file, variant, counting.bookmarks)).toEqual(await judge(file, variant));
  }
  return counting.used;
}

/** A file of a session, and one that has been judged. */
async function createJudged(content: Buffer | string) {
  const file = join(root, 'session.jsonl');
  const counting = createCounting();
  writeFileSync(file, content);
  utimesSync(file, 1_000, 1_000);
  await judge(file, DETAILED, counting.bookmarks);
  return {
    file,
    /** Whether it is gone on with; what is said of it is the same anyhow. */
    async isGoneOnWith(): Promise<boolean> {
      const before = counting.used;
      expect(await judge(file, DETAILED, counting.bookmarks)).toEqual(await judge(file, DETAILED));
      return counting.used > before;
    },
  };
}

/** Rows of a session log that mean something by what came before them. */
const ODD: readonly Line[] = [
  callOf('m1', 153_000),
  userLine('<command-name>/exit</command-name>'),
  userLine('Why is this so?'),
  callOf('m2', 120_000),
  // Without a prompt in between.
  callOf('m3', 100_000),
  callOf('m4', 0),
  callOf('m4', 0),
  boundaryLine('auto', 101_000),
  callOf('m5', 100_500),
  userLine('And with another model?'),
  callOf('m6', 99_000, 'claude-haiku-4-5'),
  callOf('m7', 98_000, 'claude-haiku-4-5'),
  { ...callOf('m5', 100_500), uuid: 'm5' },
  { ...callOf('m1', 153_000), uuid: 'another' },
  callOf('m8', 101_000),
].map((row, at) => ({ uuid: `u${at}`, sessionId: 's', ...row }));

function callOf(id: string, used: number, model = 'claude-opus-4-5'): Line {
  const usage = { input_tokens: used, output_tokens: used && 3 };
  return { type: 'assistant', uuid: id, message: { id, model, content: [{ type: 'text', text: 'yes' }], usage } };
}

describe('a recording that grows', () => {
  it.each([...FIXTURE_RECORDINGS, ...sized([], [...SHARED_RECORDINGS, ...TRANSCRIPTS])])(
    '$name: is gone on with exactly',
    async ({ path, name }) => {
      const random = createRandom(name.length);
      for (const variant of [PLAIN, DETAILED]) {
        const content = readFileSync(path);
        expect(await expectSame(content, variant, stagesOf(content, random))).toBeGreaterThan(0);
      }
    },
  );

  it('is gone on with as a record of a run without notes, and read anew as one with notes', async () => {
    const path = fixture('compact.dialogue.ndjson');
    const [without, withNotes] = [asRecord(path, false), asRecord(path, true)];
    expect(await expectSame(without, DETAILED, lineEndsOf(without))).toBeGreaterThan(5);
    expect(await expectSame(withNotes, DETAILED, lineEndsOf(withNotes))).toBe(0);
  });

  it('is gone on with also between lines that are only odd beside each other', async () => {
    const content = Buffer.from(ODD.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect(await expectSame(content, DETAILED, lineEndsOf(content))).toBe(ODD.length - 1);
  });
});

const LOG = readFileSync(fixture('crossing.session.jsonl'), 'utf8');
const ROW = LOG.slice(0, LOG.indexOf('\n') + 1);
/** The same but for a letter, far from both ends. */
const MIDDLE = Math.floor(LOG.length / 2);
const OTHER = LOG.slice(0, MIDDLE) + LOG.slice(MIDDLE).replace('"type":"user"', '"type":"used"');

describe('what was judged', () => {
  it.each<{ name: string; goesOn: boolean; change: (file: string) => void }>([
    { name: 'was added to', goesOn: true, change: (file) => appendFileSync(file, '{"type":"summary"}\n') },
    { name: 'was left alone', goesOn: true, change: () => {} },
    { name: 'was touched', goesOn: false, change: (file) => utimesSync(file, 2_000, 2_000) },
    { name: 'was cut off', goesOn: false, change: (file) => truncateSync(file, LOG.length - 10) },
    { name: 'was emptied', goesOn: false, change: (file) => truncateSync(file) },
    { name: 'was rewritten with the same size', goesOn: false, change: (file) => writeFileSync(file, OTHER) },
    {
      name: 'was rewritten with the same size and given its time again',
      goesOn: false,
      change: (file) => {
        writeFileSync(file, OTHER);
        utimesSync(file, 1_000, 1_000);
      },
    },
    { name: 'was rewritten and is longer', goesOn: false, change: (file) => writeFileSync(file, `${OTHER}${ROW}`) },
    {
      name: 'was replaced by a longer one with the same beginning',
      goesOn: false,
      change: (file) => {
        writeFileSync(`${file}.new`, `${LOG}${ROW}`);
        renameSync(`${file}.new`, file);
      },
    },
    {
      name: 'was added to and has an older time',
      goesOn: false,
      change: (file) => {
        appendFileSync(file, ROW);
        utimesSync(file, 999, 999);
      },
    },
    {
      name: 'was cut off and is longer again',
      goesOn: false,
      change: (file) => {
        truncateSync(file, LOG.length - 200);
        appendFileSync(file, ROW.repeat(100));
      },
    },
  ])('is gone on with only where nothing else happened to it: $name', async ({ goesOn, change }) => {
    const { file, isGoneOnWith } = await createJudged(LOG);
    change(file);
    expect(await isGoneOnWith()).toBe(goesOn);
  });

  it('has a last line that is judged, and read again when it is whole', async () => {
    const end = LOG.lastIndexOf('"type":"assistant"');
    const { file, isGoneOnWith } = await createJudged(LOG.slice(0, end));
    for (const more of [LOG.slice(end, end + 50), LOG.slice(end + 50), ROW.trimEnd(), '\n']) {
      appendFileSync(file, more);
      expect(await isGoneOnWith()).toBe(true);
    }
  });

  it.each([
    { name: 'in its first block', at: 100 },
    { name: 'right before the bookmark', at: -5_000 },
  ])('is read anew when it was changed $name and added to', async ({ at }) => {
    const { file, isGoneOnWith } = await createJudged(LOG.repeat(20));
    const handle = openSync(file, 'r+');
    writeSync(handle, ' ', at < 0 ? LOG.length * 20 + at : at);
    closeSync(handle);
    appendFileSync(file, ROW);
    expect(await isGoneOnWith()).toBe(false);
  });
});

describe('a session with subagents', () => {
  const NAME = 'subagent.session';

  /** In a folder of its own, judged once. */
  async function createSession() {
    cpSync(fixture(NAME), join(root, 'session'), { recursive: true });
    const judged = await createJudged(readFileSync(fixture(`${NAME}.jsonl`)));
    const folder = join(root, 'session', 'subagents');
    const [log = ''] = readdirSync(folder).map((name) => join(folder, name));
    return { ...judged, folder, log };
  }

  it.each<{ name: string; change: (session: Awaited<ReturnType<typeof createSession>>) => void }>([
    { name: 'grew itself', change: ({ file }) => appendFileSync(file, ROW) },
    {
      name: 'has one that grew',
      change: ({ log }) => appendFileSync(log, readFileSync(log, 'utf8').split('\n')[1] ?? ''),
    },
    { name: 'has one that was cut off', change: ({ log }) => truncateSync(log, 3_000) },
    { name: 'has one more', change: ({ log, folder }) => cpSync(log, join(folder, 'agent-another.jsonl')) },
    { name: 'has one less', change: ({ log }) => rmSync(log) },
    {
      name: 'grew itself and has one that grew',
      change: ({ file, log }) => {
        appendFileSync(file, ROW);
        appendFileSync(log, ROW);
      },
    },
  ])('is gone on with exactly when it $name', async ({ change }) => {
    const session = await createSession();
    change(session);
    expect(await session.isGoneOnWith()).toBe(true);
  });
});

describe('what is kept', () => {
  /** As it is written for a file with this content. */
  async function keptOf(content: string, variant: Variant, worthBytes?: number): Promise<readonly string[]> {
    const kept: string[] = [];
    const store = { get: () => undefined, put: (_: string, text: string) => kept.push(text) };
    const file = join(root, 'session.jsonl');
    writeFileSync(file, content);
    await judge(file, variant, createBookmarks({ store, ...(worthBytes !== undefined && { worthBytes }) }));
    return kept;
  }

  it('does not show what is in the recording', async () => {
    const secret = 'rosebud-4711';
    const [kept = ''] = await keptOf(LOG.replaceAll('README', secret), PLAIN, 1);
    expect(kept.length).toBeGreaterThan(1_000);
    expect(kept).not.toContain(secret);
    expect(Buffer.from(kept, 'base64').toString()).not.toContain(secret);
    expect(Buffer.from((JSON.parse(kept) as { found: string }).found, 'base64').toString('latin1')).not.toContain(
      'tokens',
    );
  });

  it('is nothing of what is read as fast anew', async () => {
    expect(await keptOf(LOG, PLAIN)).toEqual([]);
  });

  it('is nothing where it is too much', async () => {
    const prompt = { type: 'user', sessionId: 's', message: { role: 'user', content: 'ж'.repeat(500) } };
    const rows = `${JSON.stringify(prompt)}\n`.repeat(9_600);
    expect(await keptOf(rows, PLAIN)).toHaveLength(1);
    expect(await keptOf(rows, DETAILED)).toEqual([]);
  });
});
