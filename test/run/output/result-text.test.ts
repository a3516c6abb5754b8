import { expect, it } from 'vitest';
import { decodeLine } from '../../../src/core/protocol/decode.ts';
import type { ResultEvent } from '../../../src/core/protocol/events.ts';
import { isInterruptedResult, resultText } from '../../../src/run/output/output.ts';

function result(fields: object): ResultEvent {
  const event = decodeLine(JSON.stringify({ type: 'result', ...fields }));
  if (event.kind !== 'result') throw new Error('expected a result');
  return event;
}

// Each as claude 2.1.197 prints it in text mode.
it.each([
  { title: 'a text', fields: { subtype: 'success', result: 'done' }, text: 'done\n' },
  { title: 'a text that ends in a newline', fields: { subtype: 'success', result: 'done\n' }, text: 'done\n' },
  { title: 'a text that ends in two', fields: { subtype: 'success', result: 'done\n\n' }, text: 'done\n\n' },
  { title: 'an empty text', fields: { subtype: 'success', result: '' }, text: '\n' },
  { title: 'no text', fields: { subtype: 'success' }, text: '\n' },
  {
    title: 'an error with a text',
    fields: { subtype: 'success', is_error: true, result: 'Prompt is too long' },
    text: 'Prompt is too long\n',
  },
  {
    title: 'too many turns',
    fields: { subtype: 'error_max_turns', is_error: true, errors: ['Reached maximum number of turns (3)'] },
    text: 'Error: Reached max turns (3)',
  },
  {
    title: 'too much money',
    fields: { subtype: 'error_max_budget_usd', errors: ['Reached maximum budget ($0.05)'] },
    text: 'Error: Exceeded USD budget (0.05)',
  },
  {
    title: 'a structure that failed',
    fields: { subtype: 'error_max_structured_output_retries' },
    text: 'Error: Failed to provide valid structured output after maximum retries',
  },
  { title: 'an interruption', fields: { subtype: 'error_during_execution', result: 'x' }, text: 'Execution error' },
  { title: 'a subtype nobody knows', fields: { subtype: 'brand_new', result: 'x' }, text: 'x\n' },
])('$title', ({ fields, text }) => {
  expect(resultText(result(fields))).toBe(text);
});

it.each([
  { title: 'a turn that was broken off in a tool', reason: 'aborted_tools', brokenOff: true },
  { title: 'a turn that was broken off in an answer', reason: 'aborted_streaming', brokenOff: true },
  { title: 'another failure', reason: 'model_error', brokenOff: false },
])('$title was interrupted: $brokenOff', ({ reason, brokenOff }) => {
  expect(isInterruptedResult(result({ subtype: 'error_during_execution', terminal_reason: reason }))).toBe(brokenOff);
});
