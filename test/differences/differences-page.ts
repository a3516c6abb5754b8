import { GROUPS } from './all-rows.ts';
import { KNOWN_DIFFERENCES, type KnownDifference, knownDifference } from './known-differences.ts';
import { RESULT_FIGURES } from './result-figures.ts';
import type { Group, Row } from './row.ts';
import { VARIABLE_FIELDS } from './variable-fields.ts';

/** Where each invocation differs, with ctxb and without. */
export type Differences = ReadonlyMap<Row, readonly string[]>;

/** docs/differences.md, made from what was seen. */
export function differencesPage(differences: Differences, version: string): string {
  return [
    beginning(differences, version),
    remaining(differences),
    `## What is compared\n\nA number names a difference of the table above.\n`,
    ...GROUPS.map((group) => compared(group, differences)),
    notCompared(),
    figures(),
  ].join('\n');
}

function beginning(differences: Differences, version: string): string {
  const [all, equal] = [[...differences], [...differences].filter(([, list]) => list.length === 0)];
  return `# Differences

This page compares \`ctxb run -- claude …\` with \`claude …\` alone. A test makes ${all.length} invocations of claude ${version} both ways, each in a
folder of its own, against the same stand-in for the API. It compares stdout, stderr without ctxb's lines, and the exit code. It also
compares every request: messages, system, tools, thinking, model. ${equal.length} invocations are equal. Most others differ only in one description
of a tool. \`test/e2e/differences.test.ts\` makes this page.
`;
}

function remaining(differences: Differences): string {
  const rows = KNOWN_DIFFERENCES.map((known, index) => {
    const count = [...differences.values()].filter((list) =>
      list.some((each) => knownDifference(each) === known),
    ).length;
    return `| ${index + 1} | ${known.what} | ${known.why} | ${count} |\n`;
  });
  return `## What differs\n\n| | with ctxb | why | invocations |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function compared({ title, rows }: Group, differences: Differences): string {
  const lines = rows.map((row) => {
    const known = (differences.get(row) ?? []).map(knownDifference).filter((each) => each !== undefined);
    return `| ${row.name.replaceAll('|', '\\|')} | ${numbers(known)} |\n`;
  });
  return `### ${title}\n\n| invocation | differs in |\n| --- | --- |\n${lines.join('')}`;
}

function numbers(known: readonly KnownDifference[]): string {
  const found = KNOWN_DIFFERENCES.flatMap((each, index) => (known.includes(each) ? [index + 1] : []));
  return found.length === 0 ? 'nothing' : found.join(', ');
}

function notCompared(): string {
  const rows = VARIABLE_FIELDS.map(({ what, why }) => `| ${what} | ${why} |\n`);
  return `## What is not compared

These differ between two runs of claude alone.

| what | why |
| --- | --- |
${rows.join('')}`;
}

function figures(): string {
  const rows = RESULT_FIGURES.map(({ name, made }) => `| ${name} | ${made} |\n`);
  return `## The figures of a result

claude resets its counters at \`/clear\` and in each process. ctxb causes that in a handoff, in a restart, and in a resumed run
(\`--resume-run\`). There it adds up the figures of a result as below. Elsewhere each figure is claude's own, to the byte.
\`test/e2e/whole-results.test.ts\` checks the sums against the charges of the stand-in.

| figure | how it is made |
| --- | --- |
${rows.join('')}`;
}
