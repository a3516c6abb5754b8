import { afterEach, expect, it } from 'vitest';
import { type JsonLine, promptLine, runProgram, startProgram, startWorld, type World } from '../support/claude.ts';
import { inSoak } from '../support/size.ts';

let world: World | undefined;

afterEach(() => world?.dispose());

const STREAM_JSON = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

inSoak('answers the real claude in text mode', async ({ signal }) => {
  world = await startWorld({ calls: [{ text: 'Hello from the stand-in.' }] });
  const { env, cwd } = world.scratch;
  const { stdout, stderr, code } = await runProgram(world.claude, ['-p', 'hello'], { env, cwd, signal });
  expect({ stdout: stdout.toString(), stderr, code }).toEqual({
    stdout: 'Hello from the stand-in.\n',
    stderr: '',
    code: 0,
  });
});

it('recognises the summary request of /compact', async ({ signal }) => {
  world = await startWorld({ calls: (_, index) => ({ text: `Answer ${index}`, context: 50_000 }) });
  const { env, cwd } = world.scratch;
  const claude = startProgram(world.claude, STREAM_JSON, { env, cwd, signal });
  for (const prompt of ['one', 'two', '/compact focus on x', 'three']) {
    claude.send(promptLine(prompt));
    await claude.waitForLine(isResult);
  }
  claude.stdin.end();
  expect((await claude.finished).code).toBe(0);
  const kinds = world.standin.requests.map(({ kind }) => kind).filter((kind) => kind !== 'other');
  expect(kinds).toEqual(['main', 'main', 'summary', 'main']);
  const summary = world.standin.requests.find(({ kind }) => kind === 'summary');
  // 2.1.301 adds a message of its own behind it.
  expect(JSON.stringify(summary?.body.messages?.slice(-2))).toContain('focus on x');
});

inSoak('answers requests beside the conversation without using up a call', async ({ signal }) => {
  const calls = ['one', 'two', 'three'].map((text) => ({ text: `answer to ${text}`, context: 50_000 }));
  world = await startWorld({ calls });
  const { env, cwd } = world.scratch;
  const claude = startProgram(world.claude, STREAM_JSON, { env, cwd, signal });
  const ask = async (id: string, request: object) => {
    claude.send({ type: 'control_request', request_id: id, request });
    const { response } = await claude.waitForLine(({ type }) => type === 'control_response');
    return (response as { response: Record<string, unknown> }).response;
  };
  await ask('start', { subtype: 'initialize', promptSuggestions: true, hooks: {} });
  const { title } = await ask('title', {
    subtype: 'generate_session_title',
    description: 'fix the parser',
    persist: false,
  });
  expect(title).toBe('Nothing in particular');
  const answers: unknown[] = [];
  for (const prompt of ['one', 'two', 'three']) {
    claude.send(promptLine(prompt));
    answers.push((await claude.waitForLine(isResult)).result);
  }
  expect((await claude.waitForLine(({ type }) => type === 'prompt_suggestion')).suggestion).toBe(
    'Nothing in particular',
  );
  expect(await ask('side', { subtype: 'side_question', question: 'what is it?' })).toMatchObject({
    response: 'Nothing in particular',
  });
  claude.stdin.end();
  expect((await claude.finished).code).toBe(0);
  expect(answers).toEqual(['answer to one', 'answer to two', 'answer to three']);
  expect(world.standin.requests.filter(({ kind }) => kind === 'main')).toHaveLength(3);
});

function isResult(line: JsonLine): boolean {
  return line.type === 'result';
}
