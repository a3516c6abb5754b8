import type { Node } from './yaml-document.ts';

/** Which node each alias of a text stands for. */
export interface Anchors {
  /** Called for each node in the order of the text, before what is in it. */
  note(node: Node & { readonly anchor?: string }): void;
  /** The last node above with the alias's anchor; undefined when there is none. */
  target(alias: Node & { readonly source: string }): Node | undefined;
}

/**
 * An alias keeps the node of its first visit: what has an alias in it is visited again wherever it is itself written
 * out, and the anchor may have been set anew in between.
 */
export function createAnchors(): Anchors {
  const byName = new Map<string, Node>();
  const noted = new Set<Node>();
  const targets = new Map<Node, Node | undefined>();
  return {
    note: (node) => {
      if (node.anchor === undefined || noted.has(node)) return;
      noted.add(node);
      byName.set(node.anchor, node);
    },
    target: (alias) => {
      if (!targets.has(alias)) targets.set(alias, byName.get(alias.source));
      return targets.get(alias);
    },
  };
}
