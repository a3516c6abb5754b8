import { fieldsOf, numberOf, textsOf } from '../../protocol/fields.ts';
import type { CommandFacts, Counts, Outcome, ToolEntry } from '../entry.ts';
import { commandOf, durationOf, type EndedCall } from '../extract/tool-calls.ts';
import { type ShellEffects, shellEffects } from '../shell/shell-effects.ts';
import { durationText, lastLines } from '../words.ts';
import { readCounts } from './counts.ts';

const COMMAND_NEAR = 20_000;
const TAIL_NEAR = { lines: 40, length: 8_000 };

/** Most commands only look: without one of these words, or a redirection to a file, nothing need be understood. */
const MAY_CHANGE_FILES =
  /(?<![0-9&])>(?![&\s]*\/dev\/null|&\d)|\b(?:rm|mv|cp|tee|touch|sed|perl|git|ln|install|truncate|dd)\b/;

/** What is known of a command that was run, without what it did to files, or undefined when the call ran none. */
export function commandFacts(ended: EndedCall): CommandFacts | undefined {
  const text = commandOf(ended);
  if (text === undefined) return undefined;
  const { outcome, result } = ended;
  const exit = exitOf(ended);
  const isFailure = outcome === 'failed' || (outcome === 'ok' && exit !== null && exit > 1);
  return {
    text: text.slice(0, COMMAND_NEAR),
    exit,
    background: isBackground(ended),
    ms: durationOf(ended),
    tail: isFailure ? lastLines(outputOf(ended), TAIL_NEAR.lines, TAIL_NEAR.length) : '',
    counts: outcome === 'ok' || outcome === 'failed' ? readCounts(result.text) : undefined,
  };
}

/** What a command has certainly done to files; undefined where it does nothing to them, or did not succeed. */
export function commandEffects(ended: EndedCall): ShellEffects | undefined {
  const text = commandOf(ended) ?? '';
  return ended.outcome === 'ok' && exitOf(ended) === 0 && MAY_CHANGE_FILES.test(text) ? shellEffects(text) : undefined;
}

function exitOf({ call, exit, report }: EndedCall): number | null {
  return call.use.name === 'Bash' ? exit : (numberOf(fieldsOf(report).exitCode) ?? null);
}

function isBackground({ call: { use }, result, report }: EndedCall): boolean {
  if (use.name !== 'Bash' || fieldsOf(use.input).run_in_background === true) return true;
  return (
    typeof fieldsOf(report).backgroundTaskId === 'string' || result.text.startsWith('Command running in background')
  );
}

/** Of a command in the background the tool reports the output without the marks that the model is given. */
function outputOf({ call, result, report }: EndedCall): string {
  const { stdout, stderr } = fieldsOf(report);
  const streams = textsOf([stdout, stderr]).filter((text) => text !== '');
  if (call.use.name === 'BashOutput' && streams.length > 0) return streams.join('\n');
  return result.text.replace(/^(?:Error: )?Exit code \d{1,3}\n?/, '');
}

/** How a command ended: `exit 1, 3.2 s: 2 failed, 10 passed`. */
export function commandEnd(command: CommandFacts, outcome: Outcome): string {
  const { exit, ms, counts, background } = command;
  const end =
    exit !== null ? `exit ${exit}` : background && outcome === 'ok' ? 'in the background' : WITHOUT_STATUS[outcome];
  const parts = [end, ...(ms === null || ms < 1_000 ? [] : [durationText(ms)])].join(', ');
  const figures = counts === undefined ? '' : countsText(counts);
  return figures === '' ? parts : `${parts}: ${figures}`;
}

const WITHOUT_STATUS: Readonly<Record<Outcome, string>> = {
  ok: 'ended',
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
};

const FIGURES = ['failed', 'passed', 'skipped', 'errors', 'warnings'] as const;

function countsText(counts: Counts): string {
  return FIGURES.flatMap((key) => (counts[key] === undefined ? [] : [`${counts[key]} ${key}`])).join(', ');
}

export function isFailing(entry: ToolEntry): boolean {
  return entry.outcome === 'failed' || (entry.command?.exit ?? 0) > 1 || (entry.command?.counts?.failed ?? 0) > 0;
}
