import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { TOOL_NAME } from './config.ts';
import { settingsSchema } from './schema.ts';

/** The JSON Schema of a configuration file, with descriptions and defaults. */
export function jsonSchema(): JsonSchema {
  return editorSchema(settingsSchema);
}

/** A schema as JSON Schema, in the draft that editors know (7). */
export function editorSchema(schema: GenericSchema): JsonSchema {
  return toJsonSchema(schema, {
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
