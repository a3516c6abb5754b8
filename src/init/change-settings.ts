import { withOurEntries, withoutOurEntries } from './claude-settings.ts';
import type { SettingsFile } from './settings-file.ts';
import { readSettingsText } from './settings-text.ts';

/** A change of a file that is yet to be made. */
export interface Change {
  /** Empty: there is no file, or there is to be none. */
  readonly before: string;
  readonly after: string;
  /** What the person should know of it. */
  readonly remarks: readonly string[];
  make(): void;
}

/** How our entries are put in. */
export interface Wishes {
  /** The words that call ctxb. */
  readonly program: string;
  /** Somebody else's status line gives way. */
  readonly force: boolean;
}

/** @throws CtxbError `config` when the file is no settings in JSON */
export function addition(path: string, file: SettingsFile, { program, force }: Wishes): Change {
  const { settings, write } = readSettingsText(path, file.text);
  const { settings: changed, otherStatusLine } = withOurEntries(settings, program, force);
  const before = file.text ?? '';
  const after = JSON.stringify(changed) === JSON.stringify(settings) ? before : write(changed);
  const left = `the status line there stays (${otherStatusLine}): with --force ours takes its place`;
  return {
    before,
    after,
    remarks: otherStatusLine === undefined ? [] : [left],
    make() {
      file.keep();
      file.write(after);
    },
  };
}

/** Makes the file as it was, where it is as it was left; else takes our entries out of what it is now. */
export function removal(path: string, file: SettingsFile, { program }: Pick<Wishes, 'program'>): Change {
  const before = file.text ?? '';
  const after = file.backup !== undefined && isUnchanged(path, file, program) ? file.backup : withoutOurs(path, file);
  return {
    before,
    after,
    remarks: [],
    make() {
      file.write(after);
      file.forget();
    },
  };
}

function isUnchanged(path: string, { text, backup }: SettingsFile, program: string): boolean {
  const { settings, write } = readSettingsText(path, backup);
  return [true, false].some((force) => write(withOurEntries(settings, program, force).settings) === text);
}

/** The status line that ours has taken the place of comes back. */
function withoutOurs(path: string, { text, backup }: SettingsFile): string {
  const { settings, write } = readSettingsText(path, text);
  const left = withoutOurEntries(settings);
  const { statusLine } = readSettingsText(path, backup).settings;
  const isTaken = 'statusLine' in settings && !('statusLine' in left) && statusLine !== undefined;
  const after = isTaken ? { ...left, statusLine } : left;
  return JSON.stringify(after) === JSON.stringify(settings) ? (text ?? '') : write(after);
}
