/** Names a test that failed, at the beginning of a line. */
const TEST = /^[ \t]*(?:--- FAIL:|\(fail\) |FAIL(?:ED)?:?[ \t]+\S|not ok \d|[✗✘✖×][ \t]|test .* \.\.\. FAILED)/;

/** Says what is wrong: a named error, or a word that a message of failure begins with. */
const ERROR =
  /\b[A-Z]\w{0,60}(?:Error|Exception|Failure)\b|\b(?:error|fatal|panic(?:ked)?)(?:\[\w{1,20}\])?(?: \w{1,8})?:|\berror TS\d|\b(?:ERROR|FATAL|CRITICAL|FAILED)\b|\bpanicked at\b|^Traceback \(most recent call last\)|^E {2,}\S/;

/** Finds the places in a tool's output that say that something failed. For `matchAll`. */
export const FAILURES = new RegExp(`${TEST.source}|${ERROR.source}`, 'gm');
