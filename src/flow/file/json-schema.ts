import { editorSchema } from '../../config/json-schema.ts';
import { flowFileSchema } from './flow-schema.ts';

/** The JSON Schema of a flow file (draft 7, which editors know), with descriptions and defaults. */
export function flowSchema(): ReturnType<typeof editorSchema> {
  return editorSchema(flowFileSchema);
}
