import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { configFolder, mayBelongToProject, projectLogs } from '../claude/claude-folders.ts';
import { contextFolder } from '../config/resolve-config.ts';
import { timeText } from '../core/text/words.ts';
import { CtxbError, unreadableError } from '../errors.ts';
import type { Io } from '../io.ts';
import { matchOf, mayContain, type RecallMatch, recallFrom, type Search } from '../replay/recall.ts';
import { findSources } from '../replay/sources.ts';
import { onOneLine, tell } from '../report/printable.ts';
import type { Style } from '../report/style.ts';
import { redact } from '../store/masks/redact.ts';
import { keptDocuments } from '../store/sessions/sessions.ts';
import { type CommonFlags, type Define, printResult, wholeNumber } from './command.ts';

interface RecallFlags extends CommonFlags {
  readonly all?: true;
  readonly limit: number;
}

interface Hit extends RecallMatch {
  /** claude's session id; for a subagent's log, its name; empty for a document. */
  readonly session: string;
  readonly file: string;
}

export const define: Define = (command, connect) =>
  connect(
    command
      .argument('<words...>', 'words or phrases, all of which must occur, in upper or lower case')
      .option('--all', 'search all projects, not only that of the working folder')
      .option(
        '--limit <n>',
        'show this many, the newest first',
        wholeNumber('--limit', 'a whole number from 1 on', 1),
        20,
      )
      .option('--json', 'as JSON')
      .option('--context-dir <folder>', 'where ctxb keeps results and documents'),
    recall,
  );

export const HELP = `
Searches claude's logs of this project, and what ctxb keeps: whole results of
tools, and handoff documents. As with grep, exit code 1 means no match, and 2
means that some file could not be read.

Examples:
  ctxb recall ECONNREFUSED
  ctxb recall "npm test" parser
  ctxb recall --all --limit 5 migration`;

const EXIT_NOTHING = 1;
const EXIT_UNREADABLE = 2;

async function recall(terms: readonly string[], flags: RecallFlags, io: Io): Promise<number> {
  const words = terms.map((word) => word.trim()).filter(Boolean);
  if (words.length === 0) throw new CtxbError('usage', 'recall: name a word to look for');
  let code = EXIT_NOTHING;
  const hits = await find({ words, mask: redact }, flags, io, ({ message }) => {
    tell(io, onOneLine(message));
    code = EXIT_UNREADABLE;
  });
  await printResult(hits, flags, io, (_, style) => hits.map((hit) => textOfHit(hit, style)).join('\n'));
  if (hits.length > 0) return 0;
  tell(io, `no match for ${words.join(' and ')} in ${flags.all ? 'any session' : "this project's sessions"}`);
  return code;
}

interface Place {
  readonly file: string;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  readonly look: (search: Search) => Promise<RecallMatch[]> | RecallMatch[];
}

/** Searches the newest files first, until enough matches were found. @param tell reports unreadable files */
async function find(search: Search, flags: RecallFlags, io: Io, tell: (fault: CtxbError) => void) {
  const { all, limit, contextDir } = flags;
  const isIncluded = (log: string) => all || mayBelongToProject(log, io);
  const logs = logsBelow(all ? join(configFolder(io), 'projects') : projectLogs(io), tell, isIncluded);
  const notes = documentsIn(await contextFolder(io, contextDir));
  let hits: Hit[] = [];
  for (const { file, session, changed, look } of [...logs, ...notes].sort((a, b) => b.changed - a.changed)) {
    if (changed < (hits[limit - 1]?.t ?? 0)) break;
    try {
      const found = (await look(search)).map((found) => ({ ...found, session, file }));
      hits = withoutCopies([...hits, ...found].sort((a, b) => b.t - a.t)).slice(0, limit);
    } catch (cause) {
      tell(cause instanceof CtxbError ? cause : unreadableError(file, cause));
    }
  }
  return hits;
}

/** Removes repeated matches: a forked or continued session begins with a copy of the earlier one. */
function withoutCopies(hits: readonly Hit[]): Hit[] {
  return [...new Map(hits.map((hit) => [JSON.stringify([hit.t, hit.kind, hit.title, hit.lines]), hit])).values()];
}

function logsBelow(folder: string, tell: (fault: CtxbError) => void, isIncluded: (log: string) => boolean): Place[] {
  if (!existsSync(folder)) return [];
  return findSources(folder, tell).flatMap(({ file, subagents }) =>
    [file, ...subagents].map((log) => ({
      file: log,
      session: basename(file, '.jsonl'),
      changed: statSync(log, { throwIfNoEntry: false })?.mtimeMs ?? 0,
      look: (search: Search) => (mayContain(log, search) && isIncluded(log) ? recallFrom(log, search) : []),
    })),
  );
}

function documentsIn(folder: string): Place[] {
  return keptDocuments(folder).map(({ file, changed, read }) => ({
    file,
    session: '',
    changed,
    look(search) {
      const found = matchOf({ t: changed, kind: 'note', texts: [read()], title: () => file }, search);
      return found === undefined ? [] : [found];
    },
  }));
}

const NAMES: Readonly<Record<RecallMatch['kind'], string>> = {
  prompt: 'you',
  said: 'claude',
  call: '',
  'dead end': 'did not work:',
  note: '',
};

function textOfHit({ t, kind, title, lines, session }: Hit, style: Style): string {
  const head = [timeText(t), session.slice(0, 8), NAMES[kind], title].filter(Boolean).join('  ');
  const more = lines.map(onOneLine).filter((line) => !title.includes(line));
  return `${style.bold(onOneLine(head))}\n${more.map((line) => `    ${line}\n`).join('')}`;
}
