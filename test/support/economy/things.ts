import type { Desk, Thing, Work } from './desk.ts';
import { pathOf } from './moves.ts';

export function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** Mostly small, rarely large. */
export function skewed({ random }: Desk, least: number, most: number): number {
  return Math.round(least * (most / least) ** (random.next() * random.next()));
}

export function pageOf(file: string, at: number, tokens: number): Thing {
  const input = { file_path: pathOf(file), offset: at * 100 + 1, limit: 100 };
  return { name: `${file} page ${at}`, tokens, tool: 'Read', input };
}

export function fileOf(file: string, tokens: number, version = 0): Thing {
  return { name: `${file} version ${version}`, tokens, tool: 'Read', input: { file_path: pathOf(file) } };
}

export function commandOf(command: string, tokens: number): Thing {
  return { name: command, tokens, tool: 'Bash', input: { command } };
}

export function serverOf(tool: string, input: object, tokens: number): Thing {
  return { name: `${tool} ${JSON.stringify(input)}`, tokens, tool: `mcp__${tool}`, input };
}

export function agentOf({ random }: Desk, task: string, tokens: number): Thing {
  const spent = times(random.whole(3, 10), () => random.whole(8_000, 25_000));
  return { name: task, tokens, tool: 'Agent', input: { prompt: task, subagent_type: 'general-purpose' }, spent };
}

export function* todo(desk: Desk): Work {
  const input = { todos: times(desk.random.whole(3, 9), (at) => ({ content: `Step ${at}`, status: 'pending' })) };
  yield* desk.call({ name: 'todos', tokens: 40, tool: 'TodoWrite', input });
}
