import { expect, it } from 'vitest';
import { OLDEST_CLAUDE } from '../../src/claude/supported-versions.ts';
import { microUsdOf, PRICES, priceFor } from '../../src/core/governor/cost/prices.ts';
import { readUsage } from '../../src/core/protocol/usage.ts';
import { promptLine, runProgram, startProgram, startWorld } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { sampled } from '../support/size.ts';
import type { CallUsage } from '../support/standin/scenario.ts';

const THOUSAND = 1_000;
const LONG = 150_000;
const FAST = { speed: 'fast' };
const IN_THE_US = { inference_geo: 'us' };
const HOUR = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: THOUSAND } };

/** What each model is asked with. */
const USAGES: readonly CallUsage[] = [
  { input: THOUSAND, output: 0 },
  { input: 0, cacheRead: THOUSAND, output: THOUSAND },
  { cacheCreation: THOUSAND, output: 0 },
  { cacheCreation: THOUSAND, output: 0, more: HOUR },
  { cacheRead: THOUSAND, output: 0 },
  { input: LONG, output: 0 },
  { cacheRead: LONG, output: THOUSAND },
  { input: THOUSAND, output: THOUSAND, cacheCreation: THOUSAND, cacheRead: THOUSAND, more: { ...HOUR, ...FAST } },
  { cacheRead: LONG, output: THOUSAND, more: FAST },
  { input: THOUSAND, output: 0, more: { server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 } } },
  { input: THOUSAND, output: 0, more: IN_THE_US },
];

/** Of these claude of today asks another in their place. */
const RETIRED = ['claude-opus-4-0', 'claude-opus-4-1'];

/** claude prices these like any model that it does not know. */
const FORGOTTEN = ['claude-3-opus', 'claude-3-sonnet', 'claude-3-haiku'];

/** Models that the oldest supported version does not know. */
const NEW_SINCE_OLDEST = /-5-2$/;

/** What our table says of a usage that the API wrote. */
function expected(model: string, version: string, { input = 0, cacheCreation = 0, cacheRead = 0, ...rest }: CallUsage) {
  const usage = readUsage({
    input_tokens: input,
    cache_creation_input_tokens: cacheCreation,
    cache_read_input_tokens: cacheRead,
    output_tokens: rest.output,
    ...rest.more,
  });
  const price = priceFor(model, {}, version);
  return usage && price && microUsdOf(usage, price);
}

it('claude prices each model of the table as the table does', { timeout: 600_000 }, async () => {
  let answered: CallUsage = {};
  await using world = await startWorld({ calls: () => ({ text: 'so', usage: answered }) });
  const { env, cwd } = world.scratch;
  const version = (await runProgram(world.claude, ['--version'], { env, cwd })).stdout.toString().split(' ')[0] ?? '';
  const claude = startProgram(
    world.claude,
    ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    { env, cwd },
  );
  const listed = Object.keys(PRICES).filter((model) => !FORGOTTEN.includes(model));
  const known = listed.filter((model) => version !== OLDEST_CLAUDE || !NEW_SINCE_OLDEST.test(model));
  const models = sampled(known, 8);
  const differences: unknown[] = [];
  const replaced = new Set<string>();
  let total = 0;
  for (const [at, { model, usage }] of models.flatMap((model) => USAGES.map((usage) => ({ model, usage }))).entries()) {
    answered = usage;
    claude.send({ type: 'control_request', request_id: `m${at}`, request: { subtype: 'set_model', model } });
    claude.send(promptLine(`prompt ${at}`));
    const result = await claude.waitForLine(({ type }) => type === 'result');
    const counted = Math.round((Number(result.total_cost_usd) - total) * 1_000_000);
    total = Number(result.total_cost_usd);
    const asked = mainRequests(world.standin).at(-1)?.body.model;
    if (asked !== model && !asked?.startsWith(`${model}-20`)) replaced.add(model);
    else if (counted !== expected(model, version, usage)) differences.push({ model, asked, usage, counted });
  }
  claude.stdin.end();
  await claude.finished;
  expect(differences).toEqual([]);
  expect([...replaced].filter((model) => !RETIRED.includes(model))).toEqual([]);
});
