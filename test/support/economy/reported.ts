import { createRandom, type Random } from '../random.ts';
import { type Desk, jobOfWorks, type Part, pathsOf, type Thing, type Work } from './desk.ts';
import type { Kind } from './kinds.ts';
import { pathOf } from './moves.ts';
import type { PlayedJob, PlayedSetup } from './played-claude.ts';
import { REREADING } from './rereading.ts';
import { agentOf, commandOf, fileOf, pageOf, serverOf, skewed, times, todo } from './things.ts';

/*
 * Jobs as others report them: sizes and orders of calls are those of public sessions, and of issues about contexts that
 * fill up. Most reads are pages of 600 to 1,500 tokens, most commands print less than 300, a page of a browser has 3,000
 * to 25,000, and a team of subagents answers with up to 50,000.
 */

/** Pages of large files: looked for, read, changed several times in a row. */
const pagesOfFiles: Kind = (desk) => {
  const { random } = desk;
  const files = random.whole(4, 12);
  const pages = times(files * 12, (at) =>
    pageOf(`cmd/large${at % files}.go`, Math.floor(at / files), skewed(desk, 500, 4_000)),
  );
  return times(random.whole(12, 33), (at) => {
    function* work(): Work {
      for (const round of times(random.whole(1, 4), Number)) {
        yield* desk.grep(`symbol${at}-${round}`, skewed(desk, 100, 2_500));
        const page = random.pick(pages as [Thing, ...Thing[]]);
        yield* desk.see(1, page, ...(random.chance(0.4) ? [random.pick(pages as [Thing, ...Thing[]])] : []));
        for (const _ of times(random.whole(0, 4), Number)) yield* desk.edit(page.name.split(' ')[0] as string);
        yield* desk.run(`go build ./... # ${at}-${round}`, skewed(desk, 30, 2_500));
      }
    }
    return { prompt: `The hook of session ${at} does not run. Why?`, work: work() };
  });
};

/** Each action in a browser gives back the whole page; only the last one counts. */
const browser: Kind = (desk) => {
  const least = desk.random.pick<number>([2_000, 3_000, 12_000]);
  const most = desk.random.whole(least, 25_000);
  return times(desk.random.whole(3, 10), (at) => {
    function* work(): Work {
      for (const each of times(desk.random.whole(4, 12), Number)) {
        const input = { element: `button ${at}-${each}`, ref: `e${each}` };
        const action = desk.random.pick(['navigate', 'click', 'type', 'wait_for'] as const);
        const shown = serverOf(`playwright__browser_${action}`, input, desk.random.whole(least, most));
        yield* desk.call(shown);
        yield* desk.see(1, shown);
        if (desk.random.chance(0.3)) yield* desk.edit(`e2e/flow${at}.spec.ts`);
      }
      yield* desk.run(`npx playwright test flow${at}`, skewed(desk, 300, 7_500));
    }
    return { prompt: `Write a test for the flow ${at}, trying it in the browser.`, work: work() };
  });
};

/** Subagents answer at once with long reports, from which a document is written; later prompts ask about some of them. */
const teams: Kind = (desk) => {
  const reports: Thing[] = [];
  const most = desk.random.pick([2_500, 6_000, 16_000]);
  return times(desk.random.whole(2, 7), (at) => {
    const team = times(desk.random.whole(3, 9), (each) =>
      agentOf(desk, `Research ${at}-${each}`, skewed(desk, 800, most)),
    );
    function* work(): Work {
      yield* desk.call(...team);
      yield* desk.see(1, ...team);
      yield* desk.write(`research/topic${at}.md`, desk.random.whole(2_000, 6_000));
      reports.push(...team);
      for (const _ of times(desk.random.whole(0, 4), Number)) {
        yield* desk.see(1, desk.random.pick(reports as [Thing, ...Thing[]]));
        yield* desk.edit(`research/topic${at}.md`);
      }
    }
    return { prompt: `Let a team look into topic ${at}, then write it up.`, work: work() };
  });
};

