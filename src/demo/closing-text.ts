import type { ExactReceipt } from '../core/exact/plan.ts';
import type { Decision } from '../core/governor/decisions.ts';
import { counted, dollars, groupedIn, percent, shareOf, tokens } from '../report/figures.ts';
import { textWidth, wrap } from '../report/layout.ts';
import { printable } from '../report/shown.ts';
import type { Style } from '../report/style.ts';
import type { DemoFacts, NativeCompaction, TurnFacts } from './facts.ts';
import { arrivals, handedBack, hasMixedIn, type Sighting } from './facts.ts';

export interface DemoStory {
  readonly facts: DemoFacts;
  readonly seen: readonly Sighting[];
  /** False: a recording was played. */
  readonly live: boolean;
}

/** A heading in the left column and the sentences beside it, a paragraph each. */
interface Section {
  readonly heading: string;
  readonly sentences: readonly string[];
}

type Decided<K extends Decision['kind']> = Extract<Decision, { readonly kind: K }>;

const HEADING_WIDTH = 11;

/** What happened and why, in sentences; every figure comes from the record of the run. */
export function closingText(story: DemoStory, style: Style, columns: number | undefined): string {
  const { facts, live } = story;
  if (facts.turns.length === 0) return '';
  const sections = [
    ...facts.turns.flatMap((turn, index) => [...boundarySection(facts, index), turnSection(facts, turn, index)]),
    deliverySection(story),
    costSection(facts),
    naiveSection(facts),
  ];
  const title = `What happened${live ? '' : ' in the recording'}, and why`;
  const origin = `Claude Code ${facts.version ?? '?'}, ${facts.model ?? '?'}, window of ${facts.window === undefined ? '?' : tokens(facts.window)} tokens`;
  const body = sections.map((section) => layOut(section, style, textWidth(columns))).join('');
  return `\n${style.bold(title)}\n  ${style.dim(origin)}\n${body}`;
}

function turnSection(facts: DemoFacts, turn: TurnFacts, index: number): Section {
  const warnings = ofTurn(facts, index, 'warn').map(
    ({ gauge }) =>
      `The warning came at ${tokens(gauge.predicted)} tokens (${percent(gauge.fraction)}), past the level of ${tokens(facts.levels.warn)}.`,
  );
  const native = facts.native.filter((compaction) => compaction.turn === index);
  return {
    heading: `Prompt ${index + 1}`,
    sentences: [`“${turn.prompt}”`, contextSentence(facts, turn), ...warnings, ...native.map(nativeSentence)],
  };
}

function contextSentence({ window }: DemoFacts, { calls, first, last }: TurnFacts): string {
  const share = `${shareOf(last, window)} of the window`;
  if (calls < 2) return `${counted(calls, 'call')} with a context of ${tokens(last)} tokens: ${share}.`;
  return `${counted(calls, 'call')} with a context of ${tokens(first)} tokens at the first and ${tokens(last)} at the last: ${share}.`;
}

/** The compaction before the prompt of this index. */
function boundarySection(facts: DemoFacts, index: number): Section[] {
  return ofTurn(facts, index, 'compact').map(({ reason }) => ({
    heading: 'Compacted',
    sentences: [`Prompt ${index + 1} waited at the turn boundary: ${groupedIn(reason)}.`, ...outcome(facts, index)],
  }));
}

function outcome(facts: DemoFacts, index: number): string[] {
  const [verdict] = ofTurn(facts, index, 'compacted');
  const [landed] = ofTurn(facts, index, 'landed');
  if (verdict === undefined) return [];
  if (verdict.verdict !== 'success') return [`It did not succeed (${verdict.verdict}): ${verdict.reason}.`];
  const cost = verdict.how === 'exact' ? '' : `The summary cost ${dollars(verdict.costUsd)}.`;
  if (landed === undefined) return [cost];
  const kept = landed.exact === undefined ? [] : [keptSentence(landed.exact)];
  const { used } = landed.gauge;
  return [
    `The context went from ${tokens(used + landed.freed)} to ${tokens(used)} tokens, measured at the next call. ${cost}`.trim(),
    ...kept,
  ];
}

function keptSentence({ prompts, steps }: ExactReceipt): string {
  return `No model was asked: ${prompts.kept} of ${counted(prompts.of, 'prompt')} and the last ${counted(steps.whole, 'step')} stand there word for word, ${counted(steps.lines, 'older step')} in a line each.`;
}

function nativeSentence({ before, after, exact }: NativeCompaction): string {
  const what = exact === undefined ? 'claude compacted by itself' : 'ctxb compacted exactly';
  const fall = before === undefined ? '' : `: the context went from ${tokens(before)} to ${tokens(after ?? 0)} tokens`;
  return [`In mid-turn ${what}${fall}.`, ...(exact === undefined ? [] : [keptSentence(exact)])].join(' ');
}

function deliverySection({ facts, seen, live }: DemoStory): Section {
  const counts = facts.turns.map((_, index) => arrivals(seen, index));
  const source = `the record of the stand-in, ${counted(seen.length, 'request')}${live ? '' : ', made with the recording'}`;
  const said = counts.every((count) => count === 1)
    ? `Every prompt reached the model exactly once (${source}).`
    : `The prompts reached the model ${counts.map((count) => `${count}×`).join(', ')} (${source}).`;
  const again = counts.flatMap((_, index) => {
    const count = handedBack(seen, index);
    return count === 0
      ? []
      : [`Prompt ${index + 1} was in ${counted(count, 'later request')} as what ctxb had handed back.`];
  });
  const alone = hasMixedIn(seen) ? [] : ['No request for a summary held a prompt that was still waiting.'];
  return { heading: 'Delivered', sentences: [[said, ...again, ...alone].join(' ')] };
}

function costSection({ costUsd }: DemoFacts): Section {
  const sentence = `${dollars(costUsd)} by claude's own count, for token counts that the stand-in made up: nothing was paid.`;
  return { heading: 'Cost', sentences: [sentence] };
}

/** What a tool would have seen that takes the sum in `result.usage` for the context. */
function naiveSection({ turns, window, levels }: DemoFacts): Section {
  const readings = turns.map(
    ({ sum = 0, last }, index) => `${tokens(sum)} tokens after prompt ${index + 1} (in truth ${tokens(last)})`,
  );
  const alarms = turns.filter(({ sum = 0 }) => sum >= levels.compact).length;
  const needed = turns.filter(({ last }) => last >= levels.compact).length;
  const worst = Math.max(...turns.map(({ sum = 0 }) => sum)) / (window ?? Number.NaN);
  return {
    heading: 'Misread',
    sentences: [
      `result.usage is the sum over all calls of a turn. A tool that takes it for the context would have seen ${readings.join(', ')}: ` +
        `up to ${percent(worst)} of the window. It would have compacted after ${alarms} of ${turns.length} prompts; there was need after ${needed}.`,
    ],
  };
}

function ofTurn<K extends Decision['kind']>({ decisions }: DemoFacts, turn: number, kind: K): Decided<K>[] {
  return decisions.filter((decision): decision is Decided<K> => decision.kind === kind && decision.at.turn === turn);
}

function layOut({ heading, sentences }: Section, style: Style, width: number): string {
  const lines = sentences.flatMap((sentence) => wrap(printable(sentence), width - HEADING_WIDTH - 2));
  const beside = (index: number) =>
    index === 0 ? style.bold(heading.padEnd(HEADING_WIDTH)) : ' '.repeat(HEADING_WIDTH);
  return lines.map((line, index) => `  ${beside(index)}${line}\n`).join('');
}
