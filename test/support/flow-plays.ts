import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Flow } from '../../src/flow/flow.ts';
import { type Finished, type RunningProgram, runProgram, startProgram, type World } from './claude.ts';
import { mainRequests, userTexts } from './conversation.ts';
import { CTXB, SMALL_WINDOW } from './ctxb.ts';

/** A flow as its file has it; the tests' steps say no more than what they are about. */
export interface FlowText {
  readonly name?: string;
  readonly budgets?: object;
  readonly curator?: object;
  readonly steps: readonly { readonly id: string; readonly [key: string]: unknown }[];
}

/** Writes a flow into a world's work folder, with an objective for each step. Resolves to its name. */
export function writeFlow({ scratch }: Pick<World, 'scratch'>, { name = 'job', steps, ...rest }: FlowText): string {
  const file = 'flow.json';
  const told = steps.map((step) => ({ objective: `Do ${step.id}.`, ...step }));
  writeFileSync(join(scratch.cwd, file), JSON.stringify({ name, ...rest, steps: told }));
  return file;
}

/** What a model that is played does not make: a step without its outputs is not done. */
export function makeOutputs({ scratch }: Pick<World, 'scratch'>, { steps }: Pick<Flow, 'steps'>): void {
  for (const path of steps.flatMap(({ outputs }) => outputs)) {
    const place = join(scratch.cwd, path);
    const isFile = basename(path).includes('.');
    mkdirSync(isFile ? dirname(place) : place, { recursive: true });
    if (isFile) writeFileSync(place, 'made\n');
  }
}

export interface FlowCall {
  readonly flags?: readonly string[];
  readonly claude?: readonly string[];
}

/** `ctxb flow run FLOW FLAGS -- claude ARGUMENTS` in a world, to its end. */
export function runFlowFile(world: World, file: string, call: FlowCall = {}): Promise<Finished> {
  return runProgram(process.execPath, flowArguments(world, file, call), world.scratch);
}

/** The same, under way, in a process group of its own. */
export function startFlowFile(world: World, file: string, call: FlowCall = {}): RunningProgram {
  return startProgram(process.execPath, flowArguments(world, file, call), { ...world.scratch, group: true });
}

function flowArguments(world: World, file: string, { flags = [], claude = SMALL_WINDOW }: FlowCall): string[] {
  return [CTXB, 'flow', 'run', file, ...flags, '--', world.claude, ...claude];
}

/** Ids of the runs in a world's context folder, oldest first. */
export function flowRuns({ scratch }: World): string[] {
  return readdirSync(join(scratch.cwd, '.context', 'flows')).sort();
}

/** A file of a step in the newest run. */
export function stepText(world: World, step: string, file: string): string {
  return readFileSync(join(world.scratch.cwd, '.context', 'flows', flowRuns(world).at(-1) ?? '', step, file), 'utf8');
}

export function stepStatus(world: World, step: string): Record<string, unknown> {
  return JSON.parse(stepText(world, step, 'step.json'));
}

/** The step that a request is of, and its briefing. */
export function briefingIn(request: Parameters<typeof userTexts>[0]): { step: string; text: string } | undefined {
  const text = userTexts(request).find((one) => one.startsWith('# Briefing for step '));
  const step = /^# Briefing for step (\S+)/.exec(text ?? '')?.[1];
  return text === undefined || step === undefined ? undefined : { step, text };
}

/** The steps of the main requests, one after the other. */
export function stepsAsked({ standin }: World): string[] {
  return mainRequests(standin).map((request) => briefingIn(request)?.step ?? '');
}
