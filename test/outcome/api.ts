import { createHash } from 'node:crypto';
import { microUsdOf, PRICES, priceOf } from '../../src/core/governor/cost/prices.ts';
import type { Usage } from '../../src/core/protocol/usage.ts';
import type { CallUsage, RequestBody } from '../support/standin/scenario.ts';
import { PICTURE_TOKENS } from './job-files.ts';

/** Characters of a request that are one token: what is counted here need only be the same for everybody. */
const CHARS_PER_TOKEN = 4;

/** How long what is cached stays: it never hits, five minutes, or an hour. */
export type CacheLife = 'cold' | 'minutes' | 'hour';

const LIFE_MS = { cold: -1, minutes: 5 * 60_000, hour: 60 * 60_000 } as const;
/** A call with its tools takes about so long. */
const CALL_MS = 8_000;

/** What all calls came to. */
export interface Bill {
  calls: number;
  /** The largest request, in tokens. */
  peak: number;
  /** Tokens. */
  input: number;
  cacheCreation: number;
  cacheRead: number;
  output: number;
  usd: number;
}

/** Counts requests as the API does: what a request has in common with the beginning of an earlier one is cached. */
export interface Meter {
  readonly bill: Bill;
  /** Tokens of a request. */
  size(body: RequestBody): number;
  /** Bills a request with its answer. */
  usage(body: RequestBody, output: number): CallUsage;
  /** Time goes by without a call. */
  pause(ms: number): void;
}

interface Part {
  readonly hash: string;
  readonly chars: number;
}

/** A meter on which nothing is counted yet. */
export function createMeter(life: CacheLife = 'minutes'): Meter {
  const bill: Bill = { calls: 0, peak: 0, input: 0, cacheCreation: 0, cacheRead: 0, output: 0, usd: 0 };
  // A prefix is known by the hashes of all its parts, chained; with it stands when it was used.
  const cached = new Map<string, number>();
  let now = 0;

  function isWarm(prefix: string): boolean {
    return now - (cached.get(prefix) ?? Number.NEGATIVE_INFINITY) <= LIFE_MS[life];
  }

  function add(usage: Usage, model: string): void {
    const { cacheCreation, cacheRead, output } = usage;
    const price = priceOf(model, PRICES);
    if (price === undefined) throw new Error(`There is no price for ${model}`);
    bill.calls += 1;
    bill.peak = Math.max(bill.peak, cacheCreation + cacheRead);
    bill.cacheCreation += cacheCreation;
    bill.cacheRead += cacheRead;
    bill.output += output;
    bill.usd += microUsdOf(usage, price) / 1e6;
  }

  return {
    bill,
    size: (body) => tokensOf(partsOf(body).reduce((sum, { chars }) => sum + chars, 0)),
    usage(body, output) {
      now += CALL_MS;
      let prefix = '';
      let [all, warm] = [0, 0];
      for (const { hash, chars } of partsOf(body)) {
        prefix = digest(prefix + hash);
        all += chars;
        if (isWarm(prefix)) warm = all;
        cached.set(prefix, now);
      }
      const cacheRead = tokensOf(warm);
      const cacheCreation = tokensOf(all) - cacheRead;
      const cacheCreationHour = life === 'hour' ? cacheCreation : 0;
      add({ input: 0, cacheCreation, cacheCreationHour, cacheRead, output }, body.model ?? 'claude-sonnet-4-6');
      const written = {
        ephemeral_5m_input_tokens: cacheCreation - cacheCreationHour,
        ephemeral_1h_input_tokens: cacheCreationHour,
      };
      return { input: 0, cacheCreation, cacheRead, output, more: { cache_creation: written } };
    },
    pause(ms) {
      now += ms;
    },
  };
}

function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/**
 * A request in the order in which it is cached: tools, system, then block after block. The line about billing in the
 * system prompt is no part of it: it changes with the first message, and the API finds the rest in the cache all the same
 * (sessions of 2.1.29). A deferred tool counts where a tool search has found it.
 */
function partsOf({ tools = [], system, messages = [] }: RequestBody): Part[] {
  const deferred = new Map(tools.filter(isDeferred).map((tool) => [tool.name, tool]));
  const blocks = messages.flatMap(({ role, content }) =>
    (Array.isArray(content) ? content : [content]).map((block: unknown) => ({
      role,
      ...(typeof block === 'string' ? { type: 'text', text: block } : Object(block)),
      ...definitionsIn(block, deferred),
    })),
  );
  const prompt = (Array.isArray(system) ? system : [system]).filter((block) => !isBilling(block));
  return [...tools.filter((tool) => !isDeferred(tool)), ...prompt, ...blocks].map(part);
}

function isDeferred(tool: object): boolean {
  return 'defer_loading' in tool && tool.defer_loading === true;
}

/** The definitions of the tools that a tool search has found. */
function definitionsIn(block: unknown, deferred: ReadonlyMap<unknown, object>): object {
  const { content } = Object(block) as { content?: unknown };
  const found = (Array.isArray(content) ? content : []).filter(({ type }) => type === 'tool_reference');
  return found.length === 0 ? {} : { found: found.map(({ tool_name }) => deferred.get(tool_name)) };
}

function isBilling(block: unknown): boolean {
  return String(Object(block).text).startsWith('x-anthropic-billing-header');
}

/** The bytes of a picture, which the API does not count as text. */
const PICTURE = /(?<="data":")[\w+/=]{100,}/g;

function part(value: unknown): Part {
  // A mark of the cache is not part of what is cached.
  const { cache_control: _, ...plain } = Object(value) as { cache_control?: unknown };
  const text = JSON.stringify(typeof value === 'object' ? plain : value) ?? '';
  const pictures = [...text.matchAll(PICTURE)].map(([data]) => data.length);
  const chars = pictures.reduce((sum, length) => sum + CHARS_PER_TOKEN * PICTURE_TOKENS - length, text.length);
  return { hash: digest(text), chars };
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
