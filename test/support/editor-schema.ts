import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { TOOL_NAME } from '../../src/config/config.ts';

/** Converts a schema to JSON Schema draft 7, which editors support. */
export function editorSchema(schema: GenericSchema): JsonSchema {
  return toJsonSchema(schema, {
    target: 'draft-07',
    typeMode: 'input',
    ignoreActions: ['check'],
    // Besides its own keys, `tools` accepts only names of tools, so that editors report a misspelt key.
    overrideSchema: ({ valibotSchema, jsonSchema: { additionalProperties = false, ...rest } }) =>
      valibotSchema.type === 'object_with_rest'
        ? { ...rest, patternProperties: { [TOOL_NAME.source]: additionalProperties }, additionalProperties: false }
        : undefined,
  });
}
