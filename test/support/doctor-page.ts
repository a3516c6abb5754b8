import { NEWEST_CLAUDE } from '../../src/claude/supported-versions.ts';
import type { Check } from '../../src/doctor/check.ts';
import { FACTS } from '../../src/doctor/facts.ts';

const BEGINNING = `# Doctor

Does ctxb work here, and with this claude?

\`\`\`sh
ctxb doctor --quick
\`\`\`

This looks at Node, the configuration, the \`.context\` folder, claude's settings and the environment. It asks claude for its window and
for the size of a fresh context. It checks that the thresholds lie above that size, and below the level at which claude itself compacts.

\`ctxb doctor\` without \`--quick\` then tries ${FACTS.length} facts that ctxb relies on. It takes the claude that \`--claude\` names, else
\`CTXB_CLAUDE\`, else the one on PATH:

\`\`\`text
Facts
  ✓ A prompt on stdin is answered, its turn ends with one result, and the process takes the next prompt.
  […]
  ✗ /clear empties the conversation, and a new session id or a reset shows it. (clear-forgets)
      seen: nothing shows it
      ctxb: a handoff asks claude how full its context is, and starts a new process where that is not empty
  […]
12 of ${FACTS.length} facts hold for claude ${NEWEST_CLAUDE} […]
\`\`\`

No network, no account: a stand-in on 127.0.0.1 plays the API. claude gets an environment made from nothing and a temporary
folder, which is removed, also after Ctrl-C. Your settings are read, and nothing of yours is written.

The exit code is 0 when ctxb can work, 3 when something is missing that it cannot do without (**bold** below, or a fault of
the configuration or of the \`.context\` folder), with \`--strict\` for any fact that is not shown to hold, and 127 without a claude.

How long a fact may take depends on how long the first one took, so a slow machine gets more time; \`--timeout SECONDS\` sets a
limit for all of them. A fact for which the time was too short is marked \`?\`, with the time to try next, and does not count as
a fault. \`--only NAME\` looks at one fact; \`--json\` has everything. What users see rests on these facts; the end-to-end tests hold
many more (\`npm run claude:latest\` runs them with the newest claude).

`;

/** docs/doctor.md, made from the facts. */
export function doctorPage(): string {
  return `${BEGINNING}| fact | where it does not hold, ctxb does |\n| --- | --- |\n${FACTS.map(row).join('')}`;
}

function row({ name, fact, instead, vital }: Check): string {
  return `| ${vital ? `**${fact}**` : fact} \`${name}\` | ${instead} |\n`;
}
