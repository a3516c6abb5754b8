import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { initialState } from '../../../src/core/governor/initial-state.ts';
import type { Input } from '../../../src/core/governor/input.ts';
import { decodeObject } from '../../../src/core/protocol/decode.ts';
import { createHost } from '../../../src/host/governor-host.ts';
import { callLine, initLine, type Line, policyWith, resultLine, runWith, userLine } from '../../support/governor.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const textOf = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8');

/** The files of the numbered list in docs/architecture.md, in order. */
function filesOnTheWay(): string[] {
  const [, way = ''] = textOf('docs/architecture.md').split('## The way of a line to `/compact`');
  const [list = ''] = way.split('\n## ');
  return [...list.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
}

/** The files of the calls under way, outermost first. */
function filesOnTheStack(): string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = limit;
  const files = [...stack.matchAll(/\/src\/([^:?)]+\.ts)/g)].map(([, file = '']) => file);
  return [...new Set(files.reverse())];
}

/** The calls under way when a line from claude leads to `/compact`: the timeout is read last. */
function callsTo(command: string): string[] {
  let files: string[] = [];
  const policy = policyWith();
  const compaction = {
    ...policy.compaction,
    get timeoutSeconds() {
      files = filesOnTheStack();
      return policy.compaction.timeoutSeconds;
    },
  };
  const host = createHost(initialState(runWith({ policy: { ...policy, compaction } })));
  const caller = (line: Line): Input => ({
    t: 0,
    from: 'caller',
    event: decodeObject(line),
    line: JSON.stringify(line),
  });
  const claude = (line: Line): Input => ({ t: 0, from: 'claude', event: decodeObject(line) });
  host.tell({ kind: 'begin' });
  for (const text of ['one', 'two']) host.feed(caller(userLine(text, { uuid: text })));
  for (const line of [initLine(), callLine(20_000), callLine(170_000)]) host.feed(claude(line));
  const { actions } = host.feed(claude(resultLine()));
  expect(JSON.stringify(actions)).toContain(`"content\\":\\"${command}`);
  return files;
}

it('a line reaches /compact through the files that docs/architecture.md names, at most nine', () => {
  const named = filesOnTheWay();
  expect(named.length).toBeLessThanOrEqual(9);
  const inside = named.slice(named.indexOf('host/governor-host.ts'), named.indexOf('run/executor.ts'));
  expect(callsTo('/compact')).toEqual(inside);
});

it('a session connects the output of claude, the host and the executor', () => {
  const session = textOf('src/run/run-session.ts');
  const others = filesOnTheWay().filter((file) => /^(?:run|host)\/(?!run-session)/.test(file));
  expect(others.length).toBe(3);
  expect(others.filter((file) => !session.includes(`${file.replace('run/', './')}';`))).toEqual([]);
});
