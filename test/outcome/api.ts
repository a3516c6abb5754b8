import { createHash } from 'node:crypto';
import type { CallUsage, RequestBody } from '../../src/standin/scenario.ts';

/** Characters of a request that are one token: what is counted here need only be the same for everybody. */
const CHARS_PER_TOKEN = 4;

/** US dollars for a million tokens: the list prices of Sonnet. */
const PRICES = { input: 3, cacheCreation: 3.75, cacheRead: 0.3, output: 15 } as const;

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
  usage(body: RequestBody, output: number): Required<Omit<CallUsage, 'more'>>;
}

interface Part {
  readonly hash: string;
  readonly chars: number;
}

/** A meter on which nothing is counted yet. */
export function createMeter(): Meter {
  const bill: Bill = { calls: 0, peak: 0, input: 0, cacheCreation: 0, cacheRead: 0, output: 0, usd: 0 };
  // A prefix is known by the hashes of all its parts, chained.
  const cached = new Set<string>();

  return {
    bill,
    size: (body) => tokensOf(partsOf(body).reduce((sum, { chars }) => sum + chars, 0)),
    usage(body, output) {
      let prefix = '';
      let [all, warm] = [0, 0];
      for (const { hash, chars } of partsOf(body)) {
        prefix = digest(prefix + hash);
        all += chars;
        if (cached.has(prefix)) warm = all;
        cached.add(prefix);
      }
      const cacheRead = tokensOf(warm);
      const cacheCreation = tokensOf(all) - cacheRead;
      bill.calls += 1;
      bill.peak = Math.max(bill.peak, tokensOf(all));
      bill.cacheCreation += cacheCreation;
      bill.cacheRead += cacheRead;
      bill.output += output;
      bill.usd += (cacheCreation * PRICES.cacheCreation + cacheRead * PRICES.cacheRead + output * PRICES.output) / 1e6;
      return { input: 0, cacheCreation, cacheRead, output };
    },
  };
}

function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** A request in the order in which it is cached: tools, system, then block after block. */
function partsOf({ tools, system, messages = [] }: RequestBody): Part[] {
  const blocks = messages.flatMap(({ role, content }) =>
    (Array.isArray(content) ? content : [content]).map((block: unknown) => ({
      role,
      ...(typeof block === 'string' ? { text: block } : Object(block)),
    })),
  );
  return [...(tools ?? []), ...(Array.isArray(system) ? system : [system]), ...blocks].map(part);
}

function part(value: unknown): Part {
  // A mark of the cache is not part of what is cached.
  const { cache_control: _, ...plain } = Object(value) as { cache_control?: unknown };
  const text = JSON.stringify(typeof value === 'object' ? plain : value) ?? '';
  return { hash: digest(text), chars: text.length };
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
