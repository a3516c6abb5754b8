import { describe, expect, it } from 'vitest';
import {
  type Contents,
  endStep,
  endTurn,
  forgetContents,
  NO_CONTENTS,
  withMeasuredSizes,
} from '../../../../src/core/governor/relief/content.ts';
import { contentsAfterRelief } from '../../../../src/core/governor/relief/tool-results.ts';
import { contentsAfter } from '../../../../src/core/governor/relief/track-contents.ts';
import { reshownContents, withReshown, workingSet } from '../../../../src/core/governor/relief/working-set.ts';
import type { ToolResult } from '../../../../src/core/protocol/block.ts';

type Happening =
  | readonly [tool: string, input: object, text?: string, more?: More]
  | 'relief'
  | 'summary'
  | 'own summary'
  | 'end of turn';

interface More {
  readonly isError?: boolean;
  readonly images?: number;
  /** Tokens. */
  readonly cut?: number;
  /** Micro-dollars. */
  readonly cost?: number;
}

const TEXT = 'x '.repeat(2_000);

function resultOf(id: number, text: string, { isError = false, images = 0 }: More = {}): ToolResult {
  return { type: 'tool_result', toolUseId: `${id}`, text, isError, images, definitions: [] };
}

/** Each happening takes a call; ids are the numbers of the happenings, from 1. */
function contentsOf(...all: readonly Happening[]): Contents {
  return all.reduce<Contents>((contents, one, at) => {
    if (one === 'relief') return contentsAfterRelief(contents, new Set());
    if (one === 'summary') return forgetContents(endStep(contents), []);
    if (one === 'own summary') {
      const shown = reshownContents(contents, 100_000, 'tokens');
      return withReshown(forgetContents(contentsAfterRelief(contents), []), contents, shown, true);
    }
    if (one === 'end of turn') return endTurn(contents);
    const [name, input, text = TEXT, more = {}] = one;
    const use = { type: 'tool_use', id: `${at + 1}`, name, input } as const;
    return contentsAfter(endStep(contents), use, resultOf(at + 1, text, more), at + 1, undefined, more);
  }, NO_CONTENTS);
}

const read = (file_path: string, more = {}): Happening => ['Read', { file_path, ...more }];
const longer: Happening = ['Read', { file_path: 'a' }, `${TEXT}more`];
const run = (command: string): Happening => ['Bash', { command }];
const edit = (file_path: string) => ['Edit', { file_path, old_string: 'a', new_string: 'b' }] as const;
const failed = ([name, input]: ReturnType<typeof edit>, text = 'Error'): Happening => {
  return [name, input, text, { isError: true }];
};
const cutRun = (command: string): Happening => ['Bash', { command }, TEXT, { cut: 900 }];
const page = (file_path: string, offset: number) => read(file_path, { offset, limit: 40 });
const pages = [page('a', 80), page('a', 400), page('b', 80)];
const outdated = failed(edit('a'), 'File has been modified since read');
const unread = failed(edit('a'), 'File has not been read yet. Read it first before writing to it.');
const unmatched = failed(edit('a'), 'String to replace not found in file.');
const reread = [read('a'), outdated, read('a')];
const web: Happening = ['WebFetch', { url: 'https://example.com' }];
const look = (file_path: string): Happening => ['Read', { file_path }, '', { images: 1 }];
const agent = (prompt: string, cost?: number): Happening => [
  'Agent',
  { description: 'Look', prompt },
  TEXT,
  cost === undefined ? {} : { cost },
];
const write = (file_path: string): Happening => ['Write', { file_path, content: TEXT }];

