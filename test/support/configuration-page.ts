import * as v from 'valibot';
import { valueAt } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { expectation, GROUPS, LEAVES, type Leaf, leafOf, TOOL_LEAF } from '../../src/config/schema.ts';

/** No value of any key. */
const NOTHING = Symbol('nothing');

const SHARE = said(leafOf('thresholds.warn'));

const BEGINNING = `# Configuration

\`.contextbudgetrc\`, \`.contextbudgetrc.json\`, \`.contextbudgetrc.yaml\`, \`.contextbudgetrc.yml\` or the \`contextbudget\` key of
\`package.json\`: ctxb reads the nearest one, in the working folder or above it. They are data: nothing in them is executed. A flag
wins over a \`CTXB_*\` variable (\`CTXB_THRESHOLDS_COMPACT=0.6\`), that over the file, that over the default. Unknown keys and wrong
values are refused, all of them at once; an unknown \`CTXB_*\` variable is only named on stderr. \`ctxb config\`, \`ctxb cleanup\`
and \`ctxb doctor\` name what is refused, and go on with the rest.

A run that is resumed (\`--resume-run\`) keeps the configuration with which it began; only flags change it.

\`\`\`sh
ctxb config
ctxb config --schema > contextbudgetrc.schema.json
\`\`\`

The first prints every key with its value and where that comes from, the second the JSON Schema that
[.contextbudgetrc.example.json](../.contextbudgetrc.example.json) names. The tables below are made from the same schema.

A *share* is ${SHARE}.
`;

/** docs/configuration.md, made from the schema. */
export function configurationPage(): string {
  const groups = new Map<string, string[]>();
  for (const [key, leaf] of LEAVES) {
    const group = key.includes('.') ? key.slice(0, key.indexOf('.')) : '';
    groups.set(group, [...(groups.get(group) ?? []), row(key, leaf, valueAt(DEFAULTS, key))]);
  }
  groups.get('tools')?.push(row('tools.NAME', TOOL_LEAF, undefined));
  return [BEGINNING, ...[...groups].map(([group, rows]) => `${headOf(group)}\n${table(rows)}`)].join('\n');
}

function headOf(group: string): string {
  if (group === '') return '## General\n';
  return `## ${group}\n\n${GROUPS[group]}\n`;
}

function table(rows: readonly string[]): string {
  return `| key | default | meaning | value |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function row(key: string, leaf: Leaf, preset: unknown): string {
  const value = said(leaf) === SHARE ? 'a share' : said(leaf);
  const cells = [
    `\`${key}\``,
    preset === undefined ? '–' : `\`${JSON.stringify(preset)}\``,
    v.getDescription(leaf),
    value,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

/** What the key expects. */
function said(leaf: Leaf | undefined): string {
  return leaf === undefined ? '' : (expectation(leaf, NOTHING) ?? '');
}
