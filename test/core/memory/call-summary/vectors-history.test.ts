import { describe, expect, it } from 'vitest';
import { summarizeCommits, summarizeOutput } from '../../../../src/core/memory/call-summary/command-output.ts';
import {
  countNames,
  type FileList,
  formatList,
  summarizeFiles,
  summarizeMatches,
} from '../../../../src/core/memory/call-summary/found-files.ts';
import { sizeText } from '../../../../src/core/memory/call-summary/text-result.ts';
import type { ToolEntry } from '../../../../src/core/memory/entry.ts';
import { createToolLog } from '../../../../src/core/memory/notebook/tool-log.ts';
import { shorten } from '../../../../src/core/text/words.ts';
import { command, resultEntry } from '../../../support/notes.ts';
import { vectorsOf } from '../../../support/recordings.ts';

/** Texts stand between backticks here, so that they cannot pose as ours; the vectors have them bare. */
const bare = (text: string) => text;

type Text = string | { readonly $repeat: string; readonly count: number } | { readonly $concat: readonly Text[] };

function written(text: Text): string {
  if (typeof text === 'string') return text;
  return '$repeat' in text ? text.$repeat.repeat(text.count) : text.$concat.map(written).join('');
}

describe('sizes', () => {
  it.each(vectorsOf<{ readonly bytes: number }, string>('size-format'))('$id: $name', ({ input, expected }) => {
    expect(sizeText(input.bytes)).toBe(expected);
  });
});

describe('lists that are cut', () => {
  const cases = vectorsOf<{ readonly items: readonly string[]; readonly max: number }, string>('list-truncation');
  it.each(cases)('$id: $name', ({ input, expected }) => {
    expect(formatList(input.items, input.max, bare)).toBe(expected);
  });
});

describe('texts that are cut', () => {
  const cases = vectorsOf<{ readonly text: string; readonly max: number }, string>('string-truncation');
  it.each(cases.filter(({ kind }) => kind === 'conform'))('$id: $name', ({ input, expected }) => {
    expect(shorten(input.text, input.max)).toBe(expected);
  });

  it('ef-132, fixed: cut text never exceeds its limit', () => {
    expect(shorten('abcdef', 2)).toBe('..');
    for (const max of [0, 1, 2, 3, 4]) expect(shorten('abcdef', max)).toHaveLength(max);
  });
});

interface Data {
  readonly files?: readonly { readonly path_relative?: string; readonly path?: string }[];
  readonly matches?: readonly { readonly file_relative?: string }[];
  readonly commits?: readonly { readonly hash: string; readonly message: Text }[];
  readonly summary?: { readonly files_changed?: number };
  readonly total_files?: number;
  readonly total_fetched?: number;
  readonly count?: number;
  readonly path_relative?: string;
  readonly path?: string;
  readonly total_lines?: number;
  readonly size?: number;
  readonly truncated?: boolean;
  readonly is_binary?: boolean;
  readonly current_branch?: string;
  readonly is_clean?: boolean;
  readonly ahead?: number;
  readonly behind?: number;
  readonly staged_files?: readonly unknown[];
  readonly unstaged_files?: readonly unknown[];
  readonly untracked_files?: readonly unknown[];
}

interface Call {
  readonly tool: string;
  readonly result?: { readonly data?: Data } | null;
  readonly text?: Text;
}

/** What the other program's results say, told as ours would be. */
function told(tool: string, data: Data): string {
  switch (tool) {
    case 'project_files':
      return summarizeFiles(fileList(data), bare);
    case 'search_content': {
      const counts = countNames((data.matches ?? []).map(({ file_relative = '' }) => file_relative));
      return summarizeMatches(counts, false, bare, data.total_fetched);
    }
    case 'read_file':
      return readFile(data);
    case 'vcs_status':
      return printed('git status -sb', statusText(data));
    case 'vcs_diff':
      return printed('git diff', (data.files ?? []).map(() => 'diff --git').join('\n'));
    case 'vcs_log': {
      if (data.commits?.length === 0) return printed('git log', '');
      const commits = (data.commits ?? []).map(({ hash, message }) => [hash, written(message)] as const);
      return summarizeCommits(commits, cutOnly, data.count);
    }
    default:
      throw new Error(`nothing tells ${tool}`);
  }
}

