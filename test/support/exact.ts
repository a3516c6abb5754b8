import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExactPlan, ExactReceipt } from '../../src/core/protocol/exact-plan.ts';
import type { RecordedRequest } from './standin/scenario.ts';

const MOD = new URL('../../dist/mod', import.meta.url);

/** Puts the built mod into a new folder below `root`, as ctxb puts it into the folder that claude was given. */
export function placeMod(root: string, plan?: Omit<ExactPlan, 'version'>): string {
  const place = mkdtempSync(join(root, 'mod-'));
  cpSync(MOD, place, { recursive: true });
  writeFileSync(join(place, 'hooks/place.js'), `export const PLACE = ${JSON.stringify(place)};\n`);
  if (plan !== undefined) writeFileSync(join(place, 'plan.json'), JSON.stringify({ version: 1, ...plan }));
  return place;
}

export function receiptIn(place: string): ExactReceipt {
  return JSON.parse(readFileSync(join(place, 'receipt.json'), 'utf8'));
}

/** The conversation in a request, a line a block: who, what, and how it begins. What claude adds itself is left out. */
export function blocksIn(request: RecordedRequest | undefined): string[] {
  return (request?.body.messages ?? []).flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Block[]);
    return role === 'system' ? [] : blocks.map(sketch).filter((text) => !OWN.test(text));
  });
}

type Block = Readonly<Record<string, unknown>>;

const OWN = /^text <(?:system-reminder|local-command|command-name)/;

function sketch(block: Block): string {
  switch (block.type) {
    case 'tool_use':
      return `use ${block.id}`;
    case 'tool_result':
      return `result ${block.tool_use_id}`;
    case 'text':
    case 'thinking':
      return `${block.type} ${String(block[block.type]).trim()}`;
    default:
      return String(block.type);
  }
}
