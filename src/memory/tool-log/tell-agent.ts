import { type Fields, fieldsOf, textOf } from '../../stream/fields.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { durationText } from '../notebook/section.ts';
import { counted } from '../words.ts';
import { NAME, PATH, type Quote } from './quote.ts';
import { bytesOf, sizeText } from './size-text.ts';
import { numberOf, tellText } from './text-result.ts';

/** `Agent Explore "Count the tests" (12 calls, 37,089 tokens, 3.2 s): 14 lines, 1.2KB, first …`. */
export function tellAgent({ call, report, result }: EndedCall, quote: Quote): string {
  const input = fieldsOf(call.use.input);
  const fields = fieldsOf(report);
  const type = textOf(fields.agentType) ?? textOf(input.subagent_type);
  const description = textOf(input.description);
  const who = [call.use.name, ...[type, description].flatMap((part) => (part ? [quote(part, NAME)] : []))].join(' ');
  if (fields.isAsync === true) {
    const output = textOf(fields.outputFile);
    return `${who} in the background${output === undefined ? '' : `, its output in ${quote(output, PATH)}`}`;
  }
  const effort = effortOf(fields);
  return `${who}${effort === '' ? '' : ` (${effort})`}: ${tellText(answerOf(fields) ?? result.text, 'first', quote)}`;
}

function effortOf({ totalToolUseCount, totalTokens, totalDurationMs }: Fields): string {
  const [calls, tokens, ms] = [totalToolUseCount, totalTokens, totalDurationMs].map(numberOf);
  return [
    ...(calls === undefined ? [] : [counted(calls, 'call')]),
    ...(tokens === undefined ? [] : [counted(tokens, 'token')]),
    ...(ms === undefined ? [] : [durationText(ms)]),
  ].join(', ');
}

/** What the subagent said, without what claude says about it to the model. */
function answerOf({ content }: Fields): string | undefined {
  if (!Array.isArray(content)) return undefined;
  return content
    .map(fieldsOf)
    .flatMap(({ text }) => textOf(text) ?? [])
    .join('\n');
}

/** How far a task in the background is: `TaskOutput a02cdeb (local_agent, running, 12.3KB)`. */
export function tellTaskOutput({ call, report, result }: EndedCall, quote: Quote): string {
  const { task_type, status, output, result: answer } = fieldsOf(fieldsOf(report).task);
  const id = textOf(fieldsOf(call.use.input).task_id) ?? '';
  const text = textOf(answer) ?? textOf(output);
  const states = [task_type, status].flatMap((state) => textOf(state) ?? []);
  if (text === undefined || states.length === 0)
    return `TaskOutput ${quote(id, NAME)}: ${tellText(result.text, 'last', quote)}`;
  const extent = [...states.map((state) => quote(state, NAME)), sizeText(bytesOf(text))].join(', ');
  return `TaskOutput ${quote(id, NAME)} (${extent}): ${tellText(text, 'last', quote)}`;
}
