import type { Decision } from '../core/governor/decisions.ts';
import { messageOf } from '../errors.ts';
import type { Transition } from '../host/governor-host.ts';
import type { Io } from '../io.ts';
import { createSignals } from './create-signals.ts';
import { destination } from './destinations.ts';
import type { Sender } from './sender.ts';

export type Telemetry = ReturnType<typeof follow>;

interface TelemetryOptions {
  readonly otlp: string | undefined;
  readonly runId: string;
  /** Called at most once, with the reason why telemetry is not sent. */
  readonly notice: (text: string) => void;
}

/** Starts telemetry; undefined if it is not configured or failed to start. Loads the SDK on demand. */
export async function openTelemetry(options: TelemetryOptions, { env }: Io): Promise<Telemetry | undefined> {
  const { otlp, runId, notice } = options;
  const onFault = once(notice);
  const to = destination(otlp, env);
  if (typeof to === 'string') onFault(to);
  if (typeof to !== 'object') return undefined;
  try {
    const { createSender } = await import('./sender.ts');
    return follow(createSender({ to, runId, env, onFault }), onFault);
  } catch (error) {
    onFault(messageOf(error));
    return undefined;
  }
}

/** Sends the metrics of a run to the user's collector. A failure never affects the run. */
function follow({ measure, close }: Sender, onFault: (fault: string) => void) {
  const signals = createSignals(measure);

  function send(work: () => void): void {
    try {
      work();
    } catch (error) {
      onFault(messageOf(error));
    }
  }

  return {
    see: (transition: Transition) => send(() => signals.see(transition)),
    decided: (decision: Decision) => send(() => signals.decided(decision)),
    close,
  };
}

function once(notice: (text: string) => void): (fault: string) => void {
  let isReported = false;
  return (fault) => {
    if (!isReported) notice(`telemetry is not sent: ${fault}; the run continues`);
    isReported = true;
  };
}
