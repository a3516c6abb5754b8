import { expect, it } from 'vitest';
import { changedRecording } from '../support/change-texts.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb } from './fakes.ts';

/** Sets the title, clears the screen, goes back to the line's beginning; the same in single characters of C1. */
const STEERING = '\u001b]0;owned\u0007\u001b[2J\r\u009b31m\u0008';
/** What makes a line what it is. */
const KEPT = new Set(['type', 'subtype', 'role', 'timestamp', 'uuid', 'parentUuid', 'stop_reason', 'version', 'id']);

const COMMANDS = [
  { command: ['replay'] },
  { command: ['replay', '--detail'] },
  { command: ['replay', '--explain', '1'] },
  { command: ['replay', '--what-if'] },
  { command: ['replay', '--markdown'] },
  { command: ['replay', '--csv'] },
  { command: ['replay', '--ndjson'] },
  { command: ['replay', '--json', '--series'] },
  { command: ['replay', '--fail-over', '1%'] },
  { command: ['scratch'] },
  { command: ['receipts'] },
];

it.each(
  sampled(
    COMMANDS.flatMap(({ command }) =>
      ['tool-turn.session.jsonl', 'subagent.session.jsonl', 'compact.ndjson'].map((recording) => ({
        title: command.join(' '),
        command,
        recording,
      })),
    ),
    4,
  ),
)('ctxb $title: nothing in $recording controls the terminal', async ({ command, recording }) => {
  await using place = await createPlace();
  const file = await place.file(
    recording,
    changedRecording(recording, (text, key) => (KEPT.has(key) ? text : `${text}${STEERING}`)),
  );
  const run = await ctxb(place, [...command, file]);
  expect(run.stdout.length + run.stderr.length).toBeGreaterThan(0);
  // RFC 4180 ends its rows with CRLF.
  expect(
    `${run.stdout}${run.stderr}`.replaceAll('\r\n', '\n').match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g),
  ).toBeNull();
  expect(run.stderr).not.toContain('bug in ctxb');
});
