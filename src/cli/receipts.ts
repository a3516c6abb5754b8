import { basename, resolve } from 'node:path';
import { findSessionLog, sessionLogsSince } from '../claude/claude-folders.ts';
import { contextFolder, effectiveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { RecordedRelief } from '../replay/recorded-items.ts';
import { replaySource } from '../replay/replay.ts';
import type { SessionOptions } from '../replay/session-replay.ts';
import { findSource } from '../replay/sources.ts';
import { foldText, textWidth } from '../report/layout.ts';
import { onOneLine } from '../report/printable.ts';
import { LEGEND, type ReliefReceipt, receiptLines } from '../report/receipts.ts';
import { kindOf } from '../store/files/plain-file.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { redact } from '../store/masks/redact.ts';
import { type WrittenReceipt, writtenReceipts } from '../store/runs/journal.ts';
import { readRunCards } from '../store/runs/run-cards.ts';
import { type CommonFlags, type Define, isRecording, openStdin, printResult } from './command.ts';

export const define: Define = (command, connect) =>
  connect(
    command
      .argument('[name]', 'a run or a session of this folder (the beginning of its id), or a recording; - is stdin')
      .option('--json', 'as JSON')
      .option('--context-dir <folder>', 'where the journal is'),
    receipts,
  );

export const HELP = `
Shows as a diff what each compaction and handoff took out of the context, what
stayed, and what the agent asked for again. Without an argument it takes the
newest run of this folder with a compaction or handoff, else its newest session.

Examples:
  ctxb receipts
  ctxb receipts 3f2a
  ctxb receipts run.ndjson --json`;

/** Columns without a terminal: so wide that no line is cut. */
const FULL_LENGTH = 1_000;

async function receipts(name = '', flags: CommonFlags, io: Io): Promise<number> {
  const found = await receiptsOf(name, flags, io);
  if (found.length === 0 && !flags.json) {
    io.stderr.write('ctxb: no compaction or handoff with a request after it\n');
    return 0;
  }
  await printResult({ version: 1, receipts: found }, flags, io, (_, style, columns) => {
    const lines = receiptLines(found, style, columns ?? FULL_LENGTH);
    return `${[...lines, '', style.dim(foldText(LEGEND, textWidth(columns)))].join('\n')}\n`;
  });
  return 0;
}

/**
 * @param name empty: the newest run, else the newest session
 * @throws CtxbError `usage` when the name matches nothing; `unreadable-input`
 */
async function receiptsOf(name: string, flags: CommonFlags, io: Io) {
  if (isRecording(name, io)) return recordingReceipts(name === '-' ? name : resolve(io.cwd, name), true, io);
  const folder = await contextFolder(io, flags.contextDir);
  const run = name === '' ? undefined : readRunCards(stateFolder(io.env)).find(({ runId }) => runId.startsWith(name));
  const all = writtenReceipts(run?.contextDir ?? folder);
  const last = all.at(-1)?.runId;
  const written = all.filter(({ runId, session }) =>
    name === '' ? runId === last : runId === run?.runId || session.startsWith(name),
  );
  if (written.length > 0) return runReceipts(written, all, io);
  if (run !== undefined) return [];
  const log = sessionLogsSince(0, io).find((path) => basename(path).startsWith(name));
  if (log !== undefined) return recordingReceipts(log, true, io);
  const what =
    name === '' ? 'no run or session in this folder' : `${onOneLine(name)}: no such run, session or recording`;
  throw new CtxbError('usage', `${what}: name a recording, or see ctxb runs`);
}

type Retention = NonNullable<SessionOptions['retention']>;

async function recordingReceipts(file: string, retention: Retention, io: Io) {
  const policy = await effectiveConfig(io);
  const options = { policy, series: false, mask: redact, stdin: openStdin([file], io), retention };
  const { sessionId, compactions, lines, retention: reliefs = [] } = await replaySource(findSource(file), options);
  if (lines.malformed + lines.unknown === lines.total && retention === true) {
    throw new CtxbError('unreadable-input', `${file}: no line is from claude: name a recording`);
  }
  return reliefs.map((relief) => ({
    session: sessionId,
    file,
    relief,
    compaction: compactions.find(({ call }) => relief.relief === 'compaction' && call === relief.call - 1),
  }));
}

/** The receipts of a run, completed from claude's logs. @param all also those of other runs in the same session */
async function runReceipts(written: readonly WrittenReceipt[], all: readonly WrittenReceipt[], io: Io) {
  const sessions = new Set(written.map(({ session }) => session));
  const found = await Promise.all(
    [...sessions].map(async (session) => {
      const receipts = written.filter((receipt) => receipt.session === session);
      const logged = receipts.find(({ log = '' }) => kindOf(log) === 'file');
      const file = logged?.log ?? findSessionLog({ id: session }, io);
      const retention = { receipts: all.filter((one) => one.session === session) };
      const traced = file === undefined ? [] : await recordingReceipts(file, retention, io);
      return receipts.map(
        (receipt) =>
          traced.find(({ relief }) => relief.kept === receipt.receipt.kept) ?? untracedReceipt(receipt, file),
      );
    }),
  );
  return found.flat();
}

function untracedReceipt({ session, receipt }: WrittenReceipt, file = ''): ReliefReceipt {
  const { relief, all, kept, given, gone, stayed, at } = receipt;
  const seen: RecordedRelief = {
    ...{ relief, all, kept, given, stayed, actual: true, call: at.call, line: 0 },
    gone: gone.map((fact) => ({ ...fact, line: null, again: null })),
  };
  return { session, file, relief: seen };
}
