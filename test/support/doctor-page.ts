import { NEWEST_CLAUDE } from '../../src/claude/supported-versions.ts';
import type { Check } from '../../src/doctor/check.ts';
import { FACTS } from '../../src/doctor/facts.ts';

const BEGINNING = `# Doctor

Does ctxb work here, and with this claude?

\`\`\`sh
ctxb doctor --quick
\`\`\`

This checks Node, the configuration, the \`.context\` folder, claude's settings and the environment. It asks claude for its window and
for the size of a fresh context. The thresholds must lie above that size, and below the level at which claude itself compacts.

Without \`--quick\`, \`ctxb doctor\` then tries ${FACTS.length} facts that ctxb relies on. It takes the claude that \`--claude\` names, else
that of \`CTXB_CLAUDE\`, else the one on PATH:

\`\`\`text
Facts
  ✓ claude answers a prompt on stdin, ends its turn with one result, and takes the next prompt.
  […]
  ✗ /clear empties the conversation, and a new session id or a reset shows it. (clear-forgets)
      seen: nothing shows it
      ctxb: a handoff asks claude how full its context is, and starts a new process if it is not empty
  […]
12 of ${FACTS.length} facts hold for claude ${NEWEST_CLAUDE} […]
\`\`\`

The command needs no network and no account: a stand-in on 127.0.0.1 plays the API. claude gets an environment built from scratch
and a temporary folder, which ctxb removes, also after Ctrl-C. ctxb reads your settings, and writes to none of your files.

| exit code | meaning |
| --- | --- |
| 0 | ctxb can work |
| 3 | something is missing that ctxb needs: a fact in **bold** below, the configuration, the \`.context\` folder. With \`--strict\`: any fact |
| 127 | no claude was found |

Each fact may take two minutes. \`--timeout SECONDS\` limits all of them together, and each to a third of it. A fact that takes too
long is marked \`?\`, with the time to try next, and does not count as a fault. \`--json\` has everything. The end-to-end tests check
many more facts (\`npm run claude:latest\` runs them with the newest claude).

`;

/** docs/doctor.md, made from the facts. */
export function doctorPage(): string {
  return `${BEGINNING}| fact | what ctxb does without it |\n| --- | --- |\n${FACTS.map(row).join('')}`;
}

function row({ name, fact, fallback, isVital }: Check): string {
  return `| ${isVital ? `**${fact}**` : fact} \`${name}\` | ${fallback} |\n`;
}
