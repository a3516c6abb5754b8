import { contextFolder } from '../config/resolve-config.ts';
import type { Io } from '../io.ts';
import { leaveNote, type Note } from '../store/runs/inbox.ts';
import type { Define } from './command.ts';

const KINDS: readonly { kind: Note['kind']; about: string; example: string }[] = [
  { kind: 'state', about: 'where the work stands', example: 'tests written, parser next' },
  { kind: 'dead-end', about: 'what does not work', example: 'the old API has no paging' },
];

export const define: Define = (command, connect) => {
  command.addHelpText('after', `${DESTINATION_HELP}\n\nExamples:\n${KINDS.map(exampleOf).join('\n')}`);
  for (const kind of KINDS) {
    connect(
      command
        .command(kind.kind)
        .description(`tell a run ${kind.about}`)
        .argument('<text>', kind.about)
        .option('--context-dir <folder>', 'where the files of the run are')
        .addHelpText('after', `${DESTINATION_HELP}\n\nExamples:\n${exampleOf(kind)}`),
      async (text: string, { contextDir }: { contextDir?: string }, io: Io) => {
        leaveNote({ kind: kind.kind, text }, await contextFolder(io, contextDir), io.env);
        return 0;
      },
    );
  }
};

const DESTINATION_HELP = `
Inside a run (the agent, a hook, a script) the note goes to that run. Elsewhere
it goes to the only run of the folder.`;

function exampleOf({ kind, example }: (typeof KINDS)[number]): string {
  return `  ctxb note ${kind} "${example}"`;
}
