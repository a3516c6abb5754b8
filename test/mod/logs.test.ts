import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { createLogReader } from '../../src/mod/terminal/log-reader.ts';
import { createTerminalSession } from '../../src/mod/terminal/session.ts';
import { replaySource } from '../../src/replay/replay.ts';
import { unmasked } from '../support/unmasked.ts';

const FOLDER = 'fixtures/logs';
const NEWLINE = 10;

/** Sizes of a log as it grows by each line. */
function sizesOf(bytes: Buffer): number[] {
  return [...bytes.keys()].filter((at) => bytes[at] === NEWLINE).map((at) => at + 1);
}

/** What the plugin knows of a log, read after each line: each call's context, and the state at the end. */
function followed(bytes: Buffer) {
  const session = createTerminalSession({});
  const log = createLogReader('/log');
  const contexts: number[] = [];
  for (const size of sizesOf(bytes)) {
    for (let part = log.nextPart(size); part !== undefined; part = log.nextPart(size))
      session.read(log.lines(bytes.subarray(part.offset, part.offset + part.length).toString('base64')));
    const { calls, used } = session.judged().gauge;
    if (calls > 0) contexts[calls - 1] = used;
  }
  const { calls, peak, window } = session.judged().gauge;
  return { contexts, calls, peak, window: window.tokens };
}

/** What `ctxb replay` says about the same log. */
async function replayed(bytes: Buffer) {
  const how = { policy: DEFAULTS, series: true, stdin: Readable.from([bytes]), mask: unmasked };
  const { series = [], calls, context, window } = await replaySource({ file: '-', subagents: [] }, how);
  return {
    contexts: series.map((call) => call.context),
    calls,
    peak: context.peak,
    window: window.tokens ?? undefined,
  };
}

/** The log of a gateway that tells the usage of a message only at its end: claude writes a line without it before. */
function usageAtTheEnd(bytes: Buffer): Buffer {
  const lines = bytes.toString().trimEnd().split('\n');
  const early = (line: string) => {
    const row = JSON.parse(line);
    if (row.type !== 'assistant') return [line];
    const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
    const message = { ...row.message, content: [{ type: 'text', text: 'reading' }], stop_reason: null, usage };
    return [JSON.stringify({ ...row, uuid: `${row.uuid}-early`, message }), line];
  };
  return Buffer.from(`${lines.flatMap(early).join('\n')}\n`);
}

const LOGS = readdirSync(FOLDER).map((name) => ({ name, bytes: readFileSync(join(FOLDER, name)) }));
const SWITCHED = LOGS.filter(({ name }) => name.includes('haiku'));

it.each([
  ...LOGS,
  ...SWITCHED.map(({ name, bytes }) => ({ name: `${name}, usage at the end`, bytes: usageAtTheEnd(bytes) })),
])('the plugin reads the same contexts as replay: $name', async ({ bytes }) => {
  const right = await replayed(bytes);
  expect(right.calls).toBeGreaterThan(0);
  const { contexts, ...figures } = followed(bytes);
  // The first of two calls on one line is never the last that the plugin knows.
  const compared = right.contexts.filter((_, at) => contexts[at] !== undefined);
  expect({ ...figures, contexts: contexts.filter((context) => context !== undefined) }).toEqual({
    ...right,
    contexts: compared,
  });
});