/** A read as claude reports it. */
function readFile({ path_relative, path = path_relative, total_lines, size = 0, truncated, is_binary }: Data): string {
  const text = { content: 'x'.repeat(size), numLines: total_lines, truncatedByTokenCap: truncated };
  const file = is_binary ? { base64: '', originalSize: size } : text;
  const { gist = '' } = resultEntry('Read', { file_path: path }, '', { report: { type: 'text', file } });
  return gist.replaceAll('`', '');
}

function fileList({ files = [], total_files }: Data): FileList {
  const paths = files.map(({ path_relative = '' }) => path_relative);
  return { paths, ...(total_files === undefined ? {} : { total: total_files }) };
}

function printed(command: string, text: string): string {
  return summarizeOutput(command, text, false, bare) ?? '';
}

/** A status as git prints it. A tree that is not clean has a file in one of its parts. */
function statusText(data: Data): string {
  const ways = (['ahead', 'behind'] as const).flatMap((way) => (data[way] ? [`${way} ${data[way]}`] : []));
  const lines = [`## ${data.current_branch}...origin/${data.current_branch} [${ways.join(', ')}]`.replace(' []', '')];
  const { staged_files = [], unstaged_files = [], untracked_files = [] } = data;
  lines.push(
    ...staged_files.map(() => 'M  a'),
    ...unstaged_files.map(() => ' M b'),
    ...untracked_files.map(() => '?? c'),
  );
  return lines.join('\n');
}

const cutOnly = (text: string, length: number) => shorten(text, length);

const COMPRESSION = vectorsOf<Call, string>('history-compression');
const vector = (id: string) => COMPRESSION.find((one) => one.id === id);
const dataOf = (id: string): Data => vector(id)?.input.result?.data ?? {};

/** Equals come in the order of their names here, not in the reverse order of their first sight. */
const OTHER_ORDER = new Set(['ef-070', 'ef-076', 'ef-077']);

/** Of an output that is not what `git status` prints nothing is told but its last line. */
const NOT_OF_ITS_KIND = new Set(['ef-097']);

/** The size of a text that was read is always known. */
const SIZE_KNOWN = new Set(['ef-089']);

describe('results in one line', () => {
  const isTold = ({ id, kind, input }: (typeof COMPRESSION)[number]) =>
    kind === 'conform' &&
    input.text === undefined &&
    [OTHER_ORDER, NOT_OF_ITS_KIND, SIZE_KNOWN].every((ids) => !ids.has(id));

  it.each(COMPRESSION.filter(isTold))('$id: $name', ({ input, expected }) => {
    expect(told(input.tool, input.result?.data ?? {})).toBe(expected);
  });

  it('ef-070, equals by name: only 4 types and 3 directories, never a +more marker', () => {
    const types = '.a (1), .b (1), .c (1), .d (1)';
    expect(told('project_files', dataOf('ef-070'))).toBe(`5 files. Types: ${types}. Key: a/, b/, c/`);
  });

  it.each([
    { id: 'ef-076', expected: '25 matches in 3 files: a.el (2), b.el (1), c.el (1)' },
    { id: 'ef-077', expected: '7 matches in 6 files: f (2), a (1), b (1), c (1), d (1)... (+1 more)' },
  ])('$id, equals by name: sorts by number of matches', ({ id, expected }) => {
    expect(told('search_content', dataOf(id))).toBe(expected);
  });

  it('ef-080, fixed: a reached limit adds "at least"', () => {
    expect(vector('ef-080')?.expected).toBe('51 matches in 1 files: a (1)');
    expect(summarizeMatches([['a', 1]], true, bare, 51)).toBe('at least 51 matches in 1 files: a (1)');
  });

  it('ef-089, of a picture: an unknown size is shown as such', () => {
    expect(vector('ef-089')?.expected).toBe('Read a (3 lines, ?B)');
    const report = { type: 'image', file: { base64: 'iVBO' } };
    expect(resultEntry('Read', { file_path: 'a' }, '', { report }).gist).toBe('Read `a` (binary, ?B)');
  });

  it('ef-096, fixed: reports a tree that is not clean but lists no files', () => {
    expect(printed('git status', 'On branch x\n')).toBe('x: not clean, nothing listed');
  });

  it('ef-097 does not apply: text that is not a status has no status summary', () => {
    expect(printed('git status', 'fatal: not a git repository')).toBe('');
  });

  it('ef-101, fixed: a file without a name leaves no gap', () => {
    expect(told('vcs_diff', dataOf('ef-101'))).toBe('1 files, +0/-0 lines (diff)');
  });

  it('ef-112: keeps exactly 500 code points, and cuts longer text to 497 and three dots', () => {
    const text = written(vector('ef-112')?.input.text ?? '');
    expect(shorten(text, 500)).toBe(vector('ef-112')?.expected);
    expect(shorten(`${text}r`, 500)).toBe(`${'r'.repeat(497)}...`);
  });

  it('ef-113, fixed: an empty result is reported as empty', () => {
    expect(resultEntry('unknown_tool', {}, '').gist).toBe('unknown_tool: no text');
  });

  it('covers all vectors', () => {
    const met = COMPRESSION.filter((one) => isTold(one) || one.kind === 'known-defect' || one.id === 'ef-112');
    expect(met.length + OTHER_ORDER.size + NOT_OF_ITS_KIND.size + SIZE_KNOWN.size).toBe(COMPRESSION.length);
  });
});

