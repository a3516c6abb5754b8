import { createRandom } from '../random.ts';
import { type Desk, jobOfWorks, type Part, pathsOf, type Work } from './desk.ts';
import { PREFIXES, WORLDS } from './drawn.ts';
import type { PlayedJob, PlayedSetup } from './played-claude.ts';
import { times } from './things.ts';

/** The parts of a job, one for each prompt. */
export type Kind = (desk: Desk) => readonly Part[];

function names(from: number, to: number, folder: string): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => `${folder}/f${from + at}.ts`);
}

function some(desk: Desk, files: readonly string[], count: number): string[] {
  const left = [...files];
  return times(Math.min(count, files.length), () => left.splice(desk.random.whole(0, left.length - 1), 1)[0] as string);
}

/** A file by Zipf's law: the first ones are wanted most. */
function zipf({ random }: Desk, files: readonly string[]): string {
  return files[Math.floor((files.length + 1) ** random.next()) - 1] as string;
}

/** Reads what a change needs, then changes it. */
function* change(desk: Desk, file: string, others: readonly string[] = []): Work {
  yield* desk.need(...others, file);
  yield* desk.edit(file);
}

function* check(desk: Desk, tokens: number): Work {
  yield* desk.run(
    `npm test -- --seed ${desk.random.whole(1, 1e9)}`,
    Math.round(tokens * (0.6 + 0.8 * desk.random.next())),
  );
}

/** Faults all over the place: looked for, mended, tested. */
const mendFaults: Kind = (desk) =>
  times(desk.random.whole(6, 16), (at) => {
    const files = names(0, desk.random.whole(2, 6), `src/area${at}`);
    function* work(): Work {
      for (const each of times(desk.random.whole(2, 5), Number))
        yield* desk.grep(`fault${at}-${each}`, desk.random.whole(200, 3_000));
      yield* desk.need(...files);
      for (const _ of times(desk.random.whole(1, 4), Number)) {
        yield* change(desk, desk.random.pick([files[0] as string, ...files]));
        yield* check(desk, 2_500);
      }
    }
    return { prompt: `Fix fault ${at}: the report shows a wrong sum.`, work: work() };
  });

/** A review of a large diff, then its findings are mended one by one. */
const reviewThenFix: Kind = (desk) => {
  const files = names(0, desk.random.whole(8, 20), 'src/lib');
  const size = desk.random.whole(8_000, 30_000);
  function* review(): Work {
    yield* desk.run('git diff main...', size);
    yield* desk.need(...files);
    yield* check(desk, 4_000);
  }
  function* fix(at: number): Work {
    yield* desk.recall('git diff main...');
    for (const file of some(desk, files, desk.random.whole(1, 3))) yield* change(desk, file);
    yield* check(desk, 3_000);
    yield* desk.run(`git commit # ${at}`, 100);
  }
  return [
    { prompt: 'Review the branch.', work: review() },
    ...times(desk.random.whole(3, 14), (at) => ({ prompt: `Fix finding ${at + 1} of your review.`, work: fix(at) })),
  ];
};

/** A fault is looked for in a long log, half by half; few of the pages are needed again. */
const bisectLog: Kind = (desk) =>
  times(desk.random.whole(2, 8), (at) => {
    function* work(): Work {
      const pages = times(desk.random.whole(8, 30), (page) => `sed -n ${page * 100},${page * 100 + 99}p run${at}.log`);
      for (const page of pages) yield* desk.run(page, desk.random.whole(1_500, 6_000));
      const clues = some(desk, pages, desk.random.whole(1, 4));
      for (const file of names(0, desk.random.whole(1, 3), `src/log${at}`)) {
        yield* desk.recall(...clues);
        yield* change(desk, file);
      }
      yield* check(desk, 2_000);
    }
    return { prompt: `Find in run${at}.log why the job hung, and fix it.`, work: work() };
  });

/** Pages of documentation, each from several sources and the outline. */
const documentation: Kind = (desk) => {
  const outline = desk.size('docs/outline.md', 2_000);
  return times(desk.random.whole(4, 14), (at) => {
    const sources = names(0, desk.random.whole(3, 12), `src/room${at}`);
    function* work(): Work {
      yield* desk.need(outline, ...sources);
      yield* desk.write(`docs/page${at}.md`, desk.random.whole(1_000, 4_000));
      for (const source of some(desk, sources, 2)) yield* change(desk, `docs/page${at}.md`, [source]);
      if (at % 4 === 3) for (const page of times(at, Number)) yield* desk.need(`docs/page${page}.md`);
    }
    return { prompt: `Write docs/page${at}.md about src/room${at}.`, work: work() };
  });
};

