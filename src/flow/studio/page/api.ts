import type { Edit, StudioView } from '../studio-view.ts';

/** What the server says: a view; that the file is another one by now; or why not, in words. */
export type Answer =
  | { readonly kind: 'view'; readonly view: StudioView }
  | { readonly kind: 'changed' | 'refused' | 'gone'; readonly message: string };

/** @param hash of the file that the edits are for; undefined: of whatever is there now */
export async function ask(what: 'view' | 'save', edits: readonly Edit[], hash: string | undefined): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  try {
    // The address, which ends in the token, is the page's own.
    const response = await fetch(what, { method: 'POST', headers, body: JSON.stringify({ edits, hash }) });
    const body: unknown = await response.json();
    if (response.ok) return { kind: 'view', view: body as StudioView };
    return { kind: response.status === 409 ? 'changed' : 'refused', message: (body as { message: string }).message };
  } catch {
    return { kind: 'gone', message: 'The studio does not answer; it may have been ended in the terminal.' };
  }
}
