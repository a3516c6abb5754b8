import manifest from '../../package.json' with { type: 'json' };

/** The newest Claude Code, pinned in package.json: ctxb is developed and tested with it. */
export const NEWEST_CLAUDE: string = manifest.devDependencies['@anthropic-ai/claude-code'];

/** The oldest that ctxb supports: the facts of the doctor and part of the tests run on it. */
export const OLDEST_CLAUDE: string = manifest.config.oldestClaudeCode;
