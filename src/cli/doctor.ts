import { signalExitCode } from '../claude/child.ts';
import { findClaude } from '../claude/find-claude.ts';
import { type Diagnosis, diagnose } from '../doctor/diagnose.ts';
import { FACTS } from '../doctor/facts.ts';
import { inspectSurroundings, type Surroundings } from '../doctor/surroundings.ts';
import type { Io } from '../io.ts';
import { doctorJson, factsText, remarksText, type TextLayout, verdictText } from '../report/doctor.ts';
import { onOneLine, printableJson } from '../report/printable.ts';
import { styleFor } from '../report/style.ts';
import { createProgress } from '../report/terminal/progress.ts';
import { holdSignals } from '../run/signals.ts';
import { type Define, wholeNumber } from './command.ts';

interface DoctorFlags {
  readonly claude?: string;
  readonly quick?: true;
  readonly strict?: true;
  readonly timeout?: number;
  readonly json?: true;
}

const EXIT_GATE = 3;

export const define: Define = (command, connect) =>
  connect(
    command
      .option(
        '--claude <path>',
        'the claude to check (default: CTXB_CLAUDE, else the next one on PATH that is not ctxb)',
      )
      .option('--quick', 'check the installation only, not the facts about claude')
      .option('--strict', 'exit code 3 also if an optional fact fails or takes too long')
      .option(
        '--timeout <seconds>',
        'limit for all facts together; each has a third of it (default: two minutes for each)',
        wholeNumber('--timeout', 'a whole number of seconds, 1 or more', 1),
      )
      .option('--json', 'as JSON'),
    doctor,
  );

export const HELP = `
The checks need no network and no key. They read your settings and change
nothing: claude runs in a temporary folder, which ctxb removes, and speaks to a
stand-in for the API on 127.0.0.1.

Exit codes: 0 ctxb can work here, 3 something that ctxb needs is missing, 127
no claude found. If the time was too short for a fact, it is shown as unknown
and does not count.

Examples:
  ctxb doctor
  ctxb doctor --quick
  ctxb doctor --claude ./node_modules/.bin/claude --strict --json`;

async function doctor(flags: DoctorFlags, io: Io): Promise<number> {
  const checks = flags.quick ? [] : FACTS;
  const around = await inspectSurroundings(io);
  const { stdout, env } = io;
  const layout = flags.json ? undefined : { style: await styleFor(stdout, env), columns: stdout.columns };
  // Print the known remarks immediately, because the checks take a while.
  if (layout !== undefined) stdout.write(`${remarksText('Surroundings', around.remarks, layout)}\n`);
  const claude = await findClaude(io, { given: flags.claude });
  const signals = holdSignals();
  const text = (facts: number) => `${facts} of ${checks.length} facts checked`;
  const progress = createProgress(io.stderr, text, 0);
  if (checks.length > 0) progress.add(0);
  const started = Date.now();
  try {
    const limits = { timeoutMs: flags.timeout && flags.timeout * 1000, stop: signals.stop, onChecked: progress.add };
    const diagnosis = await diagnose(checks, { claude, path: env.PATH }, around, limits);
    progress.clear();
    const received = signals.received();
    if (received !== undefined) return signalExitCode(received);
    if (layout === undefined) stdout.write(`${printableJson(doctorJson(claude, around, diagnosis), 2)}\n`);
    else stdout.write(diagnosisText(claude, diagnosis, Date.now() - started, layout));
    return isUsable(around, diagnosis, flags.strict === true) ? 0 : EXIT_GATE;
  } finally {
    signals.release();
  }
}

function diagnosisText(claude: string, diagnosis: Diagnosis, ms: number, layout: TextLayout): string {
  const remarks = `${remarksText(`claude, ${onOneLine(claude)}`, diagnosis.remarks, layout)}\n`;
  if (diagnosis.outcomes.length === 0) return remarks;
  return `${remarks}${factsText(diagnosis.outcomes, layout)}\n${verdictText(diagnosis, ms)}`;
}

/** Whether ctxb can work: no fault, and no vital check fails. With `strict`, every check must hold. */
function isUsable({ remarks }: Surroundings, { outcomes }: Diagnosis, strict: boolean): boolean {
  return (
    remarks.every(({ status }) => status !== 'fault') &&
    outcomes.every(({ status, check }) => (strict ? status === 'holds' : status !== 'fails' || !check.isVital))
  );
}
