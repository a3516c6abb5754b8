import type { Finding, Origin } from './config.ts';

/** Builds a finding: one line that starts with the key and says what was expected, what was found, and what to do. */
export function finding(
  key: string,
  parts: { expected: string; found: string; origin: Origin; todo: string },
): Finding {
  const { expected, found, origin, todo } = parts;
  return { key, message: `${key}: expected ${expected}, found ${found} (${origin.where ?? origin.source}); ${todo}` };
}

/** A value as it was written, shortened to what fits in a line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
