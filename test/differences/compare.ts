/** Says of two values where they differ, `alone` without and `other` with ctxb. */
export function differencesOf(alone: unknown, other: unknown, path = ''): string[] {
  if (Array.isArray(alone) && Array.isArray(other)) return inLists(alone, other, path);
  if (isObject(alone) && isObject(other)) return inObjects(alone, other, path);
  if (JSON.stringify(alone) === JSON.stringify(other)) return [];
  const [was, is] = typeof alone === 'string' && typeof other === 'string' ? differing(alone, other) : [alone, other];
  return [`${path}: ${short(is)} instead of ${short(was)}`];
}

type Values = Readonly<Record<string, unknown>>;

function inObjects(alone: Values, other: Values, path: string): string[] {
  const [keys, others] = [Object.keys(alone), Object.keys(other)];
  const [shared, inTheirOrder] = [keys.filter((key) => key in other), others.filter((key) => key in alone)];
  const within = path === '' ? '' : `${path}.`;
  return [
    ...keys.filter((key) => !(key in other)).map((key) => `${within}${key}: only without ctxb`),
    ...others.filter((key) => !(key in alone)).map((key) => `${within}${key}: only with ctxb`),
    ...(shared.join() === inTheirOrder.join() ? [] : [`${path}: keys in another order`]),
    ...shared.flatMap((key) => differencesOf(alone[key], other[key], `${within}${key}`)),
  ];
}

function inLists(alone: readonly unknown[], other: readonly unknown[], path: string): string[] {
  const pairs = align(alone.map(nameOf), other.map(nameOf));
  const [mine, theirs] = [new Set(pairs.map(([one]) => one)), new Set(pairs.map(([, two]) => two))];
  const only = (values: readonly unknown[], paired: ReadonlySet<number>, where: string) =>
    values.flatMap((value, index) => (paired.has(index) ? [] : [`${path}[${nameOf(value)}]: only ${where}`]));
  return [
    ...only(alone, mine, 'without ctxb'),
    ...only(other, theirs, 'with ctxb'),
    ...pairs.flatMap(([one, two]) => differencesOf(alone[one], other[two], `${path}[${nameOf(alone[one])}]`)),
  ];
}

/** What a member of a list is: by that it is found in the other list. */
function nameOf(value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? short(value) : '';
  const { type, subtype, event, name, role } = value;
  const words = [type, subtype, isObject(event) ? event.type : undefined, name, role];
  return words.filter((word) => typeof word === 'string').join('/');
}

/** Pairs of equal names, in order, as many as there are: the longest common sequence. */
function align(names: readonly string[], others: readonly string[]): (readonly [number, number])[] {
  const lengths = Array.from({ length: names.length + 1 }, () => Array.from({ length: others.length + 1 }, () => 0));
  const at = (one: number, two: number) => lengths[one]?.[two] ?? 0;
  for (let one = names.length - 1; one >= 0; one -= 1) {
    for (let two = others.length - 1; two >= 0; two -= 1) {
      const longest =
        names[one] === others[two] ? 1 + at(one + 1, two + 1) : Math.max(at(one + 1, two), at(one, two + 1));
      lengths[one]?.splice(two, 1, longest);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let [one, two] = [0, 0]; one < names.length && two < others.length; ) {
    if (names[one] === others[two]) pairs.push([one++, two++]);
    else if (at(one + 1, two) >= at(one, two + 1)) one += 1;
    else two += 1;
  }
  return pairs;
}

const WORDS_AROUND = 40;
const LONGEST = 160;

/** Two texts without what they have in common at both ends, but for a few words. */
function differing(alone: string, other: string): [string, string] {
  let [start, end] = [0, 0];
  const most = Math.min(alone.length, other.length);
  while (start < most && alone[start] === other[start]) start += 1;
  while (end < most - start && alone.at(-1 - end) === other.at(-1 - end)) end += 1;
  const cut = (text: string) => text.slice(Math.max(0, start - WORDS_AROUND), text.length - end + WORDS_AROUND);
  return [cut(alone), cut(other)];
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