/** Reads eight files in each message. */
const batches: Kind = (desk) =>
  times(desk.random.whole(3, 10), (at) => {
    const files = times(desk.random.whole(8, 24), (each) => fileOf(`pkg/b${at}/f${each}.py`, skewed(desk, 500, 8_000)));
    function* work(): Work {
      yield* desk.see(8, ...files);
      for (const file of files.filter(() => desk.random.chance(0.4))) {
        yield* desk.see(8, file);
        yield* desk.edit(file.name.split(' ')[0] as string);
      }
      yield* desk.run(`pytest pkg/b${at}`, skewed(desk, 100, 4_000));
    }
    return { prompt: `Type the package b${at}.`, work: work() };
  });

/** A hundred small prompts. */
const smallPrompts: Kind = (desk) => {
  const files = times(desk.random.whole(5, 30), (at) => fileOf(`app/s${at}.tsx`, skewed(desk, 400, 6_000)));
  return times(desk.random.whole(60, 100), (at) => {
    function* work(): Work {
      const file = desk.random.pick(files as [Thing, ...Thing[]]);
      yield* desk.see(1, file);
      yield* desk.edit(file.name.split(' ')[0] as string);
      if (desk.random.chance(0.3)) yield* desk.run(`npm run lint # ${at}`, skewed(desk, 50, 1_500));
    }
    return { prompt: `Make button ${at} a little wider.`, work: work() };
  });
};

/** One prompt of four hundred calls. */
const oneLongTurn: Kind = (desk) => {
  const files = desk.random.whole(15, 60);
  function* work(): Work {
    for (const at of times(130, Number)) {
      const near = Math.floor((at / 130) * files * 0.7);
      const file = `lib/q${Math.min(files - 1, near + desk.random.whole(0, Math.ceil(files * 0.3)))}.rs`;
      if (desk.random.chance(0.3)) yield* desk.grep(`use${at}`, skewed(desk, 100, 2_500));
      yield* desk.see(1, pageOf(file, desk.random.whole(0, 2), 1_500));
      yield* desk.edit(file);
      if (desk.random.chance(0.6)) yield* desk.run(`cargo check # ${at}`, skewed(desk, 50, 7_500));
      if (at % 9 === 8) yield* todo(desk);
    }
  }
  return [
    { prompt: 'Make the whole crate compile without the old feature. Do not stop before it does.', work: work() },
  ];
};

/** Each prompt holds a log or a specification of up to 30,000 tokens. */
const pasted: Kind = (desk) => {
  const size = desk.random.pick([8_000, 15_000, 30_000]);
  return times(desk.random.whole(4, 12), (at) => {
    function* work(): Work {
      for (const each of times(desk.random.whole(1, 5), Number)) {
        const file = `srv/p${at % 3}-${each}.ts`;
        yield* desk.need(file);
        yield* desk.edit(file);
        yield* desk.run(`npm test -- p${at}-${each}`, skewed(desk, 200, 3_000));
      }
    }
    return { prompt: `Here is the log of night ${at}: ${'failed at line 17, '.repeat(size / 5)}`, work: work() };
  });
};

/** Tests that print 30,000 characters each time, until they pass. */
const noisyTests: Kind = (desk) =>
  times(desk.random.whole(3, 8), (at) => {
    function* work(): Work {
      for (const round of times(desk.random.whole(3, 12), Number)) {
        const printed = commandOf(`mvn test -pl mod${at} # ${round}`, 7_500);
        yield* desk.call(printed);
        const file = `mod${at}/T${desk.random.whole(0, 3)}.java`;
        yield* desk.need(file);
        yield* desk.see(1, printed);
        yield* desk.edit(file);
      }
    }
    return { prompt: `Make the tests of mod${at} pass.`, work: work() };
  });

