import type { Command } from 'commander';
import type { Define } from './command.ts';

export const define: Define = (command, connect) => {
  command.addHelpText(
    'after',
    `
Examples:
  ctxb flow run flow.yaml -- claude --permission-mode acceptEdits
  ctxb flow explain flow.yaml
  ctxb flow report
  ctxb flow studio flow.yaml`,
  );
  connect(
    defineRun(command),
    onDemand(async () => (await import('./flow-run.ts')).runFlowFile),
  );
  connect(
    onFlow(
      command,
      'explain',
      "check a flow, and show each step's budgets, their sources, and the contents of its briefing",
    )
      .option('--json', 'as JSON')
      .option('--context-dir <folder>', 'where the runs are')
      .addHelpText(
        'after',
        `
Examples:
  ctxb flow explain flow.yaml
  ctxb flow explain flow.yaml --profile heavy-context`,
      ),
    onDemand(async () => (await import('./flow-show.ts')).explain),
  );
  connect(
    command
      .command('report')
      .description('show what the steps of a run got and used')
      .argument('[run]', 'its id or the beginning of it (default: the newest)')
      .option('--json', 'as JSON')
      .option('--context-dir <folder>', 'where the runs are')
      .addHelpText(
        'after',
        `
Examples:
  ctxb flow report
  ctxb flow report 20260331 --json`,
      ),
    onDemand(async () => (await import('./flow-show.ts')).showReport),
  );
  connect(
    onFlow(command, 'studio', 'show a flow, its budgets and its last run in a browser, and change the budgets')
      .option('--context-dir <folder>', 'where the runs are')
      .addHelpText(
        'after',
        `
Examples:
  ctxb flow studio flow.yaml`,
      ),
    onDemand(async () => (await import('./flow-studio.ts')).runStudio),
  );
};

function onDemand<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<number>>) {
  return async (...given: Given) => (await load())(...given);
}

function onFlow(command: Command, name: string, description: string): Command {
  return command
    .command(name)
    .description(description)
    .argument('<file>', 'the flow, in YAML or JSON')
    .option('--profile <name>', 'the profile to use (default: the one that the flow names)');
}

function defineRun(command: Command): Command {
  return onFlow(command, 'run', 'run the steps of a flow, each in a fresh claude with a briefing of its own')
    .usage('[options] <file> -- claude [arguments]')
    .argument('[claude...]', 'the program and its arguments, without a prompt and an output format')
    .option('--resume <run>', 'continue an earlier run (its id or the beginning of it) without its finished steps')
    .option('--quiet', 'print no notices on stderr')
    .option('--context-dir <folder>', 'where runs and notes go')
    .addHelpText(
      'after',
      `
Examples:
  ctxb flow run flow.yaml -- claude --permission-mode acceptEdits
  ctxb flow run flow.yaml --profile heavy-context -- claude
  ctxb flow run flow.yaml --resume 20260331 -- claude`,
    );
}
