import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { FlowRunOptions } from './flow-run.ts';
import type { ExplainOptions, ReportOptions } from './flow-show.ts';
import type { StudioOptions } from './flow-studio.ts';

type Finish = (exitCode: number) => void;

export function define(command: Command, io: Io, finish: Finish): void {
  command.addHelpText(
    'after',
    examples(
      'ctxb flow run flow.yaml -- claude --permission-mode acceptEdits',
      'ctxb flow explain flow.yaml',
      'ctxb flow report',
      'ctxb flow studio flow.yaml',
    ),
  );
  defineRun(command, io, finish);
  onFlow(
    command,
    'explain',
    "check a flow, and show each step's budgets, where they come from, and what its briefing would hold",
  )
    .option('--json', 'as JSON')
    .option('--context-dir <folder>', 'where the runs are')
    .addHelpText(
      'after',
      examples('ctxb flow explain flow.yaml', 'ctxb flow explain flow.yaml --profile heavy-context'),
    )
    .action(async (file: string, options: ExplainOptions) => {
      const { explain } = await import('./flow-show.ts');
      finish(await explain(file, options, io));
    });
  command
    .command('report')
    .description('show what the steps of a run got and used')
    .argument('[run]', 'its id or the beginning of it (default: the newest)')
    .option('--json', 'as JSON')
    .option('--context-dir <folder>', 'where the runs are')
    .addHelpText('after', examples('ctxb flow report', 'ctxb flow report 20260331 --json'))
    .action(async (run: string | undefined, options: ReportOptions) => {
      const { report } = await import('./flow-show.ts');
      finish(await report(run, options, io));
    });
  onFlow(
    command,
    'studio',
    'show a flow, its budgets and what its last run made of them in a browser, and change the budgets',
  )
    .option('--no-open', 'print the address and open no browser')
    .option('--context-dir <folder>', 'where the receipts are')
    .addHelpText('after', examples('ctxb flow studio flow.yaml', 'ctxb flow studio flow.yaml --no-open'))
    .action(async (file: string, options: StudioOptions) => {
      const { studio } = await import('./flow-studio.ts');
      finish(await studio(file, options, io));
    });
}

function onFlow(command: Command, name: string, description: string): Command {
  return command
    .command(name)
    .description(description)
    .argument('<file>', 'the flow, in YAML or JSON')
    .option('--profile <name>', 'the profile to use (default: the one that the flow names)');
}

function defineRun(command: Command, io: Io, finish: Finish): void {
  onFlow(command, 'run', 'run the steps of a flow, each in a fresh claude with a briefing of its own')
    .usage('[options] <file> -- claude [arguments]')
    .argument('[claude...]', 'the program and its arguments, without a prompt and an output format')
    .option('--resume <run>', 'continue an earlier run (its id or the beginning of it) without its finished steps')
    .option('--dry-run', 'print the briefing of each step and its receipt, with the newest outputs; run nothing')
    .option('--otlp <url>', 'send metrics of each step to this OpenTelemetry receiver')
    .option('--quiet', 'print no notices on stderr')
    .option('--context-dir <folder>', 'where runs, receipts and notes go')
    .addHelpText(
      'after',
      examples(
        'ctxb flow run flow.yaml -- claude --permission-mode acceptEdits',
        'ctxb flow run flow.yaml --profile heavy-context -- claude',
        'ctxb flow run flow.yaml --resume 20260331 -- claude',
        'ctxb flow run flow.yaml --dry-run',
      ),
    )
    .action(async (file: string, words: string[], options: FlowRunOptions) => {
      const { runFlowFile } = await import('./flow-run.ts');
      finish(await runFlowFile(file, words, options, io));
    });
}

function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}
