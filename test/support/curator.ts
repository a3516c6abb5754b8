import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { type CurateOptions, type Curation, curate } from '../../src/flow/curator/curate.ts';
import type { SummaryTask } from '../../src/flow/curator/summaries.ts';
import { startWorld, type World } from './claude.ts';
import { givenTexts } from './conversation.ts';
import { flowStep, packItem } from './packs.ts';
import type { Call, RecordedRequest } from './standin/scenario.ts';

/** A step, and what was done before it: three steps, the newest last. */
export const STEP = flowStep({ id: 'tests', objective: 'Cover the parser', prompt: 'Write the tests.' });
export const HISTORY = ['plan', 'parser', 'notes'].map((stepId) =>
  packItem({ stepId, output: `${stepId}: `.padEnd(3_000, 'x') }),
);

/** No step needs a summary. */
const NOTHING_TO_SUM: SummaryTask = { model: 'haiku', toSummarize: [], kept: new Map(), summaryChars: 400 };

/** A working folder with two files, and a link that leads out of it. */
export async function startShop(calls: readonly Call[]): Promise<World & AsyncDisposable> {
  const world = await startWorld({ calls });
  const { cwd, home } = world.scratch;
  writeFileSync(join(cwd, 'parse.ts'), 'export const parse = JSON.parse;\n');
  writeFileSync(join(cwd, 'lex.ts'), 'export const lex = (text: string) => text.split(" ");\n');
  writeFileSync(join(home, 'key.txt'), 'the key\n');
  symlinkSync(join(home, 'key.txt'), join(cwd, 'key.txt'));
  return world;
}

/** Lets a curator choose for the step in a world, in this process. */
export function curateIn(world: World, options: Partial<CurateOptions> = {}): Promise<Curation> {
  const io = {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: world.scratch.env,
    cwd: world.scratch.cwd,
  };
  const defaults: CurateOptions = {
    curator: { enabled: true, model: 'haiku', timeoutSeconds: 60, maxFiles: 3 },
    program: world.claude,
    config: DEFAULTS,
    settings: undefined,
    stop: new AbortController().signal,
    summaries: NOTHING_TO_SUM,
  };
  return curate(STEP, HISTORY, { ...defaults, ...options }, io);
}

/** The answer of a curator, as a call of the tool that claude offers for it. */
export function names(
  files: readonly string[],
  steps: readonly string[],
  summaries: readonly { readonly step: string; readonly text: string }[] = [],
): Call {
  return { tools: [{ name: 'StructuredOutput', input: { files, steps, summaries } }] };
}

/** The outputs that a curator is asked to sum up, by their steps. */
export function outputsToSum(
  request: RecordedRequest | undefined,
): { readonly step: string; readonly output: string }[] {
  const text = givenTexts(request).join('\n');
  const found = text.matchAll(/^## Output of `([^`]+)`\n\n(`{3,})text\n([\s\S]*?)\n\2$/gm);
  return [...found].map(([, step = '', , output = '']) => ({ step, output }));
}
