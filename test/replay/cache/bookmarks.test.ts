import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { recordRun } from '../../../src/governor/record.ts';
import { type Bookmarks, createBookmarks } from '../../../src/replay/cache/bookmarks.ts';
import { type ReplayOptions, replaySource } from '../../../src/replay/replay.ts';
import { findSources } from '../../../src/replay/sources.ts';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { redact } from '../../../src/store/redact.ts';
import { policyWith, runWith } from '../../support/governor.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { FIXTURE_RECORDINGS, fixture, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';

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

/** Ends of the stages that a file grows in: anywhere, also inside a line or a character, and at the end of a line. */
function stagesOf(content: Buffer, random: Random): number[] {
  const within = Array.from({ length: random.whole(2, 4) }, () => random.whole(1, content.length));
  const between = content.indexOf(10, random.whole(0, content.length - 1)) + 1;
  return [...within, between, content.length].sort((a, b) => a - b);
}

/** Lets a copy grow, and compares at each stage what is gone on with to what is read from its beginning. */
async function expectSame(content: Buffer, variant: Variant, random: Random): Promise<number> {
  const file = join(root, 'session.jsonl');
  const counting = createCounting();
  writeFileSync(file, '');
  let from = 0;
  for (const to of stagesOf(content, random)) {
    appendFileSync(file, content.subarray(from, to));
    from = to;
    expect(await judge(file, variant, counting.bookmarks)).toEqual(await judge(file, variant));
  }
  return counting.used;
}

/** A recording of both directions as `ctxb run` records it. */
function asRecord(path: string, remembers: boolean): Buffer {
  const { memory } = DEFAULTS;
  const run = runWith({ policy: policyWith({ memory: { ...memory, enabled: remembers } }) });
  return Buffer.concat([Buffer.from(`${JSON.stringify(recordRun(run, 1))}\n`), readFileSync(path)]);
}

describe('a recording that grows', () => {
  it.each([...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS])(
    '$name: is gone on with exactly',
    async ({ path, name }) => {
      const random = createRandom(name.length);
      for (const variant of [PLAIN, DETAILED]) {
        expect(await expectSame(readFileSync(path), variant, random)).toBeGreaterThan(0);
      }
    },
  );

  it('is gone on with as a record of a run without notes, and read anew as one with notes', async () => {
    const path = fixture('compact.dialogue.ndjson');
    expect(await expectSame(asRecord(path, false), DETAILED, createRandom(1))).toBeGreaterThan(0);
    expect(await expectSame(asRecord(path, true), DETAILED, createRandom(1))).toBe(0);
  });
});
