import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A VictoriaMetrics to test with: CTXB_TEST_VICTORIA_METRICS, else one on PATH. Version 1.92 is the first to take OTLP.
 * Debian's builds of Prometheus take none.
 */
export function findVictoriaMetrics(env: NodeJS.ProcessEnv): string | undefined {
  const onPath = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'victoria-metrics'));
  const given = env.CTXB_TEST_VICTORIA_METRICS;
  return (given ? [given] : onPath).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A database that takes OTLP and is asked in PromQL. */
export interface VictoriaMetrics extends AsyncDisposable {
  /** URL for metrics. */
  readonly endpoint: string;
  query(promql: string): Promise<{ readonly metric: Readonly<Record<string, string>>; readonly value: number }[]>;
}

/** Starts one on loopback, in a folder of its own. */
export async function startVictoriaMetrics(program: string): Promise<VictoriaMetrics> {
  const folder = await mkdtemp(join(tmpdir(), 'ctxb-metrics-'));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [`-storageDataPath=${folder}`, `-httpListenAddr=${address}`, '-search.latencyOffset=0s'];
  const child = spawn(program, [...flags, '-opentelemetry.usePrometheusNaming'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  for await (const line of createInterface(child.stderr)) if (line.includes('started server')) break;
  child.stderr.resume();
  return {
    endpoint: `http://${address}/opentelemetry/v1/metrics`,
    async query(promql) {
      await fetch(`http://${address}/internal/force_flush`);
      // Includes metrics of the current second.
      const asked = new URLSearchParams({ query: promql, time: String(Date.now() / 1000 + 1), nocache: '1' });
      const response = await fetch(`http://${address}/api/v1/query?${asked}`);
      const { data } = (await response.json()) as Answer;
      return data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Answer {
  readonly data: {
    readonly result: readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[];
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
