import { resolve } from 'node:path';
import { expect } from 'vitest';
import { type Decision, nameOf, withoutFocus } from '../../src/core/governor/decisions.ts';
import { runProgram, type World } from './claude.ts';
import { mainRequests, userTexts } from './conversation.ts';
import { CTXB, journal } from './ctxb.ts';
import { recordedDecisions } from './record.ts';
import type { Standin } from './standin/server.ts';

/**
 * Proves that no prompt was lost: in the requests to the stand-in, the prompts are whole, in order, and each begins one
 * turn. It is the last text of that request, and no request contains it twice.
 */
export function expectEachPromptOnce(standin: Standin, prompts: readonly string[]): void {
  const said: string[] = [];
  for (const request of mainRequests(standin)) {
    const texts = userTexts(request);
    for (const prompt of prompts) expect(texts.filter((text) => text === prompt).length).toBeLessThanOrEqual(1);
    const last = texts.at(-1) ?? '';
    if (prompts.includes(last) && said.at(-1) !== last) said.push(last);
  }
  expect(said).toEqual(prompts);
}

/** Proves that a replay of the record makes the decisions of the journal, and that the record contains them. */
export async function expectSameDecisions(world: World, record: string): Promise<void> {
  const { env, cwd } = world.scratch;
  const replay = await runProgram(process.execPath, [CTXB, 'replay', '--json', record], { env, cwd });
  const [session] = JSON.parse(replay.stdout.toString()).sessions;
  const written = journal(world).map(
    ({ v, t, runId, ...decision }: Decision & { v?: number; t?: string; runId?: string }) => decision,
  );
  // The journal leaves out what may hold a secret in part.
  expect(session.actions.map(withoutFocus)).toEqual(written);
  expect(session.actions).toEqual(recordedDecisions(resolve(cwd, record)));
}

/** Kinds of the decisions, in order, without those of every run. */
export function kinds(world: World): string[] {
  const usual = new Set<string>(['mid-turn:trigger', 'warn', 'recall', 'receipt', 'dead-end']);
  return journal(world)
    .map(nameOf)
    .filter((name) => !usual.has(name));
}
