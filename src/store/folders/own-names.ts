import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Kind, kindOfStats } from '../files/plain-file.ts';
import { orStoreError } from '../files/store-error.ts';

/** Says that ctxb made the folder it is in, and which folder that was. */
export const MARK = 'CTXB.TAG';
export const IGNORE = '.gitignore';
/** With it editors explain the keys of a `.contextbudgetrc`. */
export const SCHEMA = 'contextbudgetrc.schema.json';
/** Before the ending of a ledger's name: when it had become long and was put aside. */
export const PART = '(?:-\\d{8}T\\d{9}-[0-9a-f]{4})?';

export const SESSIONS = 'sessions';
/** A session's folder, or the one of a run that found it held: `<id>.<first 8 of the run's id>`. */
export const SESSION_FOLDER = /^[\w-]{1,64}(?:\.[\w-]{1,8})?$/;

/** The names that ctxb gives in one folder, and in those below it. */
interface Layout {
  readonly files?: RegExp;
  readonly folders?: readonly (readonly [names: RegExp, layout: Layout])[];
}

const LOCK = 'lock\\.[\\w-]{1,64}';
const ANY = '[\\w-]{1,64}';
const OF_ROOT = `scratch\\.md|contextbudgetrc\\.schema\\.json|(?:journal|mailbox)\\.ndjson|(?:health|cost)${PART}\\.ndjson|\\${IGNORE}|${MARK}`;
const OF_SESSION =
  '(?:human-input|state-changes|dead-ends|artifacts|commands|scratch|tool-log)\\.md|memory\\.ndjson|session\\.json';
/** What a process that was killed while it replaced a file has left: the file's name and a number. */
const NUMBER = '\\.\\d{1,10}';
export const LEFTOVER = whole(`(?:${OF_ROOT}|${OF_SESSION})${NUMBER}`);

/** Everything that ctxb makes in its folder. What is not here is somebody else's. */
const LAYOUT: Layout = {
  files: files(OF_ROOT),
  folders: [
    only(SESSIONS, { folders: [[SESSION_FOLDER, { files: files(`${OF_SESSION}|${LOCK}`) }]] }),
    only('hooks', {
      files: files('(?:cleared|claude-\\d{1,10})\\.json'),
      folders: [[whole(ANY), { files: files(`(?:state|window)\\.json|${LOCK}`) }]],
    }),
    only('flows', {
      folders: [
        [
          whole(`\\d{8}T\\d{9}-[0-9a-f]{4}-${ANY}`),
          {
            files: files('run\\.json'),
            folders: [
              [
                whole(ANY),
                { files: files('(?:pack|output)\\.md|(?:receipt|step)\\.json|stream(?:-\\d{1,6})?\\.ndjson') },
              ],
            ],
          },
        ],
      ],
    }),
    only('reliefs', { files: files(LOCK) }),
    only('receipts', { folders: [[whole(ANY), { files: files(`${ANY}\\.json`) }]] }),
    only('handoffs', {
      files: files('handoff-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-\\d{3}Z(?:-\\d{1,4})?(?:\\.memory)?\\.md'),
    }),
    only('prompts', { files: files(`${ANY}\\.md`) }),
    only('inbox', { files: files(`${ANY}\\.ndjson`) }),
    only('runs', { files: files(`${ANY}\\.ndjson`) }),
    only('tool-results', { files: files(`${ANY}(?:-\\d{1,4})?\\.txt`) }),
  ],
};

function files(names: string): RegExp {
  return whole(`(?:${names})(?:${NUMBER})?`);
}

function whole(names: string): RegExp {
  return new RegExp(`^(?:${names})$`);
}

function only(name: string, layout: Layout): readonly [RegExp, Layout] {
  return [whole(name), layout];
}

export interface Found {
  /** Relative to the folder. */
  readonly name: string;
  readonly kind: Kind;
  /** It has the name and the kind of something that ctxb makes; a link only the name. */
  readonly isOurs: boolean;
}

/**
 * All that is in a folder of ctxb's, what is in a folder before the folder. Links and foreign folders are not entered.
 *
 * @param at a folder in it: only what is in there; it must be one that ctxb makes
 */
export function* everythingIn(root: string, at = ''): Generator<Found> {
  const layout = layoutOf(at);
  const path = join(root, at);
  const entries = orStoreError(path, () => readdirSync(path, { withFileTypes: true }));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(at, entry.name);
    const kind = kindOfStats(entry);
    const isFile = layout?.files?.test(entry.name) ?? false;
    const isFolder = layoutBelow(layout, entry.name) !== undefined;
    if (kind === 'folder' && isFolder) yield* everythingIn(root, name);
    const fits: Partial<Record<Kind, boolean>> = {
      file: isFile,
      folder: isFolder,
      'symbolic link': isFile || isFolder,
    };
    yield { name, kind, isOurs: fits[kind] ?? false };
  }
}

function layoutOf(at: string): Layout | undefined {
  const names = at.split(sep).filter(Boolean);
  return names.reduce<Layout | undefined>(layoutBelow, LAYOUT);
}

function layoutBelow(layout: Layout | undefined, name: string): Layout | undefined {
  return layout?.folders?.find(([names]) => names.test(name))?.[1];
}