/** A migration, file by file, each by the same guide and example. */
const fileByFile: Kind = (desk) => {
  const guide = [
    fileOf('MIGRATION.md', desk.random.whole(1_500, 9_000)),
    fileOf('src/done/example.tsx', desk.random.whole(800, 4_000)),
  ];
  const perPrompt = desk.random.pick([3, 10, 60]);
  return times(Math.ceil(desk.random.whole(40, 100) / perPrompt), (at) => {
    const files = times(perPrompt, (each) => `src/old/c${at * perPrompt + each}.jsx`);
    function* work(): Work {
      for (const [each, file] of files.entries()) {
        yield* desk.see(2, ...guide);
        yield* desk.need(file);
        yield* desk.write(file.replace('old', 'new'), skewed(desk, 600, 4_000));
        yield* desk.run(`npx tsc -p . # ${file}`, skewed(desk, 30, 2_000));
        if (each % 10 === 9) yield* desk.run(`npm test # ${file}`, 4_000);
        if (each % 5 === 4) yield* todo(desk);
      }
    }
    return { prompt: `Migrate the next files as MIGRATION.md says: ${pathsOf(files)}`, work: work() };
  });
};

/** A notebook that is read again, whole, after each cell. */
const notebook: Kind = (desk) => {
  let [size, version] = [desk.random.whole(2_000, 8_000), 0];
  const grows = desk.random.pick([300, 1_000, 2_500]);
  const whole = () => fileOf('analysis.ipynb', size, version);
  return times(desk.random.whole(4, 10), (at) => {
    function* work(): Work {
      for (const each of times(desk.random.whole(1, 4), Number)) {
        yield* desk.see(1, whole());
        const input = { notebook_path: pathOf('analysis.ipynb'), cell_id: `${at}-${each}`, new_source: 'df.plot()' };
        yield* desk.call({ name: `cell ${at}-${each}`, tokens: 60, tool: 'NotebookEdit', input });
        yield* desk.run(`jupyter nbconvert --execute analysis.ipynb # ${at}-${each}`, skewed(desk, 50, 2_000));
        [size, version] = [size + desk.random.whole(0, 2 * grows), version + 1];
      }
    }
    return { prompt: `Add the figure ${at} to the notebook.`, work: work() };
  });
};

/** A formatter changes each file behind the model's back: every other edit is refused until the file is read again. */
const refusedEdits: Kind = (desk) => {
  const versions = new Map<string, number>();
  return times(desk.random.whole(4, 12), (at) => {
    function* work(): Work {
      for (const _ of times(desk.random.whole(2, 7), Number)) {
        const file = `web/r${desk.random.whole(0, 8)}.ts`;
        const size = 1_000 + 700 * Number(file.slice(5, -3));
        const version = versions.get(file) ?? 0;
        yield* desk.see(1, fileOf(file, size, version));
        if (desk.random.chance(0.5)) {
          const input = { file_path: pathOf(file), old_string: 'a', new_string: 'b' };
          yield* desk.fail('Edit', input, 'File has been modified since read. Read it again before writing to it.');
          versions.set(file, version + 1);
          yield* desk.see(1, fileOf(file, size, version + 1));
        }
        yield* desk.edit(file);
        yield* desk.run(`npx prettier --write ${file}`, 40);
      }
    }
    return { prompt: `Lint rule ${at}: fix what it finds.`, work: work() };
  });
};

/** One issue of the same repository after the other: reproduced, looked for, mended, tested. */
const issues: Kind = (desk) =>
  times(desk.random.whole(4, 14), (at) => {
    function* work(): Work {
      yield* desk.write(`repro${at}.py`, 300);
      yield* desk.run(`python repro${at}.py`, skewed(desk, 100, 3_000));
      for (const each of times(desk.random.whole(2, 6), Number)) {
        yield* desk.grep(`def name${at}-${each}`, skewed(desk, 50, 2_500));
        const core = `django/core${desk.random.whole(0, 5)}.py`;
        yield* desk.see(1, pageOf(core, desk.random.whole(0, 9), 1_500), pageOf(`django/own${at}.py`, each, 900));
      }
      for (const _ of times(desk.random.whole(1, 4), Number)) {
        yield* desk.see(1, pageOf(`django/own${at}.py`, 0, 900));
        yield* desk.edit(`django/own${at}.py`);
        yield* desk.run(`python repro${at}.py # again`, skewed(desk, 50, 1_000));
      }
      yield* desk.run(`./runtests.py own${at}`, skewed(desk, 100, 7_500));
    }
    return { prompt: `Issue ${at}: a wrong result with an empty set. Please fix it, and add a test.`, work: work() };
  });

