import { remember } from '../remember.ts';
import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { allocation } from './room.ts';
import { estimateTokens } from './token-estimate.ts';
import type { PageParameter } from './tool-budget.ts';
import type { ToolCall } from './tool-call.ts';
import { answerTool, charsPerToken, keepOpen, mayChange, withBudget } from './tool-state.ts';

/** Names under which tools take how many items are wanted. */
const PARAMETERS = [
  'limit',
  'max_results',
  'maxResults',
  'page_size',
  'pageSize',
  'per_page',
  'perPage',
  'head_limit',
  'top_k',
];

/** Where it is told what a tool takes. Schemas of MCP tools are not on the stream, so those are learned from calls. */
const KNOWN: Readonly<Record<string, PageParameter>> = { Grep: { name: 'head_limit', perItem: 40 } };

const REMEMBERED_TOOLS = 32;

/** As many items as fit; at least `least`. A size that says nothing allows 100. */
export function suggestLimit(allowed: number, perItem: number, least = 10): number {
  return perItem <= 0 ? 100 : Math.max(least, Math.floor(allowed / perItem));
}

/** A tool that gave a page has shown that it takes such a parameter, and how large its items are. */
export function learnPage(state: GovernorState, { tool, input }: ToolCall, text: string): GovernorState {
  const name = tool.startsWith('mcp__') ? parameterIn(input) : undefined;
  const asked = name === undefined ? 0 : Number(input[name]);
  if (name === undefined || !(asked >= 1)) return state;
  const perItem = Math.max(1, Math.ceil(estimateTokens(text, charsPerToken(state)) / asked));
  return withBudget(state, { pages: remember(state.toolBudget.pages, tool, { name, perItem }, REMEMBERED_TOOLS) });
}

function parameterIn(input: ToolCall['input']): string | undefined {
  return PARAMETERS.find((name) => typeof input[name] === 'number');
}

/** Whatever the agent asks for, and in whatever form: it has said what it wants. */
function isPaged(input: ToolCall['input']): boolean {
  return PARAMETERS.some((name) => input[name] !== undefined);
}

/** Asks for a page where the agent has asked for everything; undefined: the call goes as it is. */
export function limitPage(state: GovernorState, call: ToolCall, hint: string): Step | undefined {
  const { tool, input, agent } = call;
  const { pages } = state.toolBudget;
  const page = Object.hasOwn(pages, tool) ? pages[tool] : Object.hasOwn(KNOWN, tool) ? KNOWN[tool] : undefined;
  if (page === undefined || isPaged(input) || !mayChange(state, 'input')) return undefined;
  const allowed = allocation(state, tool, agent);
  const value = suggestLimit(allowed, page.perItem, 1);
  const told = `${page.name}=${value} was set for this call, as one result may take about ${allowed} tokens now: ask for the next page to go on.`;
  return keep(keepOpen(state, call, { agent, tokens: allowed }), [
    {
      kind: 'limit-tool',
      ...decided(state, `about ${page.perItem} tokens an item`),
      tool,
      parameter: page.name,
      value,
    },
    answerTool(call, 'PreToolUse', {
      specific: { updatedInput: { ...input, [page.name]: value } },
      context: [told, hint].filter(Boolean).join(' '),
    }),
  ]);
}
