// Prints the section of a version from CHANGELOG.md. Ends with 1 where there is none.
import { readFileSync } from 'node:fs';

const version = process.argv[2];
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const section = sections.find((each) => each.startsWith(`${version} `) || each.startsWith(`${version}\n`));
if (section === undefined) {
  process.stderr.write(`CHANGELOG.md has no section "${version}"\n`);
  process.exitCode = 1;
} else process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`);
