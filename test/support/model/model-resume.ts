import type { Action } from '../../../src/core/governor/decisions.ts';
import type { RecoveredEvent } from '../../../src/core/governor/input.ts';
import { isOwnLine } from '../../../src/core/governor/prompts/own-lines.ts';
import { linesOf, promptChanges, promptsWithoutAnswer, readKeptPrompts } from '../../../src/run/kept-prompts.ts';
import type { ModelDisk } from './model-disk.ts';

/** State on disk from which another process resumes the run. */
export interface ModelRunFile {
  note(action: Action): void;
  /** A session of claude's has a name. */
  session(id: string): void;
  /** @param last the session that claude has begun last, of which ctxb may not have heard */
  takeUp(disk: ModelDisk, last: string): TakenUp;
}

interface TakenUp {
  readonly session: string | undefined;
  readonly event: RecoveredEvent;
  /** Lines of prompts that claude has not got. */
  readonly lines: readonly string[];
}

const SPENT = { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 };

export function createRunFile(): ModelRunFile {
  const entries: object[] = [];
  const sessions: string[] = [];
  let document: { readonly path: string; readonly of: string | undefined } | undefined;

  return {
    note(action) {
      const prompts = promptChanges(action);
      if (prompts.length > 0) entries.push({ prompts });
      if (action.kind === 'handed-over' && action.path !== undefined)
        document = { path: action.path, of: sessions.at(-1) };
    },
    session(id) {
      if (sessions.at(-1) !== id) sessions.push(id);
    },
    takeUp(disk, last) {
      const { prompts, lastSent = '' } = readKeptPrompts(JSON.parse(JSON.stringify(entries)));
      if (disk.delivered(last, [lastSent]).length > 0) this.session(last);
      const uuids = prompts.map(({ uuid }) => uuid);
      const known = new Set(sessions.flatMap((id) => disk.delivered(id, uuids)));
      const open = promptsWithoutAnswer(prompts, known, isOwnLine);
      const answers = linesOf(open, 'owed');
      const newest = sessions.findLast((id) => disk.hasLog(id));
      const isLeft =
        document !== undefined && (newest === undefined || (answers.length === 0 && document.of === newest));
      const event: RecoveredEvent = {
        ...{ kind: 'recovered' as const, finished: false, openTool: undefined, answers, spent: SPENT },
        document: isLeft && document ? { path: document.path, text: 'The work goes on here.' } : undefined,
      };
      return { session: isLeft ? undefined : newest, event, lines: linesOf(open, 'waiting') };
    },
  };
}
