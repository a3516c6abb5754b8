import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { type ExplainOptions, explain } from './flow-explain.ts';
import { type ReportOptions, report } from './flow-report.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command.addHelpText('after', EXAMPLES);
  command
    .command('explain')
    .description("show each step's budgets, where they come from, and what its briefing would hold")
    .argument('<file>', 'the flow')
    .option('--json', 'as JSON')
    .option('--html <file>', 'as a page in this file')
    .option('--context-dir <folder>', 'where the runs are')
    .action(async (file: string, options: ExplainOptions) => finish(await explain(file, options, io)));
  command
    .command('report')
    .description('show what the steps of a run were given and what they took')
    .argument('[run]', 'its id or the beginning of it (default: the newest)')
    .option('--json', 'as JSON')
    .option('--context-dir <folder>', 'where the runs are')
    .action(async (run: string | undefined, options: ReportOptions) => finish(await report(run, options, io)));
}

const EXAMPLES = `
Examples:
  ctxb flow explain flow.yaml
  ctxb flow explain flow.yaml --html flow.html
  ctxb flow report`;
