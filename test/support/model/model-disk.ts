/** One row of a session's log. Prompts that were joined into one turn have only the last `uuid`. */
interface Row {
  readonly uuids: readonly string[];
  readonly session: string;
  /** Whether the row is on disk. Otherwise it is lost with its process, and the model forgets it. */
  durable: boolean;
  /** Whether its turn has ended with an answer, so that nobody misses a lost row. */
  isAnswered: boolean;
  /** Lost with its process. Its answer may still be on the way to the caller. */
  isForgotten: boolean;
  /** Whether its session was abandoned before an answer. */
  isAbandoned: boolean;
}

/** Logs of the modelled claude, which outlive its processes. They are also the conversation that the model knows. */
export interface ModelDisk {
  /** Prompts that reached the model, in order, without lost ones. */
  heard(): readonly string[];
  /** Like `heard`, including prompts that another session began again, in the order of their first turn. */
  order(): readonly string[];
  /** Whether claude would skip a prompt with this `uuid`: the session has it. */
  knows(session: string, uuid: string): boolean;
  tell(session: string, uuids: readonly string[], durable: boolean): void;
  /** The rows come to the log in order. */
  flush(): void;
  /** The caller has the answer to these. */
  answer(uuids: readonly string[]): void;
  /** Abandons the session. Its unanswered prompts begin again in another one. */
  abandon(): void;
  /** The process has died: of the rows that are not written down yet, `kept` are. */
  die(kept: number): void;
  hasLog(session: string): boolean;
  /** Of these, what the log has. */
  delivered(session: string, uuids: readonly string[]): readonly string[];
}

export function createDisk(): ModelDisk {
  const rows: Row[] = [];
  const inSession = (session: string) =>
    rows.filter((row) => row.session === session && !row.isForgotten && !row.isAbandoned);
  const known = (which: readonly Row[]) =>
    which.flatMap(({ uuids, isForgotten, isAnswered }) => (isForgotten && !isAnswered ? [] : uuids));

  return {
    heard: () => known(rows.filter(({ isAbandoned }) => !isAbandoned)),
    order: () => [...new Set(known(rows))],
    knows: (session, uuid) => inSession(session).some(({ uuids }) => uuids.includes(uuid)),
    tell(session, uuids, durable) {
      if (durable) for (const row of rows) row.durable = true;
      rows.push({ session, uuids, durable, isAnswered: false, isForgotten: false, isAbandoned: false });
    },
    flush() {
      for (const row of rows) row.durable = true;
    },
    answer(answered) {
      for (const uuid of answered) {
        const row = rows.findLast(({ uuids }) => uuids.includes(uuid));
        if (row !== undefined) row.isAnswered = true;
      }
    },
    abandon() {
      for (const row of rows.filter(({ isAnswered }) => !isAnswered)) {
        row.isAbandoned = true;
        row.durable = true;
      }
    },
    die(kept) {
      let left = kept;
      for (const row of rows) row.isForgotten ||= !row.durable && left-- <= 0;
      for (const row of rows) row.durable = true;
    },
    hasLog: (session) => inSession(session).some(({ durable }) => durable),
    delivered: (session, uuids) =>
      uuids.filter((uuid) => inSession(session).some((row) => row.durable && row.uuids.at(-1) === uuid)),
  };
}
