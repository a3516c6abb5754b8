import type { Block, TextBlock, TextSize } from '../../protocol/block.ts';
import type { Event } from '../../protocol/events.ts';
import { ownOf } from '../../protocol/fields.ts';
import type { PictureSize } from '../../protocol/picture.ts';
import { sumOf } from '../../text/sum-of.ts';
import { pictureTokens } from './picture-tokens.ts';
import { sizeOf } from './text-size.ts';
import { expectedTokens } from './token-estimate.ts';

/** Unmeasured additions to the context: expected tokens of texts, and fixed tokens of pictures and similar blocks. */
export type Content = Readonly<typeof NO_CONTENT>;

export const NO_CONTENT = {
  tokens: 0,
  /** The part of `tokens` that is thoughts. */
  thoughts: 0,
  fixedTokens: 0,
  /** Additional tokens of large pictures for newer models, which read them at a higher resolution. */
  sharpTokens: 0,
  /** UTF-16 units of all texts. */
  chars: 0,
};

/** Characters per token that Claude Code itself assumes (its `pre_tokens` match exactly). */
const NATIVE_CHARS_PER_TOKEN = 4;

/** Tokens of a document, and of a picture of unknown size. */
const PICTURE_TOKENS = 1600;

/** Tokens of a tool definition in a tool search, measured on searches with one or two tools in public session logs. */
const DEFINITION_TOKENS: Readonly<Record<string, number>> = {
  AskUserQuestion: 1240,
  EnterPlanMode: 1100,
  ExitPlanMode: 680,
  Monitor: 1920,
  TaskCreate: 800,
  TaskList: 360,
  TaskOutput: 260,
  TaskStop: 170,
  TaskUpdate: 1050,
  WebFetch: 510,
  WebSearch: 530,
};
const UNKNOWN_DEFINITION_TOKENS = 500;

/** Tokens of Claude Code's text around an attachment's logged content: the median of 20 or more samples each. */
const ATTACHMENT_TOKENS: Readonly<Record<string, number>> = {
  'attachment/date_change': 45,
  'attachment/deferred_tools_delta': 55,
  'attachment/edited_text_file': 85,
  'attachment/hook_additional_context': 85,
  'attachment/opened_file_in_ide': 57,
  'attachment/plan_mode': 1150,
  'attachment/plan_mode_exit': 60,
  'attachment/queued_command': 70,
  'attachment/task_reminder': 105,
};

/** Tokens of a result besides its characters; `sizeOf` adds those of the call. */
const TOOL_RESULT_TOKENS = 15;

/** Weight of the start value in tokens; a session's own calls soon outweigh it. */
const PRIOR_TOKENS = 4_000;

/**
 * A growth that differs from the estimate by a larger factor has another cause (reminders, another model) and is not
 * learned.
 */
const PLAUSIBLE_FACTOR = 3;

/** Limits the influence of a single call: most larger deviations have another cause. */
const LEARNING_FACTOR = 1.35;

/** Characters per expected token in tool results: the mean over 49 million characters of public session logs. */
const CODE_CHARS_PER_TOKEN = 2.9;

/** Results learned from a session's own calls: expected and measured tokens. */
export type Calibration = Readonly<typeof UNCALIBRATED>;

export const UNCALIBRATED = {
  expected: PRIOR_TOKENS,
  tokens: PRIOR_TOKENS,
  /** Tokens of the model's tokenizer per expected token. */
  tokenizer: 1,
};

/** Claude models before Opus 4.7, the first model with a tokenizer that creates more tokens from the same text. */
const EARLIER_TOKENIZER = /claude-(?:[1-3]|haiku-4|sonnet-4|opus-4-[0-6]\b|opus-4-2025)/;
const NEWER_TOKENIZER = 1.3;

/** The calibration adjusted to the model's tokenizer. */
export function calibrationFor(model: string | undefined, calibration: Calibration): Calibration {
  const isNewer = model?.startsWith('claude-') === true && !EARLIER_TOKENIZER.test(model);
  const tokenizer = isNewer ? NEWER_TOKENIZER : 1;
  return tokenizer === calibration.tokenizer ? calibration : { ...calibration, tokenizer };
}

export function measureContent(blocks: readonly Block[]): Content {
  return sumContent(blocks.map((block) => measureBlock(block)));
}

/** Like measureContent(), but skips counting tokens, the slowest step. Enough for claude's own estimate. */
export function measureNatively(blocks: readonly Block[]): Content {
  return sumContent(blocks.map((block) => measureBlock(block, () => 0)));
}

export function sumContent(contents: readonly Content[]): Content {
  const [only] = contents;
  return contents.length === 1 && only !== undefined ? only : contents.reduce(addContent, NO_CONTENT);
}

const NO_BLOCKS: readonly Content[] = [];

