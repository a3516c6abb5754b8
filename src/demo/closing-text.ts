import type { Decision } from '../core/governor/decisions.ts';
import { changeText, keptPrompts } from '../messages.ts';
import { counted, dollars, roughTokens, shareOf, tokens } from '../report/figures.ts';
import { hanging, textWidth } from '../report/layout.ts';
import type { Style } from '../report/style.ts';
import { arrivals, type DemoFacts, type Sighting, type TurnFacts } from './facts.ts';

type Landed = Extract<Decision, { readonly kind: 'landed' }>;

/** What happened, and last what the job cost with ctxb and without; every figure comes from the record of the run. */
export function closingText(
  facts: DemoFacts,
  seen: readonly Sighting[],
  style: Style,
  columns: number | undefined,
): string {
  if (facts.turns.length === 0) return '';
  const { version = '?', model = '?', window, costUsd, savedUsd } = facts;
  const width = textWidth(columns);
  const line = (label: string, text: string) => hanging(`  ${label}`, text, width);
  return [
    '',
    style.bold('What happened'),
    line('Claude Code', `${version}, ${model}, window of ${window === undefined ? '?' : tokens(window)} tokens`),
    ...facts.turns.map((turn, index) => line(`prompt ${index + 1} `, turnText(facts, turn, index))),
    line('delivered', deliveryText(facts, seen)),
    '',
    style.bold('What the job cost'),
    line('with ctxb   ', style.bold(dollars(costUsd))),
    line('claude alone', `about ${dollars(inCents(costUsd) + inCents(savedUsd))}, by ctxb's own account`),
    line('paid        ', 'nothing: the stand-in made up the token counts'),
    '',
  ].join('\n');
}

/** The sum of what is printed: the line at the end of the run tells the difference. */
function inCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** `33 calls, context 95k → 191k (19%); compacted 101k → 41k (−59%), all prompts kept` */
function turnText({ window, decisions }: DemoFacts, { calls, first, last }: TurnFacts, index: number): string {
  const from = calls < 2 ? '' : `${roughTokens(first)} → `;
  const landed = decisions.filter(
    (decision): decision is Landed => decision.kind === 'landed' && decision.at.turn === index,
  );
  const reliefs = landed.map(({ gauge, freed, exact }) => {
    const kept = exact === undefined ? '' : `, ${keptPrompts(exact)}`;
    return `; compacted ${changeText(gauge.used + freed, gauge.used)}${kept}`;
  });
  return `${counted(calls, 'call')}, context ${from}${roughTokens(last)} (${shareOf(last, window)})${reliefs.join('')}`;
}

function deliveryText(facts: DemoFacts, seen: readonly Sighting[]): string {
  const counts = facts.turns.map((_, index) => arrivals(seen, index));
  const source = `the stand-in saw ${counted(seen.length, 'request')}`;
  return counts.every((count) => count === 1)
    ? `every prompt reached the model exactly once (${source})`
    : `the prompts reached the model ${counts.map((count) => `${count}×`).join(', ')} (${source})`;
}
