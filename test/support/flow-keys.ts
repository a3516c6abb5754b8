import { flowFileSchema } from '../../src/flow/file/flow-schema.ts';
import { editorSchema } from './editor-schema.ts';

/** The JSON Schema of a key. */
interface Key {
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Key>>;
  readonly items?: Key;
}

const FLOW = editorSchema(flowFileSchema) as Key;
const STEP = FLOW.properties?.steps?.items;

const OF_ANY = 'of the flow, of a profile or of a step';

/** The tables of docs/flows.md, made from the schema. */
export function flowKeys(): string {
  return [
    table('Of the file', FLOW),
    table('Of a step', STEP),
    table('Of `teaching`', STEP?.properties?.teaching),
    table(`Of \`budgets\`, ${OF_ANY}`, FLOW.properties?.budgets),
    table(`Of \`curator\`, ${OF_ANY}`, FLOW.properties?.curator),
  ].join('\n');
}

function table(heading: string, { properties = {} }: Key = {}): string {
  const rows = Object.entries(properties).map(([name, key]) => `| \`${name}\` | ${meaning(key)} |\n`);
  return `| ${heading} | |\n| --- | --- |\n${rows.join('')}`;
}

function meaning(key: Key): string {
  const { description = '', enum: words = [] } = key;
  const one = words.length === 0 ? [] : [`One of ${words.map((word) => `\`${word}\``).join(', ')}.`];
  return [description, ...one, ...presetOf(key)].join(' ');
}

/** The default in words; an empty one is not mentioned. */
function presetOf({ default: preset }: Key): string[] {
  const isEmpty = preset === undefined || JSON.stringify(preset).length <= 2;
  return isEmpty && preset !== 0 ? [] : [`Default: ${preset}.`];
}
