import { estimateTokens, measureBlock, UNCALIBRATED } from '../governor/gauge/estimator.ts';
import type { Block, ToolResult as ResultBlock, ToolUse as UseBlock } from '../protocol/block.ts';
import type { Extent } from '../protocol/exact-plan.ts';
import { sumOf } from '../text/sum-of.ts';

/** A message as claude passes it to a mod: one content block each; thoughts and images have no text. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly toolUses: readonly ToolUse[];
  readonly toolResults?: readonly ToolResult[];
  /** Identifies claude's own row: a message returned with its handle and text unchanged stays that row. */
  readonly handle?: string;
}

export interface ToolUse {
  readonly tool_use_id: string;
  readonly tool: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly tool_use_id: string;
  readonly text: string;
  readonly isError?: boolean;
  /** The tool's structured report, in addition to the text for the model. */
  readonly result?: unknown;
}

/** Creates a message without a row in claude's log. */
export function createMessage(role: Message['role'], text: string, more: Partial<Message> = {}): Message {
  return { role, text, toolUses: [], ...more };
}

export function isResult({ toolResults = [] }: Message): boolean {
  return toolResults.length > 0;
}

/** Whether the last step is open: the model has yet to see its results. */
export function hasOpenStep(messages: readonly Message[]): boolean {
  return messages.slice(-1).some(isResult);
}

export function extentOf(messages: readonly Message[]): Extent {
  // claude passes one message for each content block.
  const rows = sumOf(messages, (message) => Math.max(1, blocksOf(message).length));
  return { messages: rows, tokens: tokensOfAll(messages) };
}

/** Tokens by the gauge, without thoughts and images, which are not visible here. */
export function tokensOfAll(messages: readonly Message[]): number {
  return sumOf(messages.flatMap(blocksOf), tokensOf);
}

export function tokensOfText(text: string): number {
  return tokensOf({ type: 'text', text });
}

function tokensOf(block: Block): number {
  return estimateTokens(measureBlock(block), UNCALIBRATED);
}

function blocksOf({ text, toolUses, toolResults = [] }: Message): Block[] {
  const texts: Block[] = text === '' ? [] : [{ type: 'text', text }];
  return [...texts, ...toolUses.map(toolUseBlock), ...toolResults.map(toolResultBlock)];
}

export function toolUseBlock({ tool_use_id, tool, input }: ToolUse): UseBlock {
  return { type: 'tool_use', id: tool_use_id, name: tool, input };
}

export function toolResultBlock({ tool_use_id, text, isError }: ToolResult): ResultBlock {
  return { type: 'tool_result', toolUseId: tool_use_id, isError: isError === true, text, images: 0, definitions: [] };
}
