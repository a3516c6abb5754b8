import type { Block } from '../../stream/events.ts';
import { jsonText } from '../../stream/fields.ts';

/** Content whose characters weigh differently in tokens. */
export type ContentKind = 'prose' | 'code' | 'json';

/** What was put into the context and not measured yet: characters by kind, and tokens of pictures and documents. */
export interface Content {
  readonly prose: number;
  readonly code: number;
  readonly json: number;
  readonly fixedTokens: number;
}

export const NO_CONTENT: Content = { prose: 0, code: 0, json: 0, fixedTokens: 0 };

/** Tokens an image or a document page is taken for: an API image costs at most about this; base64 says nothing. */
const PICTURE_TOKENS = 1600;

/** Characters per token that Claude Code itself assumes (its `pre_tokens` follow it to the token). */
const CHARS_PER_TOKEN = 4;

/** How much of the start value stays in the mix, in characters: a session's own calls soon outweigh it. */
const PRIOR_CHARS = 8_000;

/** A growth further from the estimate than this has another cause (reminders, another model) and teaches nothing. */
const PLAUSIBLE_FACTOR = 3;

/** What a session's own calls showed: characters seen and the tokens they turned out to be, by kind. */
export type Calibration = Readonly<Record<ContentKind, { readonly chars: number; readonly tokens: number }>>;

const PRIOR = { chars: PRIOR_CHARS, tokens: PRIOR_CHARS / CHARS_PER_TOKEN };
export const UNCALIBRATED: Calibration = { prose: PRIOR, code: PRIOR, json: PRIOR };

const KINDS = ['prose', 'code', 'json'] as const;

/** Characters of message content, by kind. */
export function measureContent(blocks: readonly Block[]): Content {
  return blocks.reduce((sum, block) => addContent(sum, contentOf(block)), NO_CONTENT);
}

export function addContent(a: Content, b: Content): Content {
  return {
    prose: a.prose + b.prose,
    code: a.code + b.code,
    json: a.json + b.json,
    fixedTokens: a.fixedTokens + b.fixedTokens,
  };
}

/** Tokens the content will be, rounded up. */
export function estimateTokens(content: Content, calibration: Calibration): number {
  const spoken = KINDS.reduce(
    (sum, kind) => sum + content[kind] * (calibration[kind].tokens / calibration[kind].chars),
    0,
  );
  return Math.ceil(spoken) + content.fixedTokens;
}

/**
 * Learns from one call: `content` was added and the context grew by `tokens`. The error is shared among the kinds in
 * proportion to what each was taken for.
 */
export function calibrate(calibration: Calibration, content: Content, tokens: number): Calibration {
  const expected = estimateTokens(content, calibration) - content.fixedTokens;
  const factor = (tokens - content.fixedTokens) / expected;
  if (!(factor > 1 / PLAUSIBLE_FACTOR && factor < PLAUSIBLE_FACTOR)) return calibration;
  const learn = (kind: ContentKind) => {
    const { chars, tokens: known } = calibration[kind];
    return { chars: chars + content[kind], tokens: known + content[kind] * (known / chars) * factor };
  };
  return { prose: learn('prose'), code: learn('code'), json: learn('json') };
}

/** Characters a token has turned out to be; undefined until what was learned outweighs the start value. */
export function learnedCharsPerToken(calibration: Calibration, kind: ContentKind): number | undefined {
  const { chars, tokens } = calibration[kind];
  return chars < 2 * PRIOR_CHARS ? undefined : chars / tokens;
}

function contentOf(block: Block): Content {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return { ...NO_CONTENT, prose: block.text.length };
    case 'tool_use':
      return { ...NO_CONTENT, json: block.name.length + jsonText(block.input).length };
    case 'tool_result':
      return { ...NO_CONTENT, code: block.text.length, fixedTokens: block.images * PICTURE_TOKENS };
    case 'image':
    case 'document':
      return { ...NO_CONTENT, fixedTokens: PICTURE_TOKENS };
    case 'other':
      return NO_CONTENT;
  }
}
