import type { Config } from '../config/config.ts';
import type { Io } from '../io.ts';
import { type CheckedRecord, checkRecord } from '../replay/check-record.ts';
import { attempt } from '../replay/replay.ts';
import { findAllSources } from '../replay/sources.ts';
import { checkText } from '../report/replay/verdicts.ts';
import { printable, printableJson } from '../report/shown.ts';
import { redact } from '../store/masks/redact.ts';
import { openStdin } from './inputs.ts';

const EXIT_CODES: Readonly<Record<CheckedRecord['verdict'], number>> = { same: 0, 'no-actions': 2, different: 3 };
const EXIT_UNREADABLE = 2;

/** Holds what records of `ctxb run` decided against what a replay decides. Resolves with the exit code. */
export async function checkRecords(
  files: readonly string[],
  { json }: { readonly json?: true },
  policy: Config,
  io: Io,
): Promise<number> {
  const { sources, faults: unseen } = findAllSources(files, undefined);
  const faults = [...unseen];
  const stdin = openStdin(
    sources.map(({ file }) => file),
    io,
  );
  const found: CheckedRecord[] = [];
  for (const source of sources) {
    const checked = await attempt(() => checkRecord(source, { policy, stdin, mask: redact }));
    if ('fault' in checked) faults.push(checked.fault);
    else found.push(checked.found);
  }
  for (const fault of faults) io.stderr.write(`ctxb: ${printable(fault.message)}\n`);
  const text = found.map((checked) => `${checkText(checked)}\n`).join('');
  io.stdout.write(json ? `${printableJson({ version: 1, checked: found }, 2)}\n` : text);
  return Math.max(faults.length > 0 ? EXIT_UNREADABLE : 0, ...found.map(({ verdict }) => EXIT_CODES[verdict]));
}
