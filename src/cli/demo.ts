import { Readable } from 'node:stream';
import { findClaude, installedClaude } from '../claude/find-claude.ts';
import { DEFAULTS } from '../config/defaults.ts';
import { DEMO_PROMPTS, runLive } from '../demo/live-run.ts';
import { closingText, createScreen } from '../demo/screen.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { replaySource } from '../replay/replay.ts';
import { textWidth, wrap } from '../report/layout.ts';
import { styleFor } from '../report/style.ts';
import { redact } from '../store/masks/redact.ts';
import type { Define } from './command.ts';

interface DemoFlags {
  readonly claude?: string;
}

export const define: Define = (command, connect) =>
  connect(
    command.option(
      '--claude <path>',
      'the claude to run (default: the one installed with ctxb, else CTXB_CLAUDE, else the next on PATH that is not ctxb)',
    ),
    demo,
  );

export const HELP = `
A scripted job reads 44 large files. The demo needs no network and no key, and
leaves your settings alone: claude runs in a temporary folder and speaks to a
stand-in for the API on 127.0.0.1.

Examples:
  ctxb demo
  ctxb demo --claude ~/.local/bin/claude`;

async function demo(flags: DemoFlags, io: Io): Promise<number> {
  const style = await styleFor(io.stdout, io.env);
  const claude = await claudeFor(flags, io);
  const opening = wrap(OPENING, textWidth(io.stdout.columns));
  io.stdout.write(`${opening.map((line) => style.dim(line)).join('\n')}\n\n`);
  const screen = createScreen(io.stdout, style, DEMO_PROMPTS);
  const run = await runLive(claude, { ...io, stdout: screen });
  // The user ended the demo, or the reader of stdout has closed it: print no closing text.
  if (run.interrupted || screen.errored) return run.exitCode;
  const options = { policy: DEFAULTS, series: true, mask: redact, stdin: Readable.from([run.record]) };
  const session = await replaySource({ file: '-', subagents: [] }, options);
  io.stdout.write(closingText(session, style, io.stdout.columns));
  if (run.exitCode !== 0) throw new CtxbError('bug', `the demo failed: claude ended with exit code ${run.exitCode}`);
  return 0;
}

const OPENING =
  'The real claude and the real ctxb at work. A stand-in on this machine plays the API and counts the tokens of each ' +
  'call. No network, no key, no cost.';

/** The claude in ctxb's own node_modules, which this version was tested with, else the user's. */
async function claudeFor({ claude: given }: DemoFlags, io: Io): Promise<string> {
  const installed = given === undefined ? installedClaude(import.meta.url) : undefined;
  return installed ?? (await findClaude(io, { given }));
}