describe('contents that the baseline does not fetch', () => {
  it.each<{ name: string; all: Happening[]; again: number }>([
    { name: 'a file that a relief took away', all: [read('a'), 'relief', read('a')], again: 1 },
    { name: 'a command whose result a relief took away', all: [run('grep x'), 'relief', run('grep x')], again: 1 },
    { name: 'not another file', all: [read('a'), 'relief', read('b')], again: 0 },
    { name: 'a page of a file', all: [read('a'), 'relief', read('a', { offset: 80 })], again: 1 },
    { name: 'a page that it had', all: [page('a', 80), 'relief', page('a', 80)], again: 1 },
    { name: 'a page that overlaps one that it had', all: [page('a', 80), 'relief', page('a', 95)], again: 1 },
    { name: 'not another page', all: [page('a', 80), page('a', 400), 'relief', page('a', 160)], again: 0 },
    { name: 'the first of some pages', all: [...pages, 'relief', page('a', 80)], again: 1 },
    { name: 'not the next page', all: [read('a'), read('a', { offset: 80 })], again: 0 },
    { name: 'not what is run again in any case', all: [run('t'), run('t'), 'relief', run('t')], again: 0 },
    { name: 'not a command after a change', all: [run('t'), 'relief', edit('a'), run('t')], again: 0 },
    { name: 'a page of the web also after a change', all: [web, 'relief', edit('a'), web], again: 1 },
    { name: 'the answer of a subagent', all: [agent('a', 9_000), 'relief', agent('a', 8_000)], again: 1 },
    { name: 'not what another subagent finds', all: [agent('a', 9_000), 'relief', agent('b', 8_000)], again: 0 },
    { name: 'not a subagent of unknown cost', all: [agent('a'), 'relief', agent('a')], again: 0 },
    { name: 'a file that was written', all: [write('a'), 'relief', read('a')], again: 1 },
    { name: 'also behind a second relief', all: [read('a'), 'relief', 'relief', read('a')], again: 1 },
    { name: 'the rest of a cut result', all: [cutRun('t'), read('/tool-results/1.txt')], again: 1 },
    { name: 'a change that claude refuses', all: [read('a'), 'relief', unread], again: 1 },
    { name: 'not a change that claude refuses by itself', all: [read('a'), unread], again: 0 },
    { name: 'not a change that fails for another reason', all: [read('a'), 'relief', unmatched], again: 0 },
    { name: 'not what has changed elsewhere', all: [read('a'), outdated, 'relief', read('a')], again: 0 },
    { name: 'what was lost after it changed elsewhere', all: [...reread, 'relief', read('a')], again: 1 },
    { name: 'not a file that grows', all: [read('a'), 'relief', longer], again: 0 },
    { name: 'a file whose first part is longer', all: [read('a', { limit: 9 }), 'relief', longer], again: 1 },
    { name: 'what was lost after it grew', all: [read('a'), longer, 'relief', longer], again: 1 },
    { name: 'a file that the model has changed', all: [read('a'), edit('a'), 'relief', longer], again: 1 },
    { name: 'not a change', all: [edit('a'), 'relief', edit('a')], again: 0 },
    { name: 'not what its own summary would have taken', all: [read('a'), 'summary', 'relief', read('a')], again: 0 },
  ])('$name', ({ all, again }) => {
    const { step } = contentsOf(...all);
    expect(step.refetched).toBe(again);
    expect(step.refetchedTokens > 0).toBe(again > 0);
  });

  it('count as fetches of the baseline if only its summary removed them', () => {
    expect(contentsOf(read('a'), 'summary', edit('a')).step.baselineFetches.tokens).toBeGreaterThan(500);
  });

  it('include what their subagents cost', () => {
    expect(contentsOf(agent('a', 9_000), 'relief', agent('a', 8_000)).step.refetchCost).toBe(8_000);
    expect(contentsOf(agent('a', 9_000), agent('b', 8_000)).step.refetchCost).toBe(0);
  });

  it('include the text cut from a result', () => {
    expect(contentsOf(cutRun('t')).step.cut).toBe(900);
  });

  it('are kept for the newest names only', () => {
    const { byName } = contentsOf(...Array.from({ length: 600 }, (_, index) => read(`file-${index}`)));
    expect(byName.size).toBeLessThanOrEqual(500);
    expect([...byName.keys()].at(-1)).toBe('file-599');
  });
});

it('a call that succeeds after a failure does not count as failed', () => {
  expect(contentsOf(failed(edit('a'))).failed).toHaveLength(1);
  expect(contentsOf(failed(edit('a')), failed(edit('a'))).failed).toHaveLength(1);
  expect(contentsOf(failed(edit('a')), edit('b'), edit('a')).failed).toHaveLength(0);
});

