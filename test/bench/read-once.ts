// Reads a recording once, in one of the ways that the bench compares, and prints what it found.
// Usage: read-once.mjs ctxb|readline FILE
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Fields } from '../../src/core/protocol/fields.ts';
import { readValues } from '../../src/replay/read/read-values.ts';

const [how = '', file = ''] = process.argv.slice(2);
const types: Record<string, number> = {};

function count({ type }: Fields): void {
  types[String(type)] = (types[String(type)] ?? 0) + 1;
}

if (how === 'readline') {
  for await (const line of createInterface({ input: createReadStream(file) })) count(JSON.parse(line) as Fields);
} else {
  await readValues(file, { stdin: process.stdin }, (line) => line.kind === 'value' && count(line.value));
}
console.log(JSON.stringify(types));
