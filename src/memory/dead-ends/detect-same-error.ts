import type { Entry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { quoted } from '../words.ts';
import { onlyReads, programOf } from './command-words.ts';
import { deadEnd, type Ledger, prolong, type Series, startSeries } from './dead-end-ledger.ts';
import { failureOf, isFailedAttempt, isLooking, isSuccess, isTelling, nameOf, whatCame } from './failure.ts';

interface Case {
  readonly agent: string | null;
  readonly series: Series;
  /** Fingerprints of inputs that led to the error. */
  readonly inputs: Set<string>;
  /** What was used, with its name for a reader; a success of any of it clears. */
  readonly means: Map<string, string>;
}

const MAX_CASES = 64;
const MAX_MEANS = 20;
const TIMES = 3;

/** Different calls that an agent makes end in the same error, again and again. */
export function createSameError(ledger: Ledger): (entry: Entry) => void {
  const cases = new Map<string, Case>();

  function fail(entry: ToolEntry): void {
    const means = meansOf(entry);
    const key = keyOf(entry, means);
    const known = cases.get(key);
    const now = known ?? { agent: entry.agent, series: startSeries(entry), inputs: new Set(), means: new Map() };
    if (known !== undefined) prolong(known.series, entry);
    if (now.inputs.size < MAX_MEANS) now.inputs.add(entry.input);
    if (now.means.size < MAX_MEANS) now.means.set(means, nameOfMeans(entry));
    remember(cases, key, now, MAX_CASES);
    if (now.series.count >= TIMES && now.inputs.size > 1) report(entry, key, now);
  }

  function report(entry: ToolEntry, key: string, { series, inputs, means }: Case): void {
    const names = [...means.values()].slice(0, 3).join(', ');
    const verb = entry.outcome === 'refused' ? 'refused' : 'failed';
    const text = `${names}: ${verb} ${series.count} times with the same error, tried in ${inputs.size} ways: ${whatCame(entry)}`;
    ledger.put(deadEnd({ key, cause: 'same error', agent: entry.agent }, series, text));
  }

  function succeed(entry: ToolEntry): void {
    const text = entry.command?.text;
    let worked: string | undefined;
    for (const [key, { agent, means }] of cases) {
      if (agent !== entry.agent || (text !== undefined && !mentions(text, means))) continue;
      worked ??= meansOf(entry);
      if (!means.has(worked)) continue;
      cases.delete(key);
      ledger.clear(key);
    }
  }

  return (entry) => {
    if (entry.kind !== 'tool' || isLooking(entry.name)) return;
    if (entry.outcome === 'ok') {
      if (cases.size > 0 && isSuccess(entry)) succeed(entry);
    } else if (counts(entry)) fail(entry);
  };
}

/** Looking for something in several places is a search; and what takes too long has nothing in common. */
function counts(entry: ToolEntry): boolean {
  const { signature = '', command } = entry;
  if (!isFailedAttempt(entry) || !isTelling(entry) || /^Command timed out/.test(signature)) return false;
  return command === undefined || !onlyReads(command.text);
}

function nameOfMeans(entry: ToolEntry): string {
  return entry.command === undefined ? nameOf(entry) : quoted(programOf(entry.command.text), 60);
}

/** What a call works with: a program, or a tool and the file it works on. */
function meansOf({ name, title, command, changes }: ToolEntry): string {
  return command === undefined ? `${name}\n${changes?.[0]?.path ?? title}` : programOf(command.text);
}

/** To read the program out of every command would take too long. */
function mentions(command: string, means: ReadonlyMap<string, string>): boolean {
  for (const program of means.keys()) if (command.includes(program)) return true;
  return false;
}

/**
 * One program may be called in many ways, a file tool is about its file. A refusal is about what was refused: that
 * several things need a permission is not one error.
 */
function keyOf(entry: ToolEntry, means: string): string {
  const narrow = entry.outcome === 'refused' || entry.command === undefined ? means : '';
  return `same error\n${entry.agent ?? ''}\n${entry.name}\n${failureOf(entry)}\n${narrow}`;
}