/** Large lists of hits; a few are changed. */
const wideGreps: Kind = (desk) =>
  times(desk.random.whole(4, 14), (at) => {
    function* work(): Work {
      yield* desk.grep(`wide${at}`, desk.random.whole(4_000, 14_000));
      yield* desk.grep(`narrow${at}`, desk.random.whole(500, 2_000));
      for (const file of names(0, desk.random.whole(2, 8), `src/hit${at}`)) {
        yield* desk.recall(`wide${at}`);
        yield* change(desk, file);
      }
      yield* check(desk, 1_000);
    }
    return { prompt: `Rename the field ${at} everywhere.`, work: work() };
  });

/** Each prompt adds files to what every change needs. */
const growing: Kind = (desk) => {
  const each = desk.random.whole(1, 3);
  return times(desk.random.whole(5, 14), (at) => {
    const files = names(0, (at + 1) * each, 'src/grow');
    function* work(): Work {
      for (const file of some(desk, files, 4)) yield* change(desk, file, files.slice(-10));
      yield* check(desk, 2_000);
    }
    return { prompt: `Add layer ${at + 1}, and wire it with the others.`, work: work() };
  });
};

/** The needed files change slowly. */
const shifting: Kind = (desk) => {
  const width = desk.random.whole(3, 9);
  const speed = desk.random.whole(1, 3);
  return times(desk.random.whole(6, 20), (at) => {
    const files = names(at * speed, at * speed + width, 'src/chain');
    function* work(): Work {
      for (const file of some(desk, files, desk.random.whole(2, 6))) yield* change(desk, file, some(desk, files, 3));
      yield* check(desk, 2_000);
    }
    return { prompt: `Convert the next links: ${pathsOf(files.slice(-speed))}.`, work: work() };
  });
};

/** The last prompt needs the files of the first one. */
const fullCircle: Kind = (desk) => {
  const base = names(0, desk.random.whole(4, 14), 'src/base');
  const middle = desk.random.whole(3, 12);
  function* start(): Work {
    for (const file of some(desk, base, 5)) yield* change(desk, file, base);
  }
  function* other(at: number): Work {
    for (const file of names(0, desk.random.whole(2, 6), `src/mid${at}`)) yield* change(desk, file);
    yield* check(desk, 4_000);
  }
  return [
    { prompt: `Lay the base: ${pathsOf(base)}.`, work: start() },
    ...times(middle, (at) => ({ prompt: `Build part ${at + 1} on it.`, work: other(at) })),
    { prompt: 'Now clean up the base again.', work: start() },
  ];
};

/** Tests first: long output, a change, the output again. The model reads each file again after changing it. */
const testFirst: Kind = (desk) =>
  times(desk.random.whole(4, 12), (at) => {
    const files = [`test/t${at}.test.ts`, `src/t${at}.ts`, ...names(0, desk.random.whole(0, 3), 'src/help')];
    function* work(): Work {
      yield* desk.need(...files);
      for (const round of times(desk.random.whole(3, 10), Number)) {
        yield* change(desk, files[round % 2] as string, files);
        yield* desk.run(`sed -n 1,80p ${files[round % 2]}`, 900);
        yield* check(desk, 6_000);
      }
    }
    return { prompt: `Write the feature ${at} test first.`, work: work() };
  });

/** Each prompt ends with a look at the whole diff, which grows, and a review of all changed files. */
const growingDiff: Kind = (desk) => {
  const changed = new Set<string>();
  return times(desk.random.whole(5, 14), (at) => {
    function* work(): Work {
      for (const file of names(0, desk.random.whole(1, 4), `src/d${at}`)) {
        yield* change(desk, file);
        changed.add(file);
      }
      yield* check(desk, 2_000);
      yield* desk.run(`git diff # ${at}`, 700 * changed.size);
      if (at % 5 === 4) for (const file of changed) yield* desk.need(file);
    }
    return { prompt: `Add the endpoint ${at}.`, work: work() };
  });
};

/** Subagents look around; their answers are needed for the changes. */
const subagents: Kind = (desk) =>
  times(desk.random.whole(3, 10), (at) => {
    const tasks = times(desk.random.whole(1, 4), (task) => `Explore ${at}-${task}`);
    function* work(): Work {
      for (const task of tasks) {
        yield* desk.agent(
          task,
          desk.random.whole(800, 5_000),
          times(desk.random.whole(2, 8), () => desk.random.whole(8_000, 25_000)),
        );
      }
      for (const file of names(0, desk.random.whole(2, 8), `src/a${at}`)) {
        yield* desk.recall(desk.random.pick([tasks[0] as string, ...tasks]));
        yield* change(desk, file);
      }
      yield* check(desk, 2_500);
    }
    return { prompt: `Explore area ${at} with agents, then change it.`, work: work() };
  });

/** A large specification that each change needs. */
const bySpecification: Kind = (desk) => {
  const spec = desk.size('docs/spec.md', desk.random.whole(10_000, 35_000));
  return times(desk.random.whole(4, 16), (at) => {
    const files = names(0, desk.random.whole(1, 5), `src/s${at}`);
    function* work(): Work {
      for (const file of files) yield* change(desk, file, [spec]);
      yield* check(desk, 2_000);
    }
    return {
      prompt: `Implement chapter ${at} of docs/spec.md. ${'More words. '.repeat(desk.random.whole(0, 1_200))}`,
      work: work(),
    };
  });
};