/** The number of entries in a log. */
const entriesIn = (log: ReturnType<typeof createToolLog>) => log.render().match(/^- /gm)?.length ?? 0;

describe('the size of the log', () => {
  const cases = vectorsOf<{ readonly tokens: number }, { over: boolean; to_evict: number }>('history-limit');
  it.each(cases)('$id: with $name an entry is dropped only above the limit', ({ input, expected }) => {
    const entries = Array.from({ length: 20 }, (_, n) => command(`make ${n}`, 0));
    const all = createToolLog(Number.POSITIVE_INFINITY);
    for (const entry of entries) all.add(entry);
    // The same distance from the limit of a log that is made to measure.
    const log = createToolLog(all.tokens - (input.tokens - 12_000));
    for (const entry of entries) log.add(entry);
    expect(log.left > 0).toBe(expected.over);
  });

  const EVICTION = vectorsOf<unknown, { readonly entries: number; readonly history_used: number }>('history-eviction');

  it('ef-156, fixed: the size is the sum of tokens, not the number of entries', () => {
    expect(EVICTION.find(({ id }) => id === 'ef-156')?.expected).toMatchObject({ entries: 50, history_used: 360 });
    const log = createToolLog();
    for (let n = 0; n < 60; n++) log.add(command(`make ${n}`, 0));
    const one = createToolLog();
    one.add(command('make 0', 0));
    expect([entriesIn(log), log.left]).toStrictEqual([60, 0]);
    expect(log.tokens).toBeGreaterThan(one.tokens);
  });

  it('ef-159: keeps a single oversize entry', () => {
    const entry: ToolEntry = { ...command('make', 0), gist: 'c'.repeat(50_000) };
    const log = createToolLog();
    log.add(entry);
    expect(entriesIn(log)).toBe(1);
    expect(log.render()).toContain('c'.repeat(50_000));
    log.add(command('make', 0));
    expect([entriesIn(log), log.left]).toStrictEqual([1, 1]);
  });
});

describe('the work log', () => {
  it.each(vectorsOf<{ readonly code: Text }, string>('worklog-code').filter(({ id }) => id !== 'ef-134'))(
    '$id: $name',
    ({ input, expected }) => {
      expect(shorten(written(input.code), 97)).toBe(expected);
    },
  );

  it('ef-141, fixed: cut text ends with three dots, not six', () => {
    const text = 'r'.repeat(201);
    expect(shorten(text, 200)).toBe(`${'r'.repeat(197)}...`);
  });

  it('ef-154: an empty log renders no entries', () => {
    expect(entriesIn(createToolLog())).toBe(0);
  });

  it('ef-155: a result of 600 characters is stored in at most 500', () => {
    const { gist = '' } = resultEntry('eval_sexp', {}, 'r'.repeat(600));
    expect(gist.length).toBeLessThanOrEqual(500);
    expect(gist).toMatch(/^eval_sexp: `r+\.\.\.`$/);
  });

  /** The language and the editor of the other program, and the forms in which it put its log into a prompt. */
  const WITHOUT = {
    'worklog-code': ['ef-134'],
    'worklog-result': ['ef-138', 'ef-139'],
    'worklog-classification': ['ef-143', 'ef-146', 'ef-147', 'ef-148'],
    'worklog-context': ['ef-150', 'ef-151', 'ef-153'],
  };

  it.each(Object.entries(WITHOUT))('%s: %j does not apply', (area, ids) => {
    const known = vectorsOf(area).map(({ id }) => id);
    expect(known).toEqual(expect.arrayContaining(ids));
  });
});
