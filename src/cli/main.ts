import manifest from '../../package.json' with { type: 'json' };
import { closest, didYouMean } from '../config/finding.ts';
import { CtxbError, isCtxbError, shortageOf } from '../errors.ts';
import { hasVariable, type Io } from '../io.ts';
import { hangingIndent } from '../report/layout.ts';
import { onOneLine, printable, shellLine, tell, withoutControls } from '../report/printable.ts';
import type { CommandModule, Connect } from './command.ts';

/** Each command is loaded only when it is called, so that ctxb starts fast. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: () => Promise<CommandModule>]>> = {
  run: ['run Claude Code, keep its context small, and stop at limits', () => import('./run.ts')],
  replay: ['show what your sessions cost and how full they got', () => import('./replay.ts')],
  recall: ['search what was said, run and read in earlier sessions', () => import('./recall.ts')],
  receipts: ['show what compactions took out of a context', () => import('./receipts.ts')],
  flow: ['run a long job as steps, each with a fresh context', () => import('./flow.ts')],
  scratch: ['print the notes of a session', () => import('./scratch.ts')],
  note: ['tell a run where the work stands, or what does not work', () => import('./note.ts')],
  runs: ['list your runs: context, cost, and what they wait for', () => import('./runs.ts')],
  compact: ['ask a run to compact its context', () => import('./ask-run.ts')],
  stop: ['ask a run to end', () => import('./ask-run.ts')],
  handoff: ['ask a run to hand over to a fresh context', () => import('./ask-run.ts')],
  health: ['show how full the contexts of your projects became', () => import('./health.ts')],
  config: ['show every setting and where it comes from', () => import('./config.ts')],
  cleanup: ['delete what ctxb keeps in this project', () => import('./cleanup.ts')],
  doctor: ['check that ctxb works here, with your claude', () => import('./doctor.ts')],
  completion: ['print a script that completes ctxb in a shell', () => import('./completion.ts')],
  demo: ['watch ctxb at work on a scripted job, offline', () => import('./demo.ts')],
  shim: ['stand in for claude, with its own arguments', () => import('./shim.ts')],
  statusline: ["print the status line of Claude Code's terminal", () => import('./statusline.ts')],
};

/** Called by other programs: listed in the full help, but not on the first page. */
const PROGRAM_COMMANDS = ['shim', 'statusline'];

const EXAMPLES = `
Examples:
  ctxb run -- claude -p "fix the failing test"
  ctxb run --cost-limit 2.50 -- claude -p "review every module"
  ctxb replay          # what your sessions cost and how full they got
  ctxb doctor --quick  # whether ctxb works here
  ctxb demo            # ctxb at work, offline`;

/** Minimum columns for the texts of a help page; below that, the terminal wraps the lines. */
const MIN_TEXT_COLUMNS = 20;

const EXIT_USAGE = 2;
const EXIT_BUG = 70;

/** Runs the program. Resolves with its exit code; never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    // claude waits for the status line at every message.
    if (argv.length === 1 && argv[0] === 'statusline') {
      return await (await import('./statusline.ts')).runStatusline(io);
    }
    // A reader that closes the pipe, such as `head`, is not an error; later output is dropped.
    io.stdout.on('error', () => {});
    // Answer without loading anything, because scripts ask often.
    if (argv[0] === '--version' || argv[0] === '-V') {
      io.stdout.write(`${manifest.version}\n`);
      return 0;
    }
    // All further arguments belong to claude, even `--help` and `--`: do not parse them.
    if (argv[0] === 'shim') {
      await warnOfVariables(io);
      return await (await import('./shim.ts')).shim(argv.slice(1), io);
    }
    // No options to parse: start claude before the option parser and everything else is loaded.
    if (argv[0] === 'run' && argv[1] === '--') {
      await warnOfVariables(io);
      return await (await import('./run-claude.ts')).runClaude(argv.slice(2), { flags: {} }, io);
    }
    if (argv[0] === 'completion' && argv[1] === '--') return await completeWords(argv.slice(2), io);
    // ctxb run prints claude's output, and filters its own messages itself.
    return await dispatch(argv, argv[0] === 'run' ? io : withShownOutput(io));
  } catch (error) {
    return report(error, io);
  }
}

/** Keeps control sequences of others out of the output. Copies getters, so that stdin is opened only to be read. */
function withShownOutput(io: Io): Io {
  const shown = { stdout: withoutControls(io.stdout), stderr: withoutControls(io.stderr) };
  return Object.create(null, { ...Object.getOwnPropertyDescriptors(io), ...Object.getOwnPropertyDescriptors(shown) });
}

/** Warns about unknown variables. Loads the list of variables only if the environment has one. */
async function warnOfVariables(io: Io): Promise<void> {
  if (!hasVariable(io.env)) return;
  const { readEnvironment } = await import('../config/read-environment.ts');
  for (const { message } of readEnvironment(io.env).warnings) tell(io, onOneLine(message));
}

