/** UTF-16 units of a document that are handed over; claude takes 9,000 of a hook's text whole. */
const GIVEN_LENGTH = 7_900;

/** A document as a hook can give it to the agent: whole, or its beginning and where the rest is. */
export function givenText(document: string, path: string | undefined): string {
  if (document.length <= GIVEN_LENGTH) return document;
  const part = document.slice(0, GIVEN_LENGTH).replace(/[\ud800-\udbff]$/, '');
  return `${part}\n\n[${part.length} of ${document.length} characters; read ${path ?? 'the file'} for the rest]`;
}
