import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { startWorld, type World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { journal } from '../support/ctxb.ts';
import { linesOf, newestWords, onwards } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import {
  bash,
  configure,
  file,
  given,
  numbered,
  overheard,
  read,
  runTools,
  startCaller,
  storedResults,
} from '../support/tool-agents.ts';

/** Tokens of one result, and about how many characters that is at most. */
const PER_CALL = 4_000;
const ALLOCATION = PER_CALL * 4;

const HINT = /This result took about \d+ tokens, and \d+ are planned for one now/;

const TAIL = 'the last line of it\n';
/** About 25,000 characters that say in their middle that something failed. */
const OUTPUT = `${numbered(280)}FAIL src/middle.test.ts\n  Error: expected 1, received 2\n${numbered(260)}${TAIL}`;

/** A world in which a command prints this. */
async function startPrinter(output: string, more: readonly string[] = []) {
  const world = await startCaller((cwd) => [bash(`cat ${cwd}/output.txt`), ...more.map(bash)]);
  file(world, 'output.txt', output);
  return world;
}

it('cuts large output of a command to its beginning, its failures and its end, and names the file with the whole', async () => {
  await using world = await startPrinter(OUTPUT);
  configure(world, { tools: { perCall: PER_CALL } });
  const { code } = await runTools(world);

  expect(code).toBe(0);
  const [result = ''] = given(world);
  const [name = '', text] = Object.entries(storedResults(world))[0] ?? [];
  expect(`${text}\n`).toBe(OUTPUT);
  expect(result.length).toBeGreaterThan(ALLOCATION / 2);
  expect(result.length).toBeLessThan(ALLOCATION);
  expect(result).toContain(join(world.scratch.cwd, '.context', 'tool-results', name));
  expect(result).toContain(`${OUTPUT.length - 1} characters in 543 lines, exit status 0.`);
  expect(result).toContain(`\n${numbered(3)}`);
  expect(result).toContain('FAIL src/middle.test.ts\n  Error: expected 1, received 2\n');
  expect(result).toMatch(new RegExp(`${TAIL.trim()}$`));
  expect(rebuilt(result)).toBe(OUTPUT);
  expect(journal(world)).toContainEqual(expect.objectContaining({ kind: 'tool-budget', of: 'result', tool: 'Bash' }));
});

it('the agent reads the rest from the offset that ctxb named', async () => {
  await using world = await startWorld(onwards(bash('cat output.txt')));
  file(world, 'output.txt', OUTPUT);
  configure(world, { tools: { perCall: 2_000 } });
  await runTools(world);

  const [cut = '', ...parts] = given(world);
  const lines = parts.flatMap(linesOf);
  const first = lines[0]?.number ?? 0;
  const beginning = OUTPUT.split('\n').slice(0, first - 1);
  expect(parts.length).toBeGreaterThan(1);
  expect(cut).toContain(`${beginning.join('\n')}\n[… `);
  expect([...beginning, ...lines.map(({ line }) => line)].join('\n')).toBe(OUTPUT.trimEnd());
});

inSoak('stores the output for its owner only, masked, with line numbers', async () => {
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
  const key = ['-----BEGIN RSA', ' PRIVATE KEY-----\n', `${'A1b2C3d4'.repeat(8)}\n`.repeat(20), '-----END RSA'].join(
    '',
  );
  const output = `token=${token}\n${key} PRIVATE KEY-----\nbehind the key\n${numbered(400)}`;
  await using world = await startPrinter(output);
  configure(world, { tools: { perCall: PER_CALL } });
  await runTools(world);

  const [[name = '', text = ''] = []] = Object.entries(storedResults(world));
  const folder = join(world.scratch.cwd, '.context', 'tool-results');
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(text).toContain('[masked: GitHub token]');
  expect(text).not.toContain(token);
  expect(text).not.toContain('A1b2C3d4');
  const at = output.split('\n').indexOf('behind the key');
  expect(text.split('\n').indexOf('behind the key')).toBe(at);
  expect(text.split('\n')[at + 300]).toBe(output.split('\n')[at + 300]);
});

inSoak('does not cut 25,000 characters by default', async () => {
  await using world = await startPrinter(OUTPUT);
  await runTools(world);

  expect(`${given(world)[0]}\n`).toBe(OUTPUT);
  expect(storedResults(world)).toEqual({});
});

inSoak('2 MB are stored once, by claude, and ctxb adds nothing', async () => {
  await using world = await startPrinter(numbered(48_000));
  await runTools(world);

  const [result = ''] = given(world);
  const path = /Full output saved to: (\S+)/.exec(result)?.[1] ?? '';
  expect(statSync(path).size).toBeGreaterThan(2_000_000);
  expect(result.length).toBeLessThan(3_000);
  expect(newestWords(mainRequests(world.standin).at(-1)).split(path)).toHaveLength(2);
  expect(storedResults(world)).toEqual({});
});

inSoak('only adds a hint to a failed command, because its output cannot be cut', async () => {
  await using world = await startCaller(() => [bash('cat output.txt; exit 3'), bash('exit 4')]);
  file(world, 'output.txt', OUTPUT);
  configure(world, { tools: { perCall: 1_000 } });
  await runTools(world);

  const [, large, small] = mainRequests(world.standin).map(newestWords);
  expect(large).toContain('Exit code 3');
  expect(large).toMatch(HINT);
  expect(small).toContain('Exit code 4');
  expect(small).not.toMatch(HINT);
  expect(storedResults(world)).toEqual({});
});

inSoak('--tool-budgets advise cuts nothing, and tells the agent', async () => {
  await using world = await startCaller((cwd) => [bash(`cat ${cwd}/output.txt`), read(`${cwd}/long.txt`)]);
  file(world, 'output.txt', OUTPUT);
  file(world, 'long.txt', numbered(1_000));
  configure(world, { tools: { perCall: PER_CALL } });
  await runTools(world, { flags: ['--tool-budgets', 'advise'] });

  expect(`${given(world)[0]}\n`).toBe(OUTPUT);
  expect(linesOf(given(world)[1] ?? '')).toHaveLength(1_001);
  const [, afterBash, afterRead] = mainRequests(world.standin).map(newestWords);
  expect(afterBash).toMatch(HINT);
  expect(afterRead).toMatch(/This file has 1000 lines, .*with offset and a limit of about \d+\./);
  expect(actions(world)).toEqual([]);
});

it('--tool-budgets off registers no hook for tools, cuts nothing and tells the agent nothing', async () => {
  await using world = await startCaller((cwd) => [bash(`cat ${cwd}/output.txt`), read(`${cwd}/long.txt`)]);
  file(world, 'output.txt', OUTPUT);
  file(world, 'long.txt', numbered(1_000));
  configure(world, { tools: { perCall: PER_CALL } });
  const listening = overheard(world);
  await runTools(listening, { flags: ['--tool-budgets', 'off'] });

  const [initialize] = listening.told().split('\n');
  expect(initialize).toContain('"PostToolUse"');
  expect(initialize).not.toMatch(/"PreToolUse"|"PostToolUseFailure"/);
  expect(`${given(world)[0]}\n`).toBe(OUTPUT);
  expect(linesOf(given(world)[1] ?? '')).toHaveLength(1_001);
  expect(newestWords(mainRequests(world.standin).at(-1))).not.toMatch(/tokens (now|planned)/);
});

function actions(world: World): string[] {
  return journal(world)
    .map(nameOf)
    .filter((name) => name.startsWith('tool-budget'));
}

/** The whole, made from what is shown of it and the lines that it is said to be without. */
function rebuilt(result: string): string {
  const whole = OUTPUT.split('\n');
  const shown = result.slice(result.indexOf(']\n') + 2);
  const filled = shown.replaceAll(/\[… lines? (\d+)(?:-(\d+))? left out …\]\n/g, (_, from, to = from) =>
    whole
      .slice(Number(from) - 1, Number(to))
      .map((line) => `${line}\n`)
      .join(''),
  );
  return `${filled}\n`;
}
