import * as v from 'valibot';
import { settingAt } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { KEYS, type Key } from '../../src/config/keys.ts';
import { KEY_SCHEMAS, type KeySchema, TOOL_SCHEMA } from '../../src/config/schema.ts';
import { GROUPS } from './settings-schema.ts';

/** No value of any key. */
const NOTHING = Symbol('nothing');

const SHARE = said(KEY_SCHEMAS.get('thresholds.warn'));

const BEGINNING = `# Configuration

ctxb reads the nearest configuration file, in the working folder or above it:

\`\`\`json
{
  "thresholds": { "compact": "60%", "warn": "50%" },
  "cost": { "limitUsd": 5 },
  "tools": { "Grep": 4000, "mcp__github__*": "2%" }
}
\`\`\`

The file is \`.contextbudgetrc\`, \`.contextbudgetrc.json\`, \`.contextbudgetrc.yaml\`, \`.contextbudgetrc.yml\`, or the key
\`contextbudget\` of \`package.json\`. It is data: ctxb executes nothing in it.

| what | wins over |
| --- | --- |
| an option of \`ctxb run\` | a variable |
| a \`CTXB_*\` variable, such as \`CTXB_THRESHOLDS_COMPACT=0.6\` | the file |
| the file | the default |

ctxb refuses unknown keys and wrong values, and names all of them at once. An unknown \`CTXB_*\` variable only causes a warning.
\`ctxb config\`, \`ctxb cleanup\` and \`ctxb doctor\` name the faults, and continue with the other keys. A resumed run (\`--resume-run\`)
keeps its configuration; only options change it.

\`NO_COLOR\` switches colors off in everything that ctxb prints. \`FORCE_COLOR\` switches them on without a terminal.

\`ctxb config\` prints every key with its value and its source. \`dist/contextbudgetrc.schema.json\` in ctxb's folder explains the
keys to an editor.
[.contextbudgetrc.example.json](../.contextbudgetrc.example.json) sets every key.

In the tables, the option of \`ctxb run\` follows the key.

A *share* is ${SHARE}.
`;

/** docs/configuration.md, made from the schema. */
export function configurationPage(): string {
  const groups = new Map<string, string[]>();
  for (const [key, leaf] of KEY_SCHEMAS) {
    const group = key.includes('.') ? key.slice(0, key.indexOf('.')) : '';
    groups.set(group, [...(groups.get(group) ?? []), row(key, leaf, settingAt(DEFAULTS, key))]);
  }
  groups.get('tools')?.push(row('tools.NAME', TOOL_SCHEMA, undefined));
  return [BEGINNING, ...[...groups].map(([group, rows]) => `${headOf(group)}\n${table(rows)}`)].join('\n');
}

function headOf(group: string): string {
  if (group === '') return '## General\n';
  return `## ${group}\n\n${GROUPS[group]}\n`;
}

function table(rows: readonly string[]): string {
  return `| key | default | meaning | value |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function row(key: string, leaf: KeySchema, preset: unknown): string {
  const value = said(leaf) === SHARE ? 'a share' : said(leaf);
  const option = (KEYS as Readonly<Record<string, Key>>)[key]?.option?.replace(/ .*/, '');
  const cells = [
    [key, ...(option === undefined ? [] : [option])].map((name) => `\`${name}\``).join(', '),
    preset === undefined ? '–' : `\`${JSON.stringify(preset)}\``,
    v.getDescription(leaf),
    value,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

/** What the key expects. */
function said(leaf: KeySchema | undefined): string {
  return leaf === undefined ? '' : (v.safeParse(leaf, NOTHING).issues?.[0].message ?? '');
}
