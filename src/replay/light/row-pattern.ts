import { type Fields, mapFields } from '../../core/protocol/fields.ts';
import type { ReadLine } from '../read/line-feed.ts';
import { hole, type Layout, layoutOf, slot } from './layout.ts';

export const [UUID, TIMESTAMP, CONTENT] = [slot('uuid'), slot('timestamp'), hole('content')];

/** Reads the rows of one layout. */
export interface Reader {
  readonly layout: Layout;
  /** Reads the row that `layout` has just matched; undefined if it must be parsed. */
  read(): ReadLine | undefined;
  /** The reader of the row that followed the last row of this form. */
  next?: Reader | undefined;
}

/** Fields that the figures use, and fields that rarely change from row to row. */
const FIXED: ReadonlySet<string> = new Set([
  ...['type', 'isSidechain', 'agentId', 'sessionId', 'version', 'cwd', 'parent_tool_use_id', 'session_id'],
  ...['model', 'role', 'permissionMode', 'promptSource', 'userType', 'entrypoint', 'gitBranch'],
  ...['stop_sequence', 'stop_details'],
]);

/** The row with slots for its other strings, nulls and numbers. */
export function withSlots(row: Fields): Fields {
  const isOpen = (value: unknown) => typeof value === 'string' || value === null || typeof value === 'number';
  return mapFields(row, (value, name) => (isOpen(value) && !FIXED.has(name) ? slot(name) : value));
}

/** @param open the fields with holes; undefined for a row without holes */
export function layoutWith(row: Fields, open: Fields | undefined): Layout | undefined {
  return open && layoutOf({ ...withSlots(row), ...open });
}
