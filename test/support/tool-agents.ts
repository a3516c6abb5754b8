import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finished, startWorld, type World } from './claude.ts';
import { mainRequests } from './conversation.ts';
import { prompts, runCtxb, SMALL_WINDOW } from './ctxb.ts';
import { caller, resultsIn, type Step, type ToolUse } from './results.ts';
import type { Scenario } from './standin/scenario.ts';

export interface ToolRun {
  readonly flags?: readonly string[];
  readonly claude?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A world whose agent makes these calls, one after the other. They may name paths in its work folder. */
export async function startCaller(stepsIn: (cwd: string) => readonly Step[]): Promise<World & AsyncDisposable> {
  const steps: Step[] = [];
  const world = await startWorld(caller(steps));
  steps.push(...stepsIn(world.scratch.cwd));
  return world;
}

/** A world whose agent is made when its work folder is known. */
export async function startAgent(agentIn: (cwd: string) => Scenario): Promise<World & AsyncDisposable> {
  let agent: Scenario = { calls: [] };
  const world = await startWorld({
    calls: (request, index) => (typeof agent.calls === 'function' ? agent.calls(request, index) : {}),
  });
  agent = agentIn(world.scratch.cwd);
  return world;
}

/** The agent does its work for one prompt. */
export function runTools(world: World, { flags = [], claude = [], env = {} }: ToolRun = {}): Promise<Finished> {
  return runCtxb(world, { flags: [...flags, ...prompts('go')], claude: [...SMALL_WINDOW, ...claude], env });
}

/** A file in the work folder. */
export function file(world: World, name: string, content: string | Uint8Array): string {
  const path = join(world.scratch.cwd, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** The configuration of a run. */
export function configure(world: World, config: object): void {
  file(world, '.contextbudgetrc.json', JSON.stringify(config));
}

/** Results of its calls as the model got them, in order of completion. */
export function given(world: World): string[] {
  return resultsIn(mainRequests(world.standin).at(-1)).map(({ text }) => text);
}

/** Results that ctxb has stored, by file name. */
export function storedResults(world: World): Record<string, string> {
  const folder = join(world.scratch.cwd, '.context', 'tool-results');
  return Object.fromEntries(namesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Lines that tell where they stand, each about 50 characters. */
export function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index + 1}: words of this line and words of it\n`).join('');
}

const SERVER = fileURLToPath(new URL('../../fixtures/mcp-server.mjs', import.meta.url));

/** Arguments with which claude has the tools of the fixture's MCP server, as `mcp__srv__text` and so on. */
export const MCP: readonly string[] = [
  '--mcp-config',
  JSON.stringify({ mcpServers: { srv: { command: process.execPath, args: [SERVER] } } }),
  '--strict-mcp-config',
];

export function mcp(name: string, input: object): ToolUse {
  return { name: `mcp__srv__${name}`, input };
}

export function bash(command: string): ToolUse {
  return { name: 'Bash', input: { command, description: 'Run it' } };
}

export function read(path: string, more: object = {}): ToolUse {
  return { name: 'Read', input: { file_path: path, ...more } };
}

/** The same world, with a copy of claude's stdin. */
export function overheard(world: World): World & { told(): string } {
  const copy = join(world.scratch.cwd, 'told.ndjson');
  const program = file(world, 'overheard-claude', `#!/bin/sh\ntee ${copy} | '${world.claude}' "$@"\n`);
  chmodSync(program, 0o700);
  return { ...world, claude: program, told: () => readFileSync(copy, 'utf8') };
}