/** Tables and figures, seldom needed again. */
const tables: Kind = (desk) =>
  times(desk.random.whole(4, 16), (at) => {
    function* work(): Work {
      const asked: string[] = [];
      for (const each of times(desk.random.whole(4, 15), Number)) {
        asked.push(`python3 q.py ${at} ${each}`);
        yield* desk.run(asked.at(-1) as string, desk.random.whole(300, 6_000));
        if (desk.random.chance(0.15)) yield* desk.recall(asked[desk.random.whole(0, asked.length - 1)] as string);
      }
      yield* desk.write(`reports/r${at}.md`, 1_200);
    }
    return { prompt: `What do the figures of month ${at} say?`, work: work() };
  });

/** Changes of files, some of them wanted again and again. */
const hotFiles: Kind = (desk) => {
  const files = names(0, desk.random.whole(12, 60), 'src/hot');
  return times(desk.random.whole(4, 20), (at) => {
    function* work(): Work {
      for (const _ of times(desk.random.whole(2, 8), Number)) {
        yield* change(desk, zipf(desk, files), [zipf(desk, files), zipf(desk, files)]);
        if (desk.random.chance(0.5)) yield* check(desk, 2_000);
      }
    }
    return { prompt: `Ticket ${at}.`, work: work() };
  });
};

/** Waits for a pipeline, asking over and over; then mends what failed. */
const pipeline: Kind = (desk) =>
  times(desk.random.whole(2, 8), (at) => {
    function* work(): Work {
      for (const each of times(desk.random.whole(5, 25), Number)) {
        yield* desk.run(`gh run view ${at} # ${each}`, desk.random.whole(300, 2_500));
        yield* desk.pause(desk.random.pick([0.5, 1, 4, 6]));
      }
      yield* desk.run(`gh run view ${at} --log-failed`, desk.random.whole(3_000, 12_000));
      for (const file of names(0, desk.random.whole(1, 4), `ci/c${at}`)) {
        yield* desk.recall(`gh run view ${at} --log-failed`);
        yield* change(desk, file);
      }
    }
    return { prompt: `Push ${at}, wait for the pipeline, and fix what fails.`, work: work() };
  });

/** One prompt, hundreds of calls: a project from nothing, whose later files need the earlier ones. */
const fromNothing: Kind = (desk) => {
  function* work(): Work {
    const written: string[] = [];
    for (const at of times(desk.random.whole(20, 70), Number)) {
      yield* desk.need(...written.slice(-2), ...(written.length > 0 ? [zipf(desk, written)] : []));
      written.push(`app/w${at}.ts`);
      yield* desk.write(`app/w${at}.ts`, desk.random.whole(500, 4_000));
      for (const _ of times(desk.random.whole(0, 4), Number)) {
        yield* check(desk, 1_500);
        yield* change(desk, desk.random.chance(0.7) ? (written.at(-1) as string) : zipf(desk, written));
      }
    }
  }
  return [{ prompt: 'Build the whole application.', work: work() }];
};

/** Builds everything, then one prompt that looks through all of it again. */
const lastReview: Kind = (desk) => {
  const parts = desk.random.whole(4, 12);
  const all: string[] = [];
  function* build(at: number): Work {
    for (const each of times(desk.random.whole(1, 4), Number)) {
      all.push(desk.size(`lib/l${at}-${each}.ts`, desk.random.whole(800, 6_000)));
      yield* desk.write(all.at(-1) as string, desk.random.whole(800, 6_000));
      yield* check(desk, 1_500);
      yield* change(desk, all.at(-1) as string);
    }
  }
  function* review(): Work {
    for (const file of all) yield* desk.need(file);
    for (const file of some(desk, all, 4)) yield* change(desk, file);
  }
  return [
    ...times(parts, (at) => ({ prompt: `Write module ${at}.`, work: build(at) })),
    { prompt: 'Look through everything once more, and correct it.', work: review() },
  ];
};

export const KINDS: Readonly<Record<string, Kind>> = {
  mendFaults,
  reviewThenFix,
  bisectLog,
  documentation,
  wideGreps,
  growing,
  shifting,
  fullCircle,
  testFirst,
  growingDiff,
  subagents,
  bySpecification,
  tables,
  hotFiles,
  pipeline,
  fromNothing,
  lastReview,
};

/** A job of a kind, and where it is done; each seed draws another one. */
export function drawnKind(name: string, seed: number): { readonly job: PlayedJob; readonly world: PlayedSetup } {
  const random = createRandom(seed * 32_452_843);
  const world = { ...random.pick(WORLDS), prefix: random.pick(PREFIXES), atOnce: random.chance(0.3) };
  const parts = KINDS[name];
  if (parts === undefined) throw new Error(`no kind ${name}`);
  return { job: jobOfWorks(parts, seed), world };
}
