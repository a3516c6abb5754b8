/** What a version of Claude Code shows from outside: names, and the figures of its models. */
export interface Surface {
  readonly version: string;
  /** Options and commands of `claude --help`. */
  readonly help: readonly string[];
  /** Keys of the first line of a session, and of the last of a turn. */
  readonly init: readonly string[];
  readonly result: readonly string[];
  /** What `init` names as capabilities. */
  readonly capabilities: readonly string[];
  readonly contextUsage: readonly string[];
  readonly modelUsage: readonly string[];
  readonly models: Readonly<Record<string, ModelFigures>>;
  readonly hookEvents: readonly string[];
  readonly controlMessages: readonly string[];
  readonly variables: readonly string[];
}

/** Tokens, and US dollars for a thousand tokens of each kind. null: claude does not say. */
export interface ModelFigures {
  /** The model that claude asks for under this name. */
  readonly asked: string | null;
  readonly window: number | null;
  readonly trigger: number | null;
  readonly maxOutput: number | null;
  readonly usd: number | null;
}

/** `models`: as claude may be asked for them. */
export interface ProgramNames extends Pick<Surface, 'hookEvents' | 'controlMessages' | 'variables'> {
  readonly models: readonly string[];
}

/** Names that a program of claude's holds, of which its documentation has only a part. */
export function namesIn(program: string): ProgramNames {
  const lists = [...program.matchAll(/\["PreToolUse"(?:,"[A-Za-z]+")+\]/g)].map(
    ([list]) => JSON.parse(list) as string[],
  );
  const [all = []] = lists.sort((a, b) => b.length - a.length);
  return {
    hookEvents: distinct(all),
    controlMessages: found(program, /\bsubtype:[\w$]+\("([a-z_]+)"\)/g),
    models: found(program, /"(claude-(?!code|desktop)(?:[a-z]+-)?\d[a-z0-9-]*(?<!-))"/g),
    variables: found(program, /\b((?:CLAUDE|ANTHROPIC|DISABLE|ENABLE|BASH|MCP|MAX|API)_[A-Z0-9_]{2,60})\b/g),
  };
}

/** Options with their short forms, and commands; not what is said of them. */
export function helpNames(help: string): string[] {
  const lines = help.split('\n').map((line) => /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1] ?? '');
  return distinct(lines.filter((name) => /^(?:-|[a-z][\w|-]*(?: [[<]|$))/.test(name)));
}

function found(text: string, pattern: RegExp): string[] {
  return distinct([...text.matchAll(pattern)].map((match) => match[1] ?? ''));
}

export function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

/** What is new, gone or another in a version, a line each. */
export function surfaceDiff(before: Surface, after: Surface): string[] {
  const lists = LISTS.flatMap((key) => listDiff(key, before[key], after[key]));
  const models = distinct([...Object.keys(before.models), ...Object.keys(after.models)]);
  return [...lists, ...models.flatMap((model) => modelDiff(model, before.models[model], after.models[model]))];
}

const LISTS = [
  'help',
  'init',
  'capabilities',
  'result',
  'contextUsage',
  'modelUsage',
  'hookEvents',
  'controlMessages',
  'variables',
] as const;

function listDiff(what: string, before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...after.filter((name) => !old.has(name)).map((name) => `${what}: + ${name}`),
    ...before.filter((name) => !now.has(name)).map((name) => `${what}: - ${name}`),
  ];
}

function modelDiff(model: string, before: ModelFigures | undefined, after: ModelFigures | undefined): string[] {
  if (before === undefined) return [`models: + ${model} ${JSON.stringify(after)}`];
  if (after === undefined) return [`models: - ${model}`];
  const keys = Object.keys(after) as (keyof ModelFigures)[];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => `models: ${model}: ${key} ${before[key]} became ${after[key]}`);
}
