import { estimateTokens } from '../gauge/token-estimate.ts';
import type { GovernorState } from '../state.ts';
import { decided, keep, type Step } from '../steps.ts';
import { allocation } from './room.ts';
import type { Pages, ToolCall } from './tool-budget.ts';
import { answerTool, charsPerToken, keepOpen, mayChange, remember, withBudget } from './tool-state.ts';

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

/** What is known beforehand. Schemas of MCP tools are on none of claude's channels, so those are learned from calls. */
const KNOWN: Readonly<Record<string, Pages>> = { Grep: { parameter: 'head_limit', perItem: 40, isLarge: true } };

const UNKNOWN: Pages = { parameter: undefined, perItem: 0, isLarge: false };

const REMEMBERED_TOOLS = 32;

/** Items differ in size: a page of so much less than fits is seldom too large. */
const MARGIN = 0.9;

/** As many items as fit; at least `least`. A size that says nothing allows 100. */
export function suggestLimit(allowed: number, perItem: number, least = 10): number {
  return perItem <= 0 ? 100 : Math.max(least, Math.floor(allowed / perItem));
}

/** A tool that gave a page has shown that it takes such a parameter, and how large its items are. */
export function learnPage(state: GovernorState, call: ToolCall, text: string): GovernorState {
  const parameter = call.tool.startsWith('mcp__') ? parameterIn(call.input) : undefined;
  const asked = parameter === undefined ? 0 : Number(call.input[parameter]);
  if (parameter === undefined || !(asked >= 1)) return state;
  const perItem = Math.max(1, Math.ceil(estimateTokens(text, charsPerToken(state)) / asked));
  return withPages(state, call, { ...pagesOf(state, call), parameter, perItem });
}

/** A tool that was asked for everything has given too much: the next time it is asked for a page, if it takes that. */
export function noteLarge(state: GovernorState, call: ToolCall): GovernorState {
  if (!call.tool.startsWith('mcp__') || isPaged(call.input)) return state;
  return withPages(state, call, { ...pagesOf(state, call), isLarge: true });
}

function pagesOf({ toolBudget: { pages } }: GovernorState, { tool }: ToolCall): Pages {
  if (Object.hasOwn(pages, tool)) return pages[tool] ?? UNKNOWN;
  return Object.hasOwn(KNOWN, tool) ? (KNOWN[tool] ?? UNKNOWN) : UNKNOWN;
}

function withPages(state: GovernorState, { tool }: ToolCall, pages: Pages): GovernorState {
  return withBudget(state, { pages: remember(state.toolBudget.pages, tool, pages, REMEMBERED_TOOLS) });
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
  const { parameter, perItem, isLarge } = pagesOf(state, call);
  if (parameter === undefined || !isLarge || isPaged(input) || !mayChange(state, 'input')) return undefined;
  const allowed = allocation(state, tool, agent);
  const value = suggestLimit(allowed * MARGIN, perItem, 1);
  const told = `${parameter}=${value} was set for this call, as one result may take about ${allowed} tokens now: ask for the next page to go on.`;
  return keep(keepOpen(state, call, { agent, tokens: allowed }), [
    {
      kind: 'limit-tool',
      ...decided(state, `about ${perItem} tokens an item`),
      tool,
      parameter,
      value,
    },
    answerTool(call, 'PreToolUse', {
      specific: { updatedInput: { ...input, [parameter]: value } },
      context: [told, hint].filter(Boolean).join(' '),
    }),
  ]);
}
