import { type Command, Option } from 'commander';
import { CtxbError } from '../errors.ts';

const REMEDY = 'ctxb run sends metrics over OTLP, which Prometheus takes (docs/fleets.md), and --json has all figures';

/** The text format of Prometheus was printed once: whoever asks for it learns what to use. */
export function refusePrometheus(command: Command): void {
  command.addOption(
    new Option('--prometheus').hideHelp().argParser(() => {
      throw new CtxbError('usage', `--prometheus: ctxb prints no Prometheus text; ${REMEDY}`);
    }),
  );
}
