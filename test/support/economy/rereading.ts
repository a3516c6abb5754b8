import { pathsOf, type Thing, type Work } from './desk.ts';
import type { Kind } from './kinds.ts';
import { pathOf } from './moves.ts';
import { commandOf, fileOf, pageOf, skewed, times, todo } from './things.ts';

/*
 * Jobs from issues in which agents read much and come back to it: patches of 100 files that a review saves to disk,
 * output files that are polled until a task ends, answers of databases, documents that the agent reads while it writes
 * them, and agents that read all files again whether they see them or not.
 */

/** A review of a patch of about 100 files, page by page with the code around; at its end it looks at its findings again. */
const patchReview: Kind = (desk) => {
  const { random } = desk;
  const files = random.whole(60, 140);
  const perPage = random.whole(3, 8);
  const pages = times(Math.ceil(files / perPage), (at) => pageOf('pr-diff.patch', at, skewed(desk, 2_000, 9_000)));
  function* review(from: number, to: number): Work {
    const found: Thing[] = [];
    for (const page of pages.slice(from, to)) {
      yield* desk.see(1, page);
      for (const at of times(random.whole(0, 3), Number))
        yield* desk.see(1, fileOf(`src/${page.name.split(' ').at(-1)}-${at}.ts`, skewed(desk, 600, 6_000)));
      if (random.chance(0.4)) found.push(page);
      if (random.chance(0.2)) yield* desk.grep(`callers of ${page.name}`, skewed(desk, 100, 3_000));
    }
    yield* desk.see(2, ...found);
    yield* desk.write(`findings-${from}.md`, random.whole(800, 2_500));
  }
  const half = Math.ceil(pages.length / 2);
  function* again(at: number): Work {
    yield* desk.run(`git diff review-${at}...`, skewed(desk, 1_000, 12_000));
    yield* desk.see(1, ...times(random.whole(1, 4), () => random.pick(pages as [Thing, ...Thing[]])));
  }
  return [
    { prompt: 'Review the first half of pr-diff.patch.', work: review(0, half) },
    { prompt: 'Now the rest.', work: review(half, pages.length) },
    ...times(random.whole(0, 4), (at) => ({
      prompt: `Commits were pushed. Are findings ${at} mended?`,
      work: again(at),
    })),
  ];
};

/** Polls the output file of a background task; each time all of it comes, a little longer. */
const polledTask: Kind = (desk) =>
  times(desk.random.whole(3, 9), (at) => {
    function* work(): Work {
      let [size, version] = [desk.random.whole(200, 1_500), 0];
      yield* desk.run(`npm run e2e -- --part ${at} # in the background`, 60);
      for (const _ of times(desk.random.whole(4, 16), Number)) {
        yield* desk.call(fileOf(`tasks/b${at}.output`, size, version));
        yield* desk.pause(desk.random.pick([0.5, 1, 2, 6]));
        [size, version] = [Math.min(24_000, size + desk.random.whole(100, 2_500)), version + 1];
      }
      for (const each of times(desk.random.whole(1, 4), Number)) {
        yield* desk.see(1, fileOf(`tasks/b${at}.output`, size, version));
        yield* desk.need(`e2e/b${at}-${each}.spec.ts`);
        yield* desk.edit(`e2e/b${at}-${each}.spec.ts`);
      }
    }
    return { prompt: `Run part ${at} of the end-to-end tests, and mend what fails.`, work: work() };
  });

