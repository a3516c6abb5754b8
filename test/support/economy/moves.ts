import { tokensOfText } from '../../../src/core/exact/message.ts';
import type { Call } from './played-claude.ts';

/** Tokens of a call, whatever it asks for. */
const OUTPUT = 150;
const WORDS = `Working. ${'word '.repeat(80)}`;

/** The end of a file or an output. It shows that the request contains the whole. */
export function signOf(name: string): string {
  return `<end ${name}>`;
}

export const ANSWER: Call = { kind: 'call', text: WORDS, uses: [], results: [], output: OUTPUT, ends: true };

/** @param id of the tool call */
export function read(file: string, tokens: number, id: string): Call {
  return called(id, 'Read', { file_path: pathOf(file) }, textOf(file, tokens));
}

export function edit(file: string, id: string): Call {
  const input = { file_path: pathOf(file), old_string: 'limit = 0;', new_string: 'limit = 1;' };
  return called(id, 'Edit', input, 'The file has been updated.');
}

export function write(file: string, tokens: number, id: string): Call {
  const call = called(id, 'Write', { file_path: pathOf(file), content: textOf(file, tokens) }, 'The file is written.');
  return { ...call, output: call.output + tokens };
}

export function run(command: string, tokens: number, id: string): Call {
  return called(id, 'Bash', { command }, textOf(command, tokens));
}

/** Several calls in one message. */
export function together(calls: readonly Call[]): Call {
  const [uses, results] = [calls.flatMap((each) => each.uses), calls.flatMap((each) => each.results)];
  return { ...ANSWER, uses, results, agent: calls.flatMap(({ agent = [] }) => agent), ends: false };
}

/** A call that fails. */
export function failed(call: Call, text: string): Call {
  return { ...call, results: call.results.map((result) => ({ ...result, text, isError: true })) };
}

export function called(tool_use_id: string, tool: string, input: object, text: string): Call {
  return { ...ANSWER, uses: [{ tool_use_id, tool, input }], results: [{ tool_use_id, text }], ends: false };
}

export function pathOf(file: string): string {
  return `/project/${file}`;
}

const LINE = '  const batch17 = ledger.cursor(entry, offset); // index of the packet\n';
const LINE_TOKENS = tokensOfText(LINE.repeat(100)) / 100;

export function textOf(name: string, tokens: number): string {
  return `${LINE.repeat(Math.round(tokens / LINE_TOKENS))}${signOf(name)}`;
}
