import type { World } from './claude.ts';
import { contextOf, newestWords, type ToolUse } from './results.ts';
import type { Call, RecordedRequest, Scenario } from './standin/scenario.ts';
import { bash, file, mcp, read } from './tool-agents.ts';

/** Large results that the agent asks for, in turns of equal length. */
const RESULTS = 60;
const TURNS = 10;

/** Of each result with such a number one line is needed at the end. */
const NEEDED_EVERY = 5;

/** One after the other for each turn; the last asks for what is needed of all of them. */
export const JOB_PROMPTS: readonly string[] = [
  ...Array.from({ length: TURNS }, (_, turn) => `Look through part ${turn + 1}.`),
  'Say what the lines are that count.',
];

interface Source {
  readonly tool: ToolUse;
  /** Number of a line, from 1, and its beginning. Only the line itself has the rest. */
  readonly line: number;
  readonly opening: string;
}

/** An agent whose actions do not depend on its context. Its last answer names its findings. */
export function longJob(): Scenario {
  const sources = Array.from({ length: RESULTS }, (_, index) => sourceOf(index));
  const stored = new Map<number, string>();
  const found = new Map<number, string>();
  let asked = 0;
  let turn = 0;
  let lookedUp = -1;

  function work(request: RecordedRequest): Call {
    note(request);
    if (asked < ((turn + 1) * RESULTS) / TURNS && turn < TURNS) return { tools: [(sources[asked++] as Source).tool] };
    turn += 1;
    return turn <= TURNS ? { text: `part ${turn} done` } : report(request);
  }

  /** Path of the last stored result, if any. */
  function note(request: RecordedRequest): void {
    const path = /(?:full result is in|has been saved to|output saved to:) (\/\S+\.\w+)/.exec(
      newestWords(request),
    )?.[1];
    if (path !== undefined && turn < TURNS && !stored.has(asked - 1)) stored.set(asked - 1, path);
  }

  /** Looks up each finding that has left the context, once. */
  function report(request: RecordedRequest): Call {
    const text = JSON.stringify(request.body.messages);
    for (const [index, { opening }] of sources.entries()) {
      const said = new RegExp(`${opening}(\\w+)`).exec(text)?.[1];
      if (said !== undefined) found.set(index, said);
    }
    const missing = sources.findIndex((_, index) => isNeeded(index) && index > lookedUp && !found.has(index));
    if (missing < 0) return { text: JSON.stringify(needed().map((index) => found.get(index) ?? 'lost')) };
    lookedUp = missing;
    turn -= 1;
    return { tools: [lookUp(sources[missing] as Source, stored.get(missing))] };
  }

  return {
    calls: (request) => ({ ...work(request), context: contextOf(request) }),
    summary: (request) => ({ text: '<summary>What was seen so far.</summary>', context: contextOf(request) }),
  };
}

/** The last answer of an agent that has found everything. */
export function jobAnswer(): string {
  return JSON.stringify(needed().map((index) => wordOf(index, lineOf(index))));
}

/** Files that the job is about. */
export function writeJob(world: World): void {
  for (let index = 0; index < RESULTS; index++) {
    const lines = Array.from(
      { length: linesOf(index) },
      (_, at) => `${openingOf(index, at + 1)}${wordOf(index, at + 1)}`,
    );
    if (index % 3 < 2) file(world, nameOf(index), `${lines.join('\n')}\n`);
  }
}

function needed(): number[] {
  return Array.from({ length: RESULTS / NEEDED_EVERY }, (_, count) => (count + 1) * NEEDED_EVERY - 1);
}

function isNeeded(index: number): boolean {
  return index % NEEDED_EVERY === NEEDED_EVERY - 1;
}

/** Files, commands and an MCP tool in turn, all of different sizes. */
function sourceOf(index: number): Source {
  const line = lineOf(index);
  const opening = openingOf(index, line);
  if (index % 3 === 0) return { tool: read(nameOf(index)), line, opening };
  if (index % 3 === 1) return { tool: bash(`cat ${nameOf(index)}`), line, opening };
  return { tool: mcp('text', { chars: 30_000 + (index % 7) * 5_000, name: `part-${index}: word` }), line, opening };
}

/** Of what ctxb has stored a line is read; of what claude has, which may be JSON, it is searched for. */
function lookUp({ tool, line, opening }: Source, path: string | undefined): ToolUse {
  if (path?.includes('.context')) return read(path, { offset: line, limit: 1 });
  if (path !== undefined) return bash(`grep -o '${opening}[a-z0-9]*' ${path}`);
  return tool.name === 'Read' ? { name: 'Read', input: { ...tool.input, offset: line, limit: 1 } } : tool;
}

function nameOf(index: number): string {
  return `part-${index}.txt`;
}

/** Of a file 40,000 to 70,000 characters, of a command's output 20,000 to 28,000. */
function linesOf(index: number): number {
  return index % 3 === 0 ? 1_000 + (index % 7) * 125 : 500 + (index % 7) * 33;
}

/** In the middle, where a result is cut. */
function lineOf(index: number): number {
  return 300 + index;
}

function openingOf(index: number, line: number): string {
  return index % 3 === 2 ? `line ${line} of part-${index}: ` : `part ${index}, line ${line} of it says: `;
}

function wordOf(index: number, line: number): string {
  return index % 3 === 2 ? 'word' : `word${(index * 7_919 + line * 104_729) % 9_973}`;
}