/** Questions to a database and prints of tables; a script is changed and run until its table is right. */
const tablesOfData: Kind = (desk) => {
  const schema = commandOf('psql -c "\\d+"', desk.random.whole(2_000, 9_000));
  const wide = desk.random.pick([4_000, 9_000, 18_000]);
  return times(desk.random.whole(3, 10), (at) => {
    const script = desk.size(`analysis/step${at}.py`, desk.random.whole(800, 4_000));
    function* work(): Work {
      yield* desk.see(1, schema);
      for (const each of times(desk.random.whole(2, 8), Number))
        yield* desk.call(commandOf(`psql -c "select * from t${at} offset ${each}"`, skewed(desk, 300, wide)));
      yield* desk.write(script, desk.random.whole(800, 4_000));
      for (const each of times(desk.random.whole(2, 9), Number)) {
        yield* desk.call(commandOf(`python3 ${script} # ${each}`, skewed(desk, 400, wide)));
        yield* desk.need(script);
        yield* desk.edit(script);
      }
      yield* desk.call(commandOf(`head -400 out${at}.csv`, skewed(desk, 2_000, wide)));
    }
    return { prompt: `Which customers left in quarter ${at}, and why?`, work: work() };
  });
};

/** Writes a long document section by section, and reads all of it before each section. */
const ownDocument: Kind = (desk) => {
  const sections = desk.random.whole(6, 18);
  let [size, version] = [0, 0];
  return times(sections, (at) => {
    function* work(): Work {
      if (size > 0) yield* desk.see(1, fileOf('paper.md', size, version));
      yield* desk.see(
        2,
        ...times(desk.random.whole(1, 4), (each) => fileOf(`notes/${at}-${each}.md`, skewed(desk, 500, 7_000))),
      );
      for (const each of times(desk.random.whole(1, 3), Number)) {
        const input = {
          file_path: pathOf('paper.md'),
          old_string: `end ${at}-${each}`,
          new_string: 'word '.repeat(700),
        };
        yield* desk.call({ name: `section ${at}-${each}`, tokens: 40, tool: 'Edit', input });
        [size, version] = [size + 900, version + 1];
      }
      if (at % 5 === 4) yield* desk.see(1, fileOf('paper.md', size, version));
    }
    return { prompt: `Write section ${at + 1} of paper.md.`, work: work() };
  });
};

/** Fetches pages of a documentation, then needs some of them for each change. */
const foreignApi: Kind = (desk) => {
  const docs = times(desk.random.whole(4, 12), (at): Thing => {
    const url = `https://docs.example.com/api/${at}`;
    return { name: url, tokens: skewed(desk, 1_000, 10_000), tool: 'WebFetch', input: { url, prompt: 'All of it.' } };
  });
  return times(desk.random.whole(4, 12), (at) => {
    function* work(): Work {
      const wanted = times(desk.random.whole(1, 3), () => desk.random.pick(docs as [Thing, ...Thing[]]));
      yield* desk.see(1, ...wanted);
      for (const each of times(desk.random.whole(1, 5), Number)) {
        const file = `src/client${at}-${each % 2}.ts`;
        yield* desk.see(1, ...wanted);
        yield* desk.need(file);
        yield* desk.edit(file);
        yield* desk.run(`npm test -- client${at} # ${each}`, skewed(desk, 200, 5_000));
      }
    }
    return { prompt: `Add call ${at} of the API to the client.`, work: work() };
  });
};

/** Reads its files again before each change, whether it sees them or not. */
const habit: Kind = (desk) => {
  const files = times(desk.random.whole(4, 16), (at) => fileOf(`svc/h${at}.cs`, skewed(desk, 600, 7_000)));
  return times(desk.random.whole(4, 12), (at) => {
    function* work(): Work {
      yield* todo(desk);
      for (const each of times(desk.random.whole(2, 7), Number)) {
        const file = desk.random.pick(files as [Thing, ...Thing[]]);
        yield* desk.call(file, ...(desk.random.chance(0.3) ? [desk.random.pick(files as [Thing, ...Thing[]])] : []));
        yield* desk.edit(file.name.split(' ')[0] as string);
        yield* desk.run(`dotnet test # ${at}-${each}`, skewed(desk, 100, 4_000));
      }
    }
    return {
      prompt: `Handle case ${at} in ${pathsOf([files[at % files.length]?.name.split(' ')[0] as string])}.`,
      work: work(),
    };
  });
};

export const REREADING: Readonly<Record<string, Kind>> = {
  patchReview,
  polledTask,
  tablesOfData,
  ownDocument,
  foreignApi,
  habit,
};
