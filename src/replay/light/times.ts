import { timeOf } from '../../core/protocol/fields.ts';
import type { Field } from './some-fields.ts';
import { isDigit, ZERO } from './walker.ts';

/** `"2026-01-05T08:00:11.772Z"`, with its quotes. */
const LENGTH = 26;
/** Of it the day with its quote. */
const DAY_LENGTH = 11;
const [T, COLON, POINT, Z] = [0x54, 0x3a, 0x2e, 0x5a];
const [HOUR_MS, MINUTE_MS, SECOND_MS] = [3_600_000, 60_000, 1_000];
const [MOST_HOURS, MOST_MINUTES] = [23, 59];

/** Reads times as `timeOf` does, those that Claude Code writes without making texts of them: most are of the same day. */
export function createTimes() {
  const day = Buffer.alloc(DAY_LENGTH);
  let dayBegan = Number.NaN;

  function isOfDay(bytes: Buffer, from: number): boolean {
    for (let at = DAY_LENGTH - 1; at >= 0; at--) if (bytes[from + at] !== day[at]) return false;
    return true;
  }

  return {
    /** In milliseconds since the epoch; undefined: it is none. */
    read(bytes: Buffer, field: Field): number | undefined {
      const { from, to } = field;
      const since = to - from === LENGTH ? sinceMidnight(bytes, from + DAY_LENGTH) : -1;
      if (since < 0) return timeOf(field.value());
      if (!isOfDay(bytes, from)) {
        bytes.copy(day, 0, from, from + DAY_LENGTH);
        dayBegan = (timeOf(field.value()) ?? Number.NaN) - since;
      }
      return Number.isNaN(dayBegan) ? undefined : dayBegan + since;
    },
  };
}

/** Of `T08:00:11.772Z"`; below 0: it is written in another way. */
function sinceMidnight(bytes: Buffer, at: number): number {
  const isTime = bytes[at] === T && bytes[at + 3] === COLON && bytes[at + 6] === COLON && bytes[at + 9] === POINT;
  if (!isTime || bytes[at + 13] !== Z) return -1;
  const hours = twoDigits(bytes, at + 1);
  const minutes = twoDigits(bytes, at + 4);
  const seconds = twoDigits(bytes, at + 7);
  const hundredths = twoDigits(bytes, at + 10);
  const last = bytes[at + 12] as number;
  if (Math.min(hours, minutes, seconds, hundredths) < 0 || !isDigit(last)) return -1;
  if (hours > MOST_HOURS || Math.max(minutes, seconds) > MOST_MINUTES) return -1;
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS + hundredths * 10 + last - ZERO;
}

function twoDigits(bytes: Buffer, at: number): number {
  const [tens, ones] = [bytes[at] as number, bytes[at + 1] as number];
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : -1;
}
