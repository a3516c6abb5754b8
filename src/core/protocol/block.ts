import type { PictureSize } from './picture.ts';

/** One block of a message's content. */
export type Block =
  | TextBlock
  | { readonly type: 'image'; readonly size?: PictureSize }
  | { readonly type: 'document' }
  | { readonly type: 'other'; readonly name: string };

/** A block whose tokens are those of its texts. A `size` stands for the texts, which are then empty. */
export type TextBlock = (PlainText | Thought | ToolUse | ToolResult) & { readonly size?: TextSize };

/** The size of a block's texts, if the reader has measured it: expected tokens, and UTF-16 units. */
export interface TextSize {
  readonly tokens: number;
  readonly chars: number;
}

interface PlainText {
  readonly type: 'text';
  readonly text: string;
}

interface Thought {
  readonly type: 'thinking';
  /** May be a summary of the thought, or empty; the signature contains the whole thought, in base64. */
  readonly text: string;
  readonly signatureLength: number;
}

export interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly isError: boolean;
  readonly text: string;
  /** Text blocks, if more than one. */
  readonly texts?: readonly string[];
  readonly images: number;
  /** Sizes of the pictures whose size is known. */
  readonly sizes?: readonly PictureSize[];
  /** Tool definitions that a tool search adds to the context. */
  readonly definitions: readonly string[];
}