describe('files that claude shows again after a summary', () => {
  const large = (file_path: string): Happening => ['Read', { file_path }, TEXT.repeat(8)];
  const ROOM = 1_000_000;

  it('are the last five files, without large ones', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((path) => [read(path), edit(path)]);
    const contents = endStep(contentsOf(...files, large('g'), edit('g'), run('ps')));
    expect(reshownContents(contents, ROOM).names).toEqual(['f', 'e', 'd', 'c']);
    expect(reshownContents(contents, 1_000).names).toEqual([]);
  });

  it('include files that a command has printed whole', () => {
    const commands = ['cat /w/a', 'cat -n b', 'cat c d', 'cat e | sort', 'head -n 5 f'];
    const contents = endStep(contentsOf(...commands.map(run), run('ps')));
    expect(reshownContents(contents, ROOM).names).toEqual(['Bash cat -n b', 'Bash cat /w/a']);
  });

  it('exclude pictures', () => {
    const contents = endStep(contentsOf(read('a'), ...['1', '2', '3', '4', '5'].map(look), run('ps')));
    expect(reshownContents(contents, 100_000).names).toEqual(['a']);
  });

  it('begin with the last changed ones, whatever was read since', () => {
    const contents = endStep(contentsOf(read('a'), read('b'), edit('a'), read('c'), write('d'), read('e')));
    expect(reshownContents(contents, ROOM).names).toEqual(['d', 'a', 'e', 'c', 'b']);
  });

  it('exclude the last results, which a summary keeps', () => {
    expect(reshownContents(contentsOf(read('first'), read('last')), ROOM).names).toEqual(['first']);
    const { byName } = forgetContents(contentsOf(read('a'), run('t'), read('last')), []);
    expect([...byName.values()].map(({ baselineTokens }) => baselineTokens > 0)).toEqual([false, false, true]);
  });
});

describe('after a summary in the run', () => {
  const tokens = (...all: Happening[]) =>
    [...contentsOf(...all, 'own summary').byName.values()].map((one) => [one.tokens > 0, one.baselineTokens > 0]);

  it('the context has the files that claude shows again, with claude alone too', () => {
    const files = ['b', 'c', 'd', 'e', 'f'].map((path) => read(path));
    expect(tokens(read('a'), ...files, run('ps'), run('ls')).map(String)).toEqual([
      ...['false,false', 'true,true', 'true,true', 'true,true', 'true,true', 'true,true'],
      ...['false,false', 'true,true'],
    ]);
  });

  it('a change needs them as before', () => {
    const all = [read('a'), read('b'), read('c'), edit('a'), run('ps'), 'own summary'] as const;
    expect(contentsOf(...all, edit('a')).filesPerChange).toBe(3);
  });
});

describe("files that a change needs and the baseline's summary removed", () => {
  it('are as many of the last files as were read in a row before a change', () => {
    const owed = (...all: Happening[]) => contentsOf(...all, 'summary', edit('b')).step.baselineFetches.calls;
    expect(owed(read('a'), read('b'), edit('a'))).toBe(2);
    expect(owed(read('a'), edit('a'), read('b'), edit('b'))).toBe(1);
    expect(owed(read('a'), edit('a'), read('b'), read('a', { offset: 80 }), edit('b'))).toBe(1);
    expect(owed(read('a'), read('b'))).toBe(2);
  });

  it('are fewer after a change that did not need removed files', () => {
    const all = [read('a'), read('b'), read('c'), read('d'), edit('a'), 'relief', read('b'), edit('b')] as const;
    const { filesPerChange } = contentsOf(...all);
    expect(filesPerChange).toBe(1);
    const again = contentsOf(...all, read('c'), read('d'), edit('c'), 'summary', edit('c'));
    expect(again.step.baselineFetches.calls).toBe(2);
  });

  it('exclude files that an earlier turn has only read again', () => {
    const all = [read('a'), edit('a'), read('b'), edit('b'), 'relief', read('a'), read('b')] as const;
    expect(contentsOf(...all, edit('c')).filesPerChange).toBe(2);
    expect(contentsOf(...all, 'end of turn', edit('c')).filesPerChange).toBe(1);
    expect(contentsOf(read('a'), read('b'), 'end of turn', edit('a')).filesPerChange).toBe(2);
  });

  it('are those of the new work once it has read several new files and changes one of them', () => {
    const all = [read('a'), read('b'), read('c'), read('d'), edit('a'), read('e'), read('f'), edit('e')] as const;
    expect(contentsOf(...all).filesPerChange).toBe(2);
    expect(contentsOf(...all, 'summary', edit('f')).step.baselineFetches.calls).toBe(2);
    expect(contentsOf(...all.slice(0, -1), edit('b')).filesPerChange).toBe(4);
  });

  it('exclude the sources of a new file', () => {
    const all = [read('a'), read('b'), write('c'), 'summary'] as const;
    expect(contentsOf(...all, edit('c')).step.baselineFetches.calls).toBe(1);
  });

  it('include the one that changes need but do not change', () => {
    const all = [read('spec'), read('a'), edit('a'), read('b'), edit('b'), 'summary', read('c'), edit('c')] as const;
    const had = [...contentsOf(...all).byName].flatMap(([name, content]) => (content.baselineTokens > 0 ? [name] : []));
    expect(had).toEqual(['spec', 'c']);
  });

  it('exclude the pages of a log', () => {
    const pages = Array.from({ length: 20 }, (_, at) => run(`sed -n ${at}00,${at}99p test.log`));
    expect(contentsOf(...pages, read('b'), 'summary', edit('b')).step.baselineFetches.calls).toBe(1);
  });
});

