import manifest from '../../package.json' with { type: 'json' };

/** The newest supported Claude Code, pinned in package.json: ctxb is developed and tested with it. */
export const NEWEST_CLAUDE: string = manifest.devDependencies['@anthropic-ai/claude-code'];

/** The oldest supported version: the doctor's checks and part of the tests run with it. */
export const OLDEST_CLAUDE: string = manifest.config.oldestClaudeCode;
