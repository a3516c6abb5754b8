import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import { settingsSchema } from './schema.ts';

/** The JSON Schema of a configuration file (draft 7, which editors know), with descriptions and defaults. */
export function jsonSchema(): JsonSchema {
  return toJsonSchema(settingsSchema, { target: 'draft-07', typeMode: 'input', ignoreActions: ['check'] });
}