/** Content of each block of a line, if it counts for the main thread's context or for the line's cost. */
export function measureLine(event: Event): readonly Content[] {
  const counts = event.kind === 'assistant' || (event.kind === 'user' && event.subagent === null && !event.isReplay);
  return counts ? event.blocks.map((block) => measureBlock(block)) : NO_BLOCKS;
}

export function addContent(a: Content, b: Content): Content {
  return {
    tokens: a.tokens + b.tokens,
    thoughts: a.thoughts + b.thoughts,
    fixedTokens: a.fixedTokens + b.fixedTokens,
    sharpTokens: a.sharpTokens + b.sharpTokens,
    chars: a.chars + b.chars,
  };
}

/** Estimated tokens of the content, rounded up. */
export function estimateTokens(content: Content, calibration: Calibration): number {
  return Math.ceil(content.tokens * scaleOf(calibration)) + hiddenTokens(content, calibration);
}

/** Expected tokens of non-text content, such as pictures. */
export function hiddenTokens({ fixedTokens, sharpTokens }: Content, { tokenizer }: Calibration): number {
  return fixedTokens + (tokenizer > 1 ? sharpTokens : 0);
}

/** Tokens by Claude Code's own estimate, a lower bound for figures that must not be too high. */
export function nativeTokens({ chars, fixedTokens }: Content): number {
  return Math.ceil(chars / NATIVE_CHARS_PER_TOKEN) + fixedTokens;
}

/** Learns from one call: `content` was added and the context grew by `tokens`. */
export function calibrate(calibration: Calibration, content: Content, tokens: number): Calibration {
  const nonText = hiddenTokens(content, calibration);
  const estimate = estimateTokens(content, calibration) - nonText;
  const factor = estimate > 0 ? (tokens - nonText) / estimate : 0;
  if (!(factor > 1 / PLAUSIBLE_FACTOR && factor < PLAUSIBLE_FACTOR)) return calibration;
  const step = Math.min(Math.max(factor, 1 / LEARNING_FACTOR), LEARNING_FACTOR);
  const { expected, tokens: known, tokenizer } = calibration;
  const shown = (content.tokens * known * step) / expected;
  return { expected: expected + content.tokens, tokens: known + shown, tokenizer };
}

/** Learned characters per token of tool results; undefined until the session's data outweigh the start value. */
export function learnedCharsPerToken(calibration: Calibration): number | undefined {
  return calibration.expected < 2 * PRIOR_TOKENS ? undefined : CODE_CHARS_PER_TOKEN / scaleOf(calibration);
}

/** Measured tokens per expected token. */
export function scaleOf({ expected, tokens, tokenizer }: Calibration): number {
  return (tokenizer * tokens) / expected;
}

export function measureBlock(block: Block, tokensOf = expectedTokens): Content {
  switch (block.type) {
    case 'image':
      return block.size ? pictureContent(block.size) : { ...NO_CONTENT, fixedTokens: PICTURE_TOKENS };
    case 'document':
      return { ...NO_CONTENT, fixedTokens: PICTURE_TOKENS };
    case 'other':
      return { ...NO_CONTENT, tokens: ownOf(ATTACHMENT_TOKENS, block.name) ?? 0 };
    default:
      return textContent(block, sizeOf(block, tokensOf));
  }
}

function textContent(block: TextBlock, { tokens, chars }: TextSize): Content {
  if (block.type === 'thinking') return { ...NO_CONTENT, tokens, thoughts: tokens, chars };
  if (block.type !== 'tool_result') return { ...NO_CONTENT, tokens, chars };
  const { images, sizes = [], definitions } = block;
  const pictures = sumContent(sizes.map(pictureContent));
  const fixedTokens = pictures.fixedTokens + (images - sizes.length) * PICTURE_TOKENS;
  const defined = sumOf(definitions, (name) => ownOf(DEFINITION_TOKENS, name) ?? UNKNOWN_DEFINITION_TOKENS);
  return { ...pictures, tokens: TOOL_RESULT_TOKENS + defined + tokens, fixedTokens, chars };
}

function pictureContent(size: PictureSize): Content {
  const { earlier, newer } = pictureTokens(size);
  return { ...NO_CONTENT, fixedTokens: earlier, sharpTokens: newer - earlier };
}

/**
 * For these models the API removes the thoughts of earlier turns when a new prompt arrives. From Opus 4.5 and Sonnet
 * 4.6 on, thoughts stay (Anthropic's documentation of extended thinking, and 1,700 calls of public session logs).
 */
const DROPS_THOUGHTS = /claude-(?:3|haiku-4-5|sonnet-4(?:-[05]|-2025)|opus-4(?:-[01]|-2025))/;

/** The tokens that a new prompt removes from the context, as negative content. */
export function droppedThoughts(model = '', thoughts: number): Content {
  return DROPS_THOUGHTS.test(model) ? { ...NO_CONTENT, tokens: -thoughts } : NO_CONTENT;
}
