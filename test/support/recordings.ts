import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRecord } from '../../src/core/governor/record.ts';
import { decodeLine } from '../../src/core/protocol/decode.ts';
import type { Event } from '../../src/core/protocol/events.ts';
import { findIn, type ReadLine } from '../../src/replay/read/line-feed.ts';

/** A recording on disk. `name` is its path below the folder it was looked for in. */
export interface Recording {
  readonly name: string;
  readonly path: string;
}

const FIXTURES = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../shared', import.meta.url));

/** The recordings of this repository, made with the pinned claude and the stand-in. */
export const FIXTURE_RECORDINGS = recordingsBelow(FIXTURES);

/** More of them, from three versions, where the folder lies beside the checkout. */
export const SHARED_RECORDINGS = recordingsBelow(join(SHARED, 'recordings'));

/** Sessions that other people published, where the folder lies beside the checkout. */
export const TRANSCRIPTS = recordingsBelow(join(SHARED, 'transcripts'));

/** Logs that people have found read wrong, where the folder lies beside the checkout. */
export const FOUND_LOGS = recordingsBelow(join(SHARED, 'cases'));

/** The path of one of our own recordings, such as `compact.ndjson`. */
export function fixture(name: string): string {
  return join(FIXTURES, name);
}

/** The lines of a recording, without their terminators. */
export function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** A line as the reading of a recording hands it over. */
export function asRead(text: string): ReadLine {
  return findIn(text);
}

/** The lines of a recording, parsed, for a test to cut from. */
export function objectsOf(path: string): Record<string, unknown>[] {
  return linesOf(path).map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Lines `from` to `to` (exclusive, from 0) of one of our own recordings, put into the session `s1` of a supported claude. */
export function cut(name: string, from: number, to: number): Record<string, unknown>[] {
  return objectsOf(fixture(name))
    .slice(from, to)
    .map((line) => ('session_id' in line ? { ...line, session_id: 's1' } : line))
    .map((line) => ('claude_code_version' in line ? { ...line, claude_code_version: '2.1.332' } : line));
}

/** Turns of `/compact` as the pinned claude wrote them, by their verdict. */
export const COMPACT_TURNS = {
  success: cut('compact.ndjson', 7, 14),
  empty: cut('compact-fails.ndjson', 0, 3),
  failed: cut('compact-fails.ndjson', 8, 13),
  refused: cut('compact-refused.ndjson', 5, 8),
  unavailable: cut('compact-unavailable.ndjson', 5, 10),
};

/** Decodes lines. Takes the lines of a dialogue out of their envelopes first. */
export function eventsOf(path: string): Event[] {
  return linesOf(path).map(
    (line) => readRecord(JSON.parse(line) as Record<string, unknown>, 0)?.event ?? decodeLine(line),
  ) as Event[];
}

function recordingsBelow(folder: string): Recording[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ndjson|jsonl)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ name: relative(folder, path), path }));
}

/** A case out of `fixtures/vectors`. */
export interface Vector<Input, Expected> {
  readonly id: string;
  readonly name: string;
  readonly input: Input;
  readonly expected: Expected;
  /** `known-defect`: what is expected is what another program does wrong. */
  readonly kind: 'conform' | 'known-defect';
  readonly note?: string;
}

/** The cases of one area, such as `token-accounting`. */
export function vectorsOf<Input, Expected>(area: string): Vector<Input, Expected>[] {
  const path = fileURLToPath(new URL(`../../fixtures/vectors/${area}.json`, import.meta.url));
  return JSON.parse(readFileSync(path, 'utf8')) as Vector<Input, Expected>[];
}
