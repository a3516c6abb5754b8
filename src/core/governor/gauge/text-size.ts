import type { TextBlock, TextSize } from '../../protocol/block.ts';
import { isFields } from '../../protocol/fields.ts';
import { expectedTokens } from './token-estimate.ts';

/**
 * Tokens of a part besides its characters, fitted by least absolute error on the calls used for the character weights.
 * A tool's call and result always occur together; those calls show 70 for both.
 */
const TOOL_USE_TOKENS = 55;
const THINKING_TOKENS = 10;
const INPUT_PART_TOKENS = 4;

/**
 * A thought's signature contains the whole thought in base64, while its text may be a summary or missing. For thoughts
 * shown whole (public session logs), length of the text = 3/4 of the signature's length - 173.
 */
const SIGNATURE_SHARE = 0.75;
const SIGNATURE_FRAME = 173;
/** Ratio for a hidden thought: prose, like the models' visible thoughts. */
const THOUGHT_TOKENS_PER_CHAR = 0.26;

export function sizeOf(block: TextBlock, tokensOf = expectedTokens): TextSize {
  if (block.size) return block.size;
  if (block.type === 'tool_use') return inputSize(block.name, block.input, tokensOf);
  const { text } = block;
  const size = { tokens: tokensOf(text), chars: text.length };
  return block.type === 'thinking' ? thoughtSize(size, block.signatureLength) : size;
}

/** @param text size of the text */
export function thoughtSize({ tokens, chars }: TextSize, signatureLength: number): TextSize {
  const whole = signatureLength * SIGNATURE_SHARE - SIGNATURE_FRAME;
  const thought = chars === 0 ? Math.max(0, whole) * THOUGHT_TOKENS_PER_CHAR : tokens * Math.max(1, whole / chars);
  return { tokens: THINKING_TOKENS + thought, chars };
}

/** Names and values of a tool's input, at any depth: the model reads them without JSON escapes. */
function inputSize(name: string, input: unknown, tokensOf: typeof expectedTokens): TextSize {
  // Top-level names and values are separate parts; nested ones are JSON, whose punctuation weighs little.
  const parts = isFields(input) ? 2 * Object.keys(input).length : 0;
  let tokens = TOOL_USE_TOKENS + tokensOf(name) + INPUT_PART_TOKENS * parts;
  let chars = name.length;
  // claude inserts the plan from its file into the log: the model does not write it here.
  const open = name === 'ExitPlanMode' ? [] : [input];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'object' && value !== null) {
      for (const part of partsOf(value)) open.push(part);
    } else if (value !== undefined && value !== null) {
      const text = String(value);
      tokens += tokensOf(text);
      chars += text.length;
    }
  }
  return { tokens, chars };
}

function partsOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
}