describe('the growth of the context shows the size of the last contents', () => {
  const sizesOf = (factor: number) => {
    const contents = contentsOf(read('a'), read('b'));
    const sizes = [...withMeasuredSizes(contents, factor).byName.values()].map(({ tokens, baselineTokens }) => [
      tokens,
      baselineTokens,
    ]);
    const [[size = 0] = []] = [...contents.byName.values()].map(({ tokens }) => [tokens]);
    return sizes.map((both) => both.map((one) => one / size));
  };

  it('of contents since the previous call', () => {
    expect(sizesOf(0.75)).toEqual([
      [1, 1],
      [0.75, 0.75],
    ]);
  });

  it('unless the growth has another cause', () => {
    expect(sizesOf(3)).toEqual(sizesOf(1));
    expect(sizesOf(0)).toEqual(sizesOf(1));
  });
});

describe('contents that are likely to be used again', () => {
  const poor = {
    fetchCost: (tokens: number) => 30 * tokens,
    keepCost: (tokens: number, calls: number) => (11.5 + calls) * tokens,
    minChance: () => 0,
    fittingTokens: (wanted: number) => wanted,
    allowedLoss: 0,
  };
  const rich = { ...poor, allowedLoss: 100_000_000 };
  const idle = (calls: number) => Array.from({ length: calls }, (_, index) => run(`true ${index}`));
  /** Files that are read, changed at once, and left. */
  const done = (from: number) =>
    Array.from({ length: 8 }, (_, index) => [read(`src/${from + index}`), edit(`src/${from + index}`)]).flat();

  it('are the latest reads, if each file is read, changed and then finished', () => {
    const { keep } = workingSet(contentsOf(...done(0), read('new')), 17, rich);
    expect(keep).toEqual(['17']);
  });

  it('exclude files whose last use is their own change, whatever they were used for before', () => {
    const files = Array.from({ length: 8 }, (_, at) => `src/${at}`);
    const all = files.flatMap((file) => [read(file), run(`check ${file}`), edit(file)]);
    const { keep, refetched } = workingSet(contentsOf(...all), 24, rich);
    expect(keep).toEqual([]);
    expect(refetched.calls).toBeLessThan(1.5);
  });

  it('exclude the output of commands, however often files are used again', () => {
    const rounds = Array.from({ length: 8 }, (_, at) => [run(`make ${at}`), edit('a'), edit('b')]).flat();
    const { keep } = workingSet(contentsOf(read('a'), read('b'), ...rounds), 26, rich);
    expect(keep).toEqual(['1', '2']);
  });

  it('exclude files that return only after the next relief: of files in rotation, the next ones stay', () => {
    const turns = Array.from({ length: 120 }, (_, at) => edit(`src/${at % 40}`));
    const files = Array.from({ length: 40 }, (_, at) => [read(`src/${at}`), edit(`src/${at}`)]).flat();
    const kept = (fetching: number) =>
      workingSet(contentsOf(...files, ...turns), 200, { ...rich, fetchCost: (tokens) => fetching * tokens }).keep;
    const ids = Array.from({ length: 40 }, (_, at) => String(2 * at + 1));
    expect(kept(30)).toEqual([]);
    expect(kept(120).length).toBeLessThan(30);
    expect(kept(120).slice(0, 10)).toEqual(ids.slice(0, 10));
  });

  it('exclude contents that have waited longer than all reused ones', () => {
    const contents = contentsOf(...done(0), ...idle(30));
    expect(workingSet(contents, 46, rich).keep).not.toContain('1');
  });

  it('include contents that return after the same time', () => {
    const files = Array.from({ length: 8 }, (_, index) => `src/${index}`);
    const rounds = [files.map((file) => read(file)), files.map(edit), files.map(edit)].flat();
    const { keep } = workingSet(contentsOf(...rounds), 24, rich);
    expect(keep).toHaveLength(8);
  });

  it('are the files that were read in a row before a change, while changes follow each other', () => {
    const files = Array.from({ length: 6 }, (_, index) => read(`src/${index}`));
    const changes = Array.from({ length: 12 }, () => [edit('src/0'), run('make')]).flat();
    expect(workingSet(contentsOf(...files, ...changes), 30, rich).keep.slice(0, 6)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    const apart = files.flatMap((one) => [one, run('ls')]);
    expect(workingSet(contentsOf(...apart, ...changes), 36, rich).keep).not.toContain('3');
    expect(workingSet(contentsOf(...files, ...changes, ...idle(20)), 50, rich).keep).toEqual([]);
  });

  it('risk no loss if the baseline has lost them too', () => {
    const contents = contentsOf(...Array.from({ length: 8 }, (_, index) => read(`src/${index}`)), ...idle(60));
    expect(workingSet(contents, 68, poor).refetchAllCost).toBeGreaterThan(0);
    expect(workingSet(forgetContents(endStep(contents), []), 68, poor).refetchAllCost).toBe(0);
  });

  it('exclude the output of commands from before a change, but not what a change of files leaves as it is', () => {
    const outputs = Array.from({ length: 8 }, (_, at) => run(`make ${at}`));
    expect(workingSet(contentsOf(...outputs), 8, poor).refetchAllCost).toBeGreaterThan(0);
    expect(workingSet(contentsOf(...outputs, edit('a')), 9, poor)).toMatchObject({ refetchAllCost: 0, keep: [] });
    const pages = Array.from({ length: 8 }, (_, at): Happening => ['WebFetch', { url: `https://example.com/${at}` }]);
    expect(workingSet(contentsOf(...pages, edit('a')), 9, poor).refetchAllCost).toBeGreaterThan(0);
  });

  it('include the answer of a subagent that costs more than keeping it, also after a change', () => {
    const kept = (...costs: number[]) =>
      workingSet(contentsOf(...costs.map((cost, at) => agent(`${at}`, cost)), edit('a')), 4, rich);
    expect(kept(1_000, 900_000, 2_000).keep).toEqual(['2']);
    expect(kept(1_000, 2_000, 2_000).keep).toEqual([]);
    expect(kept(3_000, 3_000, 2_000).refetchAllCost).toBeGreaterThan(kept(1_000, 2_000, 2_000).refetchAllCost);
    expect(kept(3_000).refetched.cost).toBeGreaterThan(300);
  });

  it('exclude pictures, which no compaction can keep, but count them as a risk', () => {
    const rounds = Array.from({ length: 4 }, () => [edit('a'), edit('b')]).flat();
    const contents = contentsOf(look('p'), look('q'), read('a'), read('b'), ...rounds);
    const { keep, refetchAllCost, refetched } = workingSet(contents, 12, poor);
    expect(keep).toEqual(['3', '4']);
    expect(refetchAllCost).toBeGreaterThan(0);
    expect(refetched.calls).toBeGreaterThan(1);
  });

  it('count no risk for pictures that no file has: another screenshot is a new one', () => {
    const shot = (filename: string): Happening => ['mcp__browser__shot', { filename }, TEXT, { images: 1 }];
    expect(workingSet(contentsOf(shot('p'), shot('q')), 2, poor).refetchAllCost).toBe(0);
  });

  it('exclude files that claude shows beside its summary, which no tool call has, but count them as a risk', () => {
    const { keep, refetchAllCost } = workingSet(
      contentsOf(read('a'), read('b'), run('t'), 'own summary', read('c')),
      5,
      poor,
    );
    expect(keep).toEqual(['5']);
    expect(refetchAllCost).toBeGreaterThan(0);
  });

  it('include a file that claude has shown before: the first result contains it', () => {
    const first = contentsOf(read('a'));
    const unchanged = resultOf(2, 'File unchanged since last read.');
    const use = { type: 'tool_use', id: '2', name: 'Read', input: { file_path: 'a' } } as const;
    const { byName, step } = contentsAfter(endStep(first), use, unchanged, 2);
    expect(byName.get('a')).toMatchObject({ id: '1', tokens: first.byName.get('a')?.tokens, usedAt: 2, kind: 'used' });
    expect(step.refetched).toBe(0);
  });

  it('include unused contents, except the oldest that the run can afford to fetch again', () => {
    const contents = contentsOf(...Array.from({ length: 8 }, (_, index) => read(`src/${index}`)), ...idle(60));
    expect(workingSet(contents, 68, poor).keep.slice(0, 8)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    const one = contents.byName.get('src/0')?.tokens ?? 0;
    expect(
      workingSet(contents, 68, { ...poor, allowedLoss: 30 * (3 * one + idle(60).length * one) }).keep,
    ).not.toContain('1');
  });
});

it.each([
  { name: 'missing', input: undefined },
  { name: 'nested too deep for JSON', input: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) },
])('a call counts although its input is $name', ({ input }) => {
  expect(contentsOf(cutRun('npm test'), ['Look', input]).step.results).toBe(1);
});
