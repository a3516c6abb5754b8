import type { Block } from '../standin/scenario.ts';
import { ofBlocks, ofTurns, type Rule, rule } from './rule.ts';
import { type Placed, partsOf, type Turn } from './sent.ts';

const HANDLE = 'agents-and-tools/tool-use/handle-tool-calls';
const SERVER = 'agents-and-tools/tool-use/server-tools';

const USE_FIELDS = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name']);
const RESULT_FIELDS = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

/** Calls of tools and their results. */
export const TOOL_RULES: readonly Rule[] = [
  ofBlocks(
    ['use-place', HANDLE, "a call of a tool is the assistant's"],
    ['tool_use'],
    (_, { role }) => role !== 'assistant',
  ),
  ofBlocks(['use-shape', 'errors', 'a call has an id, a name and an object as input'], ['tool_use'], ({ block }) => {
    const { id, name, input } = block;
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    return !/^[\w-]+$/.test(String(id)) || !/^[\w-]{1,200}$/.test(String(name)) || !isObject;
  }),
  ofBlocks(['use-fields', 'errors', 'a call has no other field'], ['tool_use'], ({ block }) =>
    hasOther(block, USE_FIELDS),
  ),
  ofBlocks(['result-place', HANDLE, "a result is the user's"], ['tool_result'], (_, { role }) => role !== 'user'),
  ofBlocks(['result-fields', 'errors', 'a result has no other field'], ['tool_result'], ({ block }) =>
    hasOther(block, RESULT_FIELDS),
  ),
  ofBlocks(['result-error', 'errors', 'a failed call has only text'], ['tool_result'], (placed) => {
    return placed.block.is_error === true && partsOf(placed).some(({ block }) => block.type !== 'text');
  }),
  ofBlocks(['reference', 'errors', 'a tool that was looked up is listed'], ['tool_result'], (placed, _, { tools }) => {
    const references = partsOf(placed).filter(({ block }) => block.type === 'tool_reference');
    return references.some(({ block }) => !tools.some(({ name }) => name === block.tool_name));
  }),
  rule(['use-once', 'errors', 'an id of a call stands once in a request'], ({ messages }) => {
    const ids = new Set<unknown>();
    const uses = messages.flatMap(({ blocks }) => blocks).filter(({ block }) => block.type === 'tool_use');
    return uses.filter(({ block: { id } }) => ids.size === ids.add(id).size).map(({ at }) => at);
  }),
  ofTurns(['use-answered', HANDLE, 'the turn behind a call holds its result'], (turn, { after }) =>
    of(turn, 'tool_use').filter(({ block }) => !of(after, 'tool_result').some((result) => answers(result, block))),
  ),
  ofTurns(['result-asked', HANDLE, 'the turn before a result holds its call'], (turn, { before }) =>
    of(turn, 'tool_result').filter((result) => !of(before, 'tool_use').some(({ block }) => answers(result, block))),
  ),
  ofTurns(['result-once', HANDLE, 'a call has one result'], (turn) => {
    const ids = new Set<unknown>();
    return of(turn, 'tool_result').filter(({ block }) => ids.size === ids.add(block.tool_use_id).size);
  }),
  ofTurns(['results-first', HANDLE, 'results stand before everything else in their turn'], ({ blocks }) => {
    const other = blocks.findIndex(({ block }) => block.type !== 'tool_result');
    return other < 0 ? [] : blocks.slice(other).filter(({ block }) => block.type === 'tool_result');
  }),
  ofBlocks(
    ['server-use-once', 'errors', 'an id of a server tool stands once in a message'],
    ['server_tool_use'],
    (placed, { blocks }) => {
      return blocks.find(({ block }) => isUse(block) && block.id === placed.block.id) !== placed;
    },
  ),
  ofBlocks(
    ['server-use-answered', SERVER, 'a call of a server tool is answered in its message'],
    ['server_tool_use'],
    (placed, { blocks }) => {
      const behind = blocks.slice(blocks.indexOf(placed));
      return !behind.some(({ block }) => isServerResult(block) && block.tool_use_id === placed.block.id);
    },
  ),
  ofBlocks(
    ['server-result-asked', SERVER, 'a result of a server tool stands behind its call'],
    [],
    (placed, { blocks }) => {
      const before = blocks.slice(0, blocks.indexOf(placed));
      const isAsked = before.some(({ block }) => isUse(block) && block.id === placed.block.tool_use_id);
      return isServerResult(placed.block) && !isAsked;
    },
  ),
];

function hasOther(block: Block, fields: ReadonlySet<string>): boolean {
  return Object.keys(block).some((name) => !fields.has(name));
}

function of(turn: Turn | undefined, type: string): readonly Placed[] {
  return (turn?.blocks ?? []).filter(({ block }) => block.type === type);
}

function answers({ block }: Placed, use: Block): boolean {
  return block.tool_use_id === use.id;
}

function isUse({ type }: Block): boolean {
  return type === 'server_tool_use';
}

function isServerResult({ type }: Block): boolean {
  return type.endsWith('_tool_result') && type !== 'tool_result';
}
