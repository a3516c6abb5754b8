import { chmod, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { SENDS, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { firstOf } from '../support/size.ts';
import { createPlace, ctxb, fake, runFake, STREAM, startFake } from './fakes.ts';

const FLAGS = ['--prompt', 'one', '--prompt', 'two'];
/** Not to be waited for longer than needed. */
const SHORT = { OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
const NOTICE = /^ctxb: telemetry is not sent: .+; the run continues$/gm;

interface Fault {
  readonly name: string;
  readonly url: () => Promise<string>;
  readonly env?: Readonly<Record<string, string>>;
}

async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

it.each(
  firstOf<Fault>([
    { name: 'a missing receiver', url: closedPort },
    { name: 'no URL', url: async () => 'not a url' },
    {
      name: 'an unsupported protocol',
      url: async () => 'http://127.0.0.1:1',
      env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    },
  ]),
)('$name: reported once, and the run is unchanged', async ({ url, env }) => {
  await using place = await createPlace();
  const plain = await runFake(place, { fake: 'answers', flags: FLAGS });
  const run = await runFake(place, {
    fake: 'answers',
    flags: [...FLAGS, '--otlp', await url()],
    env: { ...SHORT, ...env },
  });
  expect(run).toMatchObject({ code: 0, stdout: plain.stdout });
  expect(run.stderr.match(NOTICE)).toHaveLength(1);
});

it.each([
  { name: 'refuses', answer: 403 as const },
  { name: 'never answers', answer: 'never' as const },
])("a receiver that $name delays the end by at most the timeout, and the exit code is claude's", async ({ answer }) => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver(answer);
  const env = { ...SHORT, PLAY_ERRORS: '0,1', PLAY_CODE: '7' };
  const run = await runFake(place, { fake: 'ends-with', flags: [...FLAGS, '--otlp', receiver.url], env });
  expect(run.code).toBe(7);
  expect(receiver.requests.length).toBeGreaterThan(0);
  expect(run.stderr.match(NOTICE)).toHaveLength(1);
});

it('is sent as protobuf to the address in the variables, with their headers', async () => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/my/metrics`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=build',
    OTEL_SERVICE_NAME: 'nightly',
  };
  const run = await runFake(place, { fake: 'answers', flags: FLAGS, env });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(receiver.requests).toMatchObject([
    { path: '/my/metrics', type: 'application/x-protobuf', headers: { 'x-team': 'build' } },
  ]);
  const body = receiver.requests[0]?.body.toString('latin1');
  for (const name of ['nightly', 'ctxb.cost', 'ctxb.context.utilization']) expect(body).toContain(name);
});

it('each step of a flow is a run', async () => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver();
  await place.file('flow.yaml', 'name: job\nsteps: [{id: one, objective: One.}, {id: two, objective: Two.}]\n');
  const words = ['flow', 'run', 'flow.yaml', '--', fake('answers')];
  const run = await ctxb(place, words, { env: { ...SENDS, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  expect(run.code).toBe(0);
  const instances = receiver.requests.map(
    ({ body }) => /service\.instance\.id"[^}]*?"stringValue":"([^"]+)/.exec(body.toString())?.[1],
  );
  expect(new Set(instances).size).toBe(2);
});

it.each(
  firstOf([
    { name: 'it is not enabled', env: {} },
    { name: 'the SDK is disabled', env: { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'here' } },
  ]),
)('nothing is sent when $name', async ({ env }) => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver();
  const given = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace('here', receiver.url)]),
  );
  const run = await runFake(place, { fake: 'answers', flags: FLAGS, env: given });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(receiver.requests).toEqual([]);
});

it('claude gets the variables unchanged, and no others', async () => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver();
  const file = await place.file('env.sh', '#!/bin/sh\nenv | grep ^OTEL_ | sort > otel.txt\nexit 0\n');
  await chmod(file, 0o755);
  const env = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_RESOURCE_ATTRIBUTES: 'team=build' };
  await ctxb(place, ['run', '--otlp', receiver.url, '--prompt', 'one', '--', file], { env });
  expect(await readFile(place.path('otel.txt'), 'utf8')).toBe(
    'OTEL_METRICS_EXPORTER=otlp\nOTEL_RESOURCE_ATTRIBUTES=team=build\n',
  );
});

it('a run ended by a signal is sent too', async () => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver();
  const env = { ...SENDS, PLAY_PID: place.path('pid') };
  const flags = ['--prompt', 'one', '--otlp', receiver.url];
  const program = startFake(place, { fake: 'never-ends', flags, claude: STREAM, env });
  await program.waitForLine(({ type }) => type === 'assistant');
  program.kill('SIGTERM');
  const { code } = await program.finished;
  expect(code).toBe(143);
  expect(receiver.points('ctxb.context.tokens').map(({ value }) => value)).toEqual([20_003]);
});
