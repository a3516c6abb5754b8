/**
 * The table of docs/releases.md with what was found out about a release of claude: newest first, a row for each version.
 *
 * @param page the page so far
 * @param found `version`, `date` (2026-11-27), `facts` such as `13 of 13`, and `differences`, a count
 */
export function withRelease(page, { version, date, facts, differences }) {
  const row = `| ${version} | ${date} | ${facts} | ${differences} |`;
  const lines = page.trimEnd().split('\n');
  const isRow = (line) => /^\| \d/.test(line);
  const others = lines.filter((line) => isRow(line) && !line.startsWith(`| ${version} |`));
  const rows = [row, ...others].sort((a, b) => compare(versionOf(b), versionOf(a)));
  return `${[...lines.filter((line) => !isRow(line)), ...rows].join('\n')}\n`;
}

const versionOf = (row) => row.split(' ')[1].split('.').map(Number);

function compare(one, other) {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}
