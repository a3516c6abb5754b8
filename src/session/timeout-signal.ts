/**
 * A signal that is aborted after so many milliseconds, or by another one. It keeps no process alive.
 *
 * Node 20 forgets an `AbortSignal.timeout` that only `AbortSignal.any` still knows when it collects memory: then nothing
 * is ever aborted. The timer here holds on to its own.
 */
export function timeoutSignal(ms: number, other?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  return other === undefined ? controller.signal : AbortSignal.any([other, controller.signal]);
}