/** A user who is away: the cache has expired before half of the prompts, and of the calls of slow commands. */
const breaks: Kind = (desk) => {
  const files = times(desk.random.whole(3, 12), (at) => fileOf(`api/b${at}.rb`, skewed(desk, 800, 8_000)));
  return times(desk.random.whole(6, 18), (at) => {
    function* work(): Work {
      if (desk.random.chance(0.5)) yield* desk.pause(desk.random.whole(6, 90));
      for (const each of times(desk.random.whole(1, 5), Number)) {
        const file = desk.random.pick(files as [Thing, ...Thing[]]);
        yield* desk.see(1, file, desk.random.pick(files as [Thing, ...Thing[]]));
        yield* desk.edit(file.name.split(' ')[0] as string);
        yield* desk.run(`bin/integration # ${at}-${each}`, skewed(desk, 300, 6_000));
        if (desk.random.chance(0.4)) yield* desk.pause(6);
      }
    }
    return { prompt: `Back again. Next: endpoint ${at}.`, work: work() };
  });
};

/** Looks around, and around again, without a change. */
const neverEdits: Kind = (desk) => {
  const seen: Thing[] = [];
  function nextPage(at: number, each: number): Thing {
    if (seen.length > 0 && desk.random.chance(0.35)) return desk.random.pick(seen as [Thing, ...Thing[]]);
    seen.push(pageOf(`core/n${at}-${each % 7}.c`, each, skewed(desk, 600, 4_000)));
    return seen.at(-1) as Thing;
  }
  return times(desk.random.whole(2, 10), (at) => {
    function* work(): Work {
      for (const each of times(desk.random.whole(8, 30), Number)) {
        if (desk.random.chance(0.5)) yield* desk.grep(`why${at}-${each}`, skewed(desk, 100, 4_000));
        yield* desk.see(1, nextPage(at, each));
      }
    }
    return { prompt: `How does part ${at} really work?`, work: work() };
  });
};

/** Phases of a plan that is read again before each, with the files of its phase; the end compares all with the plan. */
const byPlan: Kind = (desk) => {
  const plan = (version: number) => fileOf('plan.md', 2_500, version);
  const phases = desk.random.whole(4, 10);
  const all: Thing[] = [];
  return times(phases, (at) => {
    function* work(): Work {
      if (at === 0) yield* desk.write('plan.md', 2_500);
      yield* desk.call(plan(at));
      yield* todo(desk);
      const files = times(desk.random.whole(3, 8), (each) => fileOf(`mod/p${at}-${each}.kt`, skewed(desk, 600, 5_000)));
      for (const file of files) {
        yield* desk.see(1, file, ...(all.length > 0 && desk.random.chance(0.3) ? all.slice(-1) : []));
        yield* desk.edit(file.name.split(' ')[0] as string);
        all.push(file);
      }
      yield* desk.run(`gradle test # ${at}`, skewed(desk, 200, 7_500));
      yield* desk.edit('plan.md');
      if (at === phases - 1) yield* desk.see(4, ...all.filter(() => desk.random.chance(0.5)));
    }
    return {
      prompt: at === 0 ? 'Plan it, and begin with the first phase.' : `Go on with phase ${at + 1}.`,
      work: work(),
    };
  });
};

/** Large lists of a tracker as JSON, of which a report is made. */
const trackers: Kind = (desk) =>
  times(desk.random.whole(3, 9), (at) => {
    function* work(): Work {
      const lists = times(desk.random.whole(2, 6), (page) =>
        serverOf('tracker__search_issues', { query: `sprint ${at}`, page }, desk.random.whole(4_000, 20_000)),
      );
      for (const list of lists) yield* desk.call(list);
      for (const each of times(desk.random.whole(2, 12), Number)) {
        yield* desk.see(1, desk.random.pick(lists as [Thing, ...Thing[]]));
        yield* desk.call(serverOf('tracker__update_issue', { id: at * 100 + each }, 400));
      }
      yield* desk.see(1, ...lists);
      yield* desk.write(`reports/sprint${at}.md`, 1_500);
    }
    return { prompt: `Sort the issues of sprint ${at}, and report.`, work: work() };
  });

