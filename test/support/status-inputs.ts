import { readFileSync } from 'node:fs';

type Fields = Readonly<Record<string, unknown>>;

/** Status-line input of the newest Claude Code; test/e2e/terminal.test.ts compares it with a real one. */
const INPUTS_FILE = new URL('../../fixtures/terminal/inputs.json', import.meta.url);

export function recordedInputs(): Readonly<Record<string, Fields>> {
  return JSON.parse(readFileSync(INPUTS_FILE, 'utf8')) as Record<string, Fields>;
}
