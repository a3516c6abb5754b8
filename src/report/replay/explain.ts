import type { Explanation, Prediction } from '../../replay/explain.ts';
import { dollars, tokens } from '../figures.ts';
import { indentRows } from '../layout.ts';
import { onOneLine } from '../printable.ts';
import type { Style } from '../style.ts';
import { type Report, row } from './format.ts';

export const explain: Report = (sessions, { style }) =>
  sessions.flatMap(({ explanation }) => (explanation ? explanationRows(explanation, style) : []));

function explanationRows(explanation: Explanation, style: Style): string[] {
  const { call, prediction } = explanation;
  const place = [`line ${call.line}`, `turn ${call.turn}`, call.model ?? '', call.messageId].filter(Boolean);
  return [
    style.bold(`call ${call.number}: ${tokens(call.context)} tokens measured`),
    row('at', onOneLine(place.join(' · '))),
    row('measured', measuredText(call)),
    row('predicted', prediction === null ? 'nothing: no call before it in this context' : totalText(prediction)),
    ...errorRows(explanation),
    row('answer', `${tokens(call.output)} tokens, ${call.outputKnown ? 'as counted' : 'estimated from what it wrote'}`),
    row('cost', call.usd === null ? 'no list price for this model' : `${dollars(call.usd)} at list prices`),
    ...(prediction === null ? [] : partsText(prediction)),
  ];
}

function measuredText({ input, cacheCreation, cacheRead, context }: Explanation['call']): string {
  return `${tokens(input)} new + ${tokens(cacheCreation)} written to the cache + ${tokens(cacheRead)} read from it = ${tokens(context)}`;
}

function totalText({ used, output, outputKnown, added, total }: Prediction): string {
  const written = outputKnown ? 'of its output, as counted' : 'of its output, as estimated';
  return `${tokens(used)} of the call before + ${signedText(output)} ${written} + ${signedText(added)} added since = ${tokens(total)}`;
}

function errorRows({ error }: Explanation): string[] {
  if (error === null) return [];
  const side = error.tokens < 0 ? 'too low' : 'too high';
  return [row('error', `${tokens(Math.abs(error.tokens))} tokens ${side} (${Math.abs(error.percent).toFixed(3)} %)`)];
}

function partsText({ parts }: Prediction): string[] {
  if (parts.length === 0) return [];
  return ['', ...indentRows([['what was added', 'line', 'characters', 'tokens'], ...parts.map(partRow)])];
}

function partRow({ source, block, line, chars, tokens: size, inOutput }: Prediction['parts'][number]): string[] {
  const what = `${onOneLine(source)} (${block}${inOutput ? ', in the output' : ''})`;
  return [what, String(line), tokens(chars), signedText(size)];
}

function signedText(count: number): string {
  return count < 0 ? `-${tokens(-count)}` : tokens(count);
}
