import { createRandom, type Random } from '../random.ts';
import { ANSWER, called, edit, failed, pathOf, read, run, signOf, textOf, together, write } from './moves.ts';
import type { Call, Move, PlayedJob, PlayedTurn, Sight } from './played-claude.ts';

/** A part of the work: it yields moves, and looks for what it needs in the request. */
export type Work = Generator<Move, void>;

/** The result of a tool: a page, a list, a report. */
export interface Thing {
  readonly name: string;
  readonly tokens: number;
  readonly tool: string;
  readonly input: object;
  /** Tokens of each call of the subagent that makes it. */
  readonly spent?: readonly number[];
}

/** Actions of a working model. */
export interface Desk {
  readonly random: Random;
  /** Reads the files that the model does not see. */
  need(...files: readonly string[]): Work;
  /** Runs a command again whose output the model needs, and does not see. */
  recall(...commands: readonly string[]): Work;
  edit(file: string): Work;
  write(file: string, tokens: number): Work;
  /** A command prints so many tokens. */
  run(command: string, tokens: number): Work;
  grep(pattern: string, tokens: number): Work;
  /** A subagent answers. @param spent tokens of each of its calls */
  agent(task: string, tokens: number, spent?: readonly number[]): Work;
  pause(minutes: number): Work;
  /** Calls tools, all of them in one message. */
  call(...things: readonly Thing[]): Work;
  /** Calls those tools again whose results the model does not see. @param most calls in a message */
  see(most: number, ...things: readonly Thing[]): Work;
  /** A call that fails. */
  fail(tool: string, input: object, text: string): Work;
  /** Gives a file its size, in tokens; without it, a file has one drawn by lot. */
  size(file: string, tokens: number): string;
}

export interface Part {
  readonly prompt: string;
  readonly work: Work;
}

/** A job whose prompts are done by works; with the same seed it is the same job. */
export function jobOfWorks(parts: (desk: Desk) => readonly Part[], seed: number): PlayedJob {
  return () => {
    let sees: Sight = () => false;
    const desk = createDesk(createRandom(seed * 2_654_435), (words) => sees(words));
    return parts(desk).map(({ prompt, work }): PlayedTurn => {
      return {
        prompt,
        next(sight) {
          sees = sight;
          const { done, value } = work.next();
          return done === true ? ANSWER : value;
        },
      };
    });
  };
}

function createDesk(random: Random, sees: Sight): Desk {
  const sizes = new Map<string, number>();
  const printed = new Map<string, (id: string) => Call>();
  let calls = 0;
  const idOfNext = () => `toolu_${++calls}`;

  function callOf({ name, tokens, tool, input, spent = [] }: Thing): Call {
    return { ...called(idOfNext(), tool, input, textOf(name, tokens)), agent: spent };
  }

  function* see(most: number, things: readonly Thing[]): Work {
    for (let times = 0; times < 2 * things.length; times++) {
      const missing = things.filter(({ name }) => !sees(signOf(name))).slice(0, most);
      if (missing.length === 0) return;
      yield { ...together(missing.map(callOf)), again: true };
    }
  }

  function sizeOf(file: string): number {
    const known = sizes.get(file) ?? Math.round(400 * 30 ** random.next());
    sizes.set(file, known);
    return known;
  }

  function* first(name: string, made: (id: string) => Call): Work {
    printed.set(name, made);
    yield made(`toolu_${++calls}`);
  }

  function* fetched(names: readonly string[], fetch: (name: string, id: string) => Call): Work {
    for (let times = 0; times < 2 * names.length; times++) {
      const missing = names.find((name) => !sees(signOf(name)));
      if (missing === undefined) return;
      yield { ...fetch(missing, `toolu_${++calls}`), again: true };
    }
  }

  return {
    random,
    need: (...files) => fetched(files, (file, id) => read(file, sizeOf(file), id)),
    recall: (...commands) => fetched(commands, (name, id) => printed.get(name)?.(id) ?? run(name, 1_000, id)),
    *edit(file) {
      yield edit(file, `toolu_${++calls}`);
    },
    *write(file, tokens) {
      sizes.set(file, tokens);
      yield write(file, tokens, `toolu_${++calls}`);
    },
    run: (command, tokens) => first(command, (id) => run(command, tokens, id)),
    grep: (pattern, tokens) =>
      first(pattern, (id) => withUse(id, 'Grep', { pattern, path: '/project' }, pattern, tokens)),
    agent: (task, tokens, spent = []) =>
      first(task, (id) => ({
        ...withUse(id, 'Agent', { prompt: task, subagent_type: 'Explore' }, task, tokens),
        agent: spent,
      })),
    *pause(minutes) {
      yield { kind: 'pause', ms: minutes * 60_000 };
    },
    *call(...things) {
      yield together(things.map(callOf));
    },
    see: (most, ...things) => see(most, things),
    *fail(tool, input, text) {
      yield failed(called(idOfNext(), tool, input, ''), text);
    },
    size(file, tokens) {
      sizes.set(file, tokens);
      return file;
    },
  };
}

function withUse(id: string, tool: string, input: object, name: string, tokens: number): Call {
  return {
    ...run(name, tokens, id),
    uses: [{ tool_use_id: id, tool, input }],
    results: [{ tool_use_id: id, text: textOf(name, tokens) }],
  };
}

export function pathsOf(files: readonly string[]): string {
  return files.map(pathOf).join(', ');
}
