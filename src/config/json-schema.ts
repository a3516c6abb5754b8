import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import { TOOL_NAME } from './key-path.ts';
import { settingsSchema } from './schema.ts';

/** The JSON Schema of a configuration file (draft 7, which editors know), with descriptions and defaults. */
export function jsonSchema(): JsonSchema {
  return toJsonSchema(settingsSchema, {
    target: 'draft-07',
    typeMode: 'input',
    ignoreActions: ['check'],
    // Beside the keys of `tools` only names of tools are allowed: editors are to show a wrong key as one.
    overrideSchema: ({ valibotSchema, jsonSchema: { additionalProperties = false, ...rest } }) =>
      valibotSchema.type === 'object_with_rest'
        ? { ...rest, patternProperties: { [TOOL_NAME.source]: additionalProperties }, additionalProperties: false }
        : undefined,
  });
}