async function completeWords(typed: readonly string[], io: Io): Promise<number> {
  const program = await createProgram(io, typed, true, () => {});
  return (await import('./completion.ts')).complete(program, typed, io);
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const showsAll = asksAllOptions(argv);
  const program = await createProgram(io, argv, showsAll, (code) => {
    exitCode = code;
  });
  if (argv.length === 0) {
    program.outputHelp({ error: true });
    return EXIT_USAGE;
  }
  if (argv[0] === 'help' && (argv[1] === 'help' || isHelp(argv[1]))) {
    program.outputHelp();
    return 0;
  }
  if (argv[0] === 'claude') {
    throw new CtxbError(
      'usage',
      `unknown command "claude": did you mean: ${shellLine(['ctxb', 'run', '--', ...argv])}`,
    );
  }
  if (argv[0] === 'help') checkTopic(argv[1]);
  const words = showsAll ? argv.filter((word) => word !== '--all') : argv;
  await program.parseAsync([...words], { from: 'user' });
  return exitCode;
}

/**
 * @param argv commands named here are loaded; of the others, only name and summary are known
 * @param finish called with the exit code of the command
 */
export async function createProgram(
  io: Io,
  argv: readonly string[],
  showsAll: boolean,
  finish: (exitCode: number) => void,
): Promise<import('commander').Command> {
  const { Command: Program } = await import('commander');
  const connect: Connect = (called, work) => {
    // commander adds the command itself to the arguments and options.
    called.action(async (...given) => finish(await Reflect.apply(work, undefined, [...given.slice(0, -1), io])));
  };
  const program = new Program('ctxb')
    .description('Runs Claude Code headless: long jobs cost less, forget less, and stop at your limits.')
    .version(manifest.version)
    .enablePositionalOptions()
    .exitOverride()
    .hook('preAction', () => warnOfVariables(io))
    .showHelpAfterError('See ctxb --help.')
    .configureHelp({ minWidthToWrap: MIN_TEXT_COLUMNS })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(printable(text)),
      outputError: (text, write) =>
        write(text.replace(/^error: (.*)/, (_, message: string) => hangingIndent('ctxb:', message, io.stderr.columns))),
    });
  program.addHelpText('after', EXAMPLES);
  if (!showsAll) program.addHelpText('after', '\nctxb help --all also lists the commands that other programs call.');
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program
      .command(name, { hidden: PROGRAM_COMMANDS.includes(name) && !showsAll })
      .summary(summary)
      .description(summary)
      .copyInheritedSettings(program);
    command.showHelpAfterError(`See ctxb ${name} --help.`);
    if (argv.includes(name)) {
      const { define, HELP = '' } = await load();
      define(command, connect);
      command.addHelpText('after', HELP);
    }
    showOptions(command, showsAll);
    for (const part of command.commands) part.showHelpAfterError(`See ctxb ${name} ${part.name()} --help.`);
    for (const part of [command, ...command.commands]) requireValues(part, argv);
  }
  return program;
}

/** Shows the options that are not on the first page of help, or how to see them. */
function showOptions(command: import('commander').Command, showsAll: boolean): void {
  const hidden = command.options.filter((option) => option.hidden);
  if (showsAll) for (const option of hidden) option.hideHelp(false);
  else if (hidden.length > 0) command.addHelpText('after', `\nctxb ${command.name()} --help --all shows all options.`);
}

/** Reports a missing option value: commander accepts any word, even the next option or `--`. */
function requireValues(command: import('commander').Command, argv: readonly string[]): void {
  const words = new Set(['--', ...command.options.flatMap(({ short, long }) => [short, long])]);
  for (const option of command.options.filter(({ required }) => required)) {
    command.on(`option:${option.name()}`, (value: string) => {
      if (!words.has(value) || argv.includes(`${option.long}=${value}`)) return;
      command.error(`error: option '${option.flags}' argument missing`, { code: 'commander.optionMissingArgument' });
    });
  }
}

/** Whether all options of a command were requested: `run --help --all`, in any order. */
function asksAllOptions(argv: readonly string[]): boolean {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return own.includes('--all') && (own[0] === 'help' || own.some(isHelp));
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

/** Refuses an unknown topic, for which commander prints the whole help. */
function checkTopic(topic: string | undefined): void {
  const names = Object.keys(COMMANDS);
  if (topic === undefined || names.includes(topic) || topic.startsWith('-')) return;
  const todo = didYouMean(closest(topic, names), 'see ctxb --help');
  throw new CtxbError('usage', `help: unknown command "${topic}": ${todo}`);
}

function report(thrown: unknown, io: Io): number {
  const error = shortageOf(thrown) ?? thrown;
  if (isCtxbError(error)) {
    tell(io, error.message);
    return error.exitCode;
  }
  const { code, syscall, exitCode } = { code: '', syscall: '', exitCode: 0, ...(error instanceof Error && error) };
  if (syscall === 'uv_cwd') {
    tell(io, 'the current folder no longer exists: change to another one');
    return EXIT_USAGE;
  }
  // commander has already printed the message; its exit code 0 means help or version.
  if (String(code).startsWith('commander.')) return exitCode === 0 ? 0 : EXIT_USAGE;
  io.stderr.write(
    `ctxb: this is a bug in ctxb: ${printable(error instanceof Error ? String(error.stack) : String(error))}\n`,
  );
  return EXIT_BUG;
}
