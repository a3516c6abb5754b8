import type { PageData } from './page-data.ts';

/** Where the built page takes the data. */
const PLACE = '"data of the page"';

/**
 * The page of a replay: one file that needs nothing but itself.
 *
 * @param template the page as the build has left it
 */
export function replayHtml(template: string, data: PageData): string {
  const [before = '', after = ''] = template.split(PLACE);
  return before + jsonInHtml(data) + after;
}

/** JSON that no text in it can end: an element of data ends with the first `</script`, wherever it stands. */
function jsonInHtml(data: PageData): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
