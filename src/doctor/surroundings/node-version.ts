import manifest from '../../../package.json' with { type: 'json' };
import type { Remark } from '../remark.ts';

/** @param version as `process.versions.node` has it */
export function checkNode(version: string): Remark {
  const needed = manifest.engines.node.replace('>=', '');
  if (isAtLeast(version, needed)) return { status: 'good', subject: 'Node', text: version };
  const text = `${version} is too old: ctxb needs ${needed} or newer`;
  return { status: 'fault', subject: 'Node', text, todo: 'install a newer one' };
}

function isAtLeast(version: string, needed: string): boolean {
  const [have, want] = [version, needed].map((text) => text.split('.').map(Number));
  for (const [place, part] of (want ?? []).entries()) {
    const own = have?.[place] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
