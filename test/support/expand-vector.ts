/** Writes out what a vector says briefly: `{$repeat, count}`, `{$concat}`, and in a list `{$seq: {template, from, to}}`. */
export function expandVector(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((one) => sequenceOf(one) ?? [expandVector(one)]);
  if (typeof value !== 'object' || value === null) return value;
  if ('$repeat' in value && 'count' in value) return String(value.$repeat).repeat(Number(value.count));
  if ('$concat' in value) return (expandVector(value.$concat) as string[]).join('');
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expandVector(one)]));
}

interface Sequence {
  readonly $seq: { readonly template: unknown; readonly from: number; readonly to: number };
}

function sequenceOf(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null || !('$seq' in value)) return undefined;
  const { template, from, to } = (value as Sequence).$seq;
  const text = JSON.stringify(template);
  return Array.from({ length: to - from }, (_, index) =>
    expandVector(JSON.parse(text.replaceAll('{i}', String(from + index)))),
  );
}
