import type { Command } from 'commander';
import type { Io } from '../io.ts';

type Finish = (exitCode: number) => void;

export function define(command: Command, io: Io, finish: Finish): void {
  command.addHelpText('after', EXAMPLES);
  command
    .command('run')
    .usage('[options] <file> -- claude [arguments]')
    .description('run the steps of a flow, each in a fresh claude with a briefing of its own')
    .argument('<file>', 'the flow, in YAML or JSON')
    .argument('<claude...>', 'the program and its arguments, without a prompt and an output format')
    .option('--parallel <count>', 'steps that may run at once, where they do not need each other (default: 1)')
    .option('--resume <run>', 'go on with an earlier run: what it has finished is not run again')
    .option('--from <step>', 'begin with this step; what is before it is taken from --resume or the newest run')
    .option('--only <step>', 'run this step alone, with the same')
    .option('--dry-run', 'print the briefing of every step and its receipt, and run nothing')
    .option('--quiet', 'say nothing on stderr')
    .option('--context-dir <folder>', 'where runs, receipts and notes go')
    .action(async (file: string, words: string[], options: FlowRunOptions) => {
      const { runFlowFile } = await import('./flow-run.ts');
      finish(await runFlowFile(file, words, options, io));
    });
  command
    .command('studio')
    .description('show a flow, its budgets and what its last run made of them in a browser, and change the budgets')
    .argument('<file>', 'the flow, in YAML or JSON')
    .option('--no-open', 'print the address and open no browser')
    .option('--context-dir <folder>', 'where the receipts are')
    .action(async (file: string, options: { open: boolean; contextDir?: string }) => {
      const { studio } = await import('./flow-studio.ts');
      finish(await studio(file, options, io));
    });
}

/** Options of `ctxb flow run`, as commander hands them over. */
export interface FlowRunOptions {
  readonly parallel?: string;
  readonly resume?: string;
  readonly from?: string;
  readonly only?: string;
  readonly dryRun?: true;
  readonly quiet?: true;
  readonly contextDir?: string;
}

const EXAMPLES = `
Examples:
  ctxb flow run fixtures/flows/small.yaml -- claude --permission-mode acceptEdits
  ctxb flow run flow.yaml --parallel 2 -- claude
  ctxb flow run flow.yaml --dry-run -- claude
  ctxb flow studio flow.yaml`;
