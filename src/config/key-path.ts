import type { Config, KeyPath, ToolKey } from './config.ts';

/** How names of tools begin; every other key of `tools` begins with a small letter. */
export const TOOL_NAME = /^(?:[A-Z]|mcp__)/;

/** Whether a key is the override of one tool, `tools.Read`. */
export function isToolKey(key: string): key is ToolKey {
  const [group, name = ''] = splitKey(key);
  return group === 'tools' && TOOL_NAME.test(name);
}

/** A key's group and its name in it, in which there may be dots; a key outside of groups is alone. */
export function splitKey(key: string): [group: string, name?: string] {
  const dot = key.indexOf('.');
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** What a configuration says for a key; undefined where it says nothing. */
export function valueAt(config: Config, key: KeyPath | ToolKey): unknown {
  const [group, name] = splitKey(key);
  const level: unknown = isToolKey(key) ? config.tools.byTool : config[group as keyof Config];
  return name === undefined ? level : Object(level)[name];
}
