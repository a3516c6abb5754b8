import type { PictureSize } from '../../protocol/picture.ts';

/** Width in pixels of the square that costs one token (Anthropic's documentation of vision). */
const PATCH_WIDTH = 28;
/** Larger pictures are scaled down: maximum pixels of the longer side, and maximum tokens. */
const EARLIER_LIMITS = { side: 1568, tokens: 1568 };
const NEWER_LIMITS = { side: 2576, tokens: 4784 };

/** Tokens of a picture. Newer models read it at a higher resolution. */
export function pictureTokens(size: PictureSize): { readonly earlier: number; readonly newer: number } {
  return { earlier: patchesOf(size, EARLIER_LIMITS), newer: patchesOf(size, NEWER_LIMITS) };
}

function patchesOf({ width, height }: PictureSize, { side, tokens }: typeof NEWER_LIMITS): number {
  const scale = Math.min(1, side / Math.max(width, height), Math.sqrt(tokens / (width * height)) * PATCH_WIDTH);
  const patches = (pixels: number) => Math.ceil((pixels * scale) / PATCH_WIDTH);
  return Math.min(tokens, patches(width) * patches(height));
}
