import type { Book } from './book.ts';
import type { Placed, Sent, Turn } from './sent.ts';

/** Pages of https://platform.claude.com/docs/en that say it; `errors`: the API's own error texts, as people have met them. */
export type Source =
  | 'api/messages'
  | 'agents-and-tools/tool-use/handle-tool-calls'
  | 'agents-and-tools/tool-use/server-tools'
  | 'build-with-claude/extended-thinking'
  | 'build-with-claude/thinking-tool-workflows'
  | 'build-with-claude/preserved-thinking/prefix-checks'
  | 'build-with-claude/prompt-caching'
  | 'build-with-claude/mid-conversation-system-messages'
  | 'build-with-claude/vision'
  | 'errors';

/** One rule of the Messages API. */
export interface Rule {
  readonly name: string;
  readonly source: Source;
  readonly says: string;
  /** Places in a request where it is broken. */
  readonly broken: (sent: Sent, book: Book) => readonly string[];
}

type Says = readonly [name: string, source: Source, says: string];

/** A rule about the whole request. */
export function ofRequest(says: Says, isBroken: (sent: Sent) => boolean): Rule {
  return rule(says, (sent) => (isBroken(sent) ? ['request'] : []));
}

/** A rule about each message. */
export function ofMessages(says: Says, isBroken: (message: Turn, index: number, sent: Sent) => boolean): Rule {
  return rule(says, (sent) =>
    sent.messages.filter((message, index) => isBroken(message, index, sent)).map(({ at }) => at),
  );
}

/** A rule about each block of one of these types; none: of all. */
export function ofBlocks(
  says: Says,
  types: readonly string[],
  isBroken: (placed: Placed, message: Turn, sent: Sent, book: Book) => boolean,
): Rule {
  return rule(says, (sent, book) =>
    sent.messages.flatMap((message) =>
      message.blocks
        .filter(({ block }) => types.length === 0 || types.includes(block.type))
        .filter((placed) => isBroken(placed, message, sent, book))
        .map(({ at }) => at),
    ),
  );
}

/** A rule about each turn with its neighbors: the places are of its blocks. */
export function ofTurns(
  says: Says,
  broken: (turn: Turn, near: { readonly before?: Turn; readonly after?: Turn }) => readonly Placed[],
): Rule {
  return rule(says, ({ turns }) =>
    turns.flatMap((turn, index) => {
      const [before, after] = [turns[index - 1], turns[index + 1]];
      return broken(turn, { ...(before && { before }), ...(after && { after }) }).map(({ at }) => at);
    }),
  );
}

export function rule([name, source, says]: Says, broken: Rule['broken']): Rule {
  return { name, source, says, broken };
}
