import { withOurEntries, withoutOurEntries } from './claude-settings.ts';
import { readSettingsText, type SettingsFile } from './settings-file.ts';

export interface Change {
  /** Empty: no file. */
  readonly before: string;
  readonly after: string;
  readonly remarks: readonly string[];
  make(): void;
}

export interface Wishes {
  readonly program: string;
  readonly force: boolean;
}

/** @throws CtxbError `config` where the file is not a JSON object */
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
      const others = withoutOurs(path, file);
      if (others !== '') file.keep(others);
      file.write(after);
    },
  };
}

/** Restores the backup where nobody has changed the file since; otherwise removes our entries from it. */
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

/** Restores the status line that ours replaced. Empty: there is nothing but ours. */
function withoutOurs(path: string, { text, backup }: SettingsFile): string {
  const { settings, write } = readSettingsText(path, text);
  const left = withoutOurEntries(settings);
  const { statusLine } = readSettingsText(path, backup).settings;
  const isTaken = 'statusLine' in settings && !('statusLine' in left) && statusLine !== undefined;
  const after = isTaken ? { ...left, statusLine } : left;
  if (JSON.stringify(after) === JSON.stringify(settings)) return text ?? '';
  return backup === undefined && Object.keys(after).length === 0 ? '' : write(after);
}