/** Pages of the web; the answer to each question needs most of its pages at its end. */
const webResearch: Kind = (desk) =>
  times(desk.random.whole(3, 9), (at) => {
    function* work(): Work {
      const pages: Thing[] = [];
      for (const each of times(desk.random.whole(4, 14), Number)) {
        const url = `https://example.com/${at}/${each}`;
        const tokens = skewed(desk, 700, 8_000);
        pages.push({ name: url, tokens, tool: 'WebFetch', input: { url, prompt: 'What does it say?' } });
        yield* desk.call(pages.at(-1) as Thing);
      }
      yield* desk.see(3, ...pages.filter(() => desk.random.chance(0.7)));
      yield* desk.write(`answers/a${at}.md`, desk.random.whole(1_000, 4_000));
    }
    return { prompt: `What do others do about question ${at}?`, work: work() };
  });

export const REPORTED: Readonly<Record<string, Kind>> = {
  pagesOfFiles,
  browser,
  teams,
  batches,
  smallPrompts,
  oneLongTurn,
  pasted,
  noisyTests,
  fileByFile,
  notebook,
  refusedEdits,
  issues,
  breaks,
  neverEdits,
  byPlan,
  trackers,
  webResearch,
  ...REREADING,
};

/** Models by the window that an account has with them. */
const MODELS = {
  200000: ['claude-sonnet-4-6', 'claude-haiku-4-5', 'claude-haiku-5-5', 'claude-opus-4-5', 'claude-opus-5-5'],
  1000000: ['claude-opus-5-5', 'claude-sonnet-4-6', 'claude-sonnet-5-5', 'claude-fable-5-2', 'claude-opus-4-6'],
} as const;

type Window = keyof typeof MODELS;
export const WINDOWS: readonly Window[] = [200_000, 1_000_000];

function worldOf(random: Random, window: Window): PlayedSetup {
  const model = random.pick(MODELS[window]);
  const prefix = random.pick([16_000, 25_000, 40_000, 60_000]);
  return { window, model, prefix, cold: random.chance(0.1), atOnce: random.chance(0.3) };
}

/** A job as others report it, and where it is done; each seed draws another one. */
export function reportedJob(name: string, seed: number, window: Window): { job: PlayedJob; world: PlayedSetup } {
  const parts = REPORTED[name] as ((desk: Desk) => readonly Part[]) | undefined;
  if (parts === undefined) throw new Error(`no kind ${name}`);
  const random = createRandom(seed * 86_028_121 + window + name.length);
  return { job: jobOfWorks(parts, seed), world: worldOf(random, window) };
}

/** Settings in which a job is played: level at which users let claude compact, session that the run resumes, thoughts, fixed part, file that the first prompt mentions. */
const SETTINGS: Readonly<Record<string, (window: number) => readonly Partial<PlayedSetup>[]>> = {
  level: (window) => [0.4, 0.5, 0.8].map((share) => ({ level: share * window })),
  resumed: (window) => [0.2, 0.5].map((share) => ({ resumed: share * window })),
  fixed: (window) => [0.4, 0.55, 0.65].map((share) => ({ prefix: Math.round(share * window) })),
  attached: (window) =>
    [20_000, 40_000, 60_000, 100_000].filter((each) => each < window / 3).map((attached) => ({ attached })),
  thinking: () => [1_000, 4_000].map((thoughts) => ({ thoughts })),
};

/** A job once in each setting of that name; without one, as it is. */
export function inSettings<T extends { readonly world: PlayedSetup }>(name: string, each: T) {
  const settings = SETTINGS[name]?.(each.world.window) ?? [{}];
  return settings.map((setting) => ({ ...each, world: { ...each.world, ...setting } }));
}

export function hasSettings(name: string): boolean {
  return name in SETTINGS;
}
