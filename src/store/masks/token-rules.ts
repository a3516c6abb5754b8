export interface SecretRule {
  /** What it is, for the words that take its place. */
  readonly what: string;
  /** A text with none of them holds no such secret, and is not searched. None: every text is searched. */
  readonly hints: readonly string[];
  /**
   * With the flag `g`. A first group is what stays in front of the secret; the rest of the match is the secret. A group
   * `head` is its beginning, which stands before the match.
   */
  readonly pattern: RegExp;
  /** Judges what was found, where the pattern alone would take ordinary text for a secret. */
  readonly holds?: ((secret: string, before: string, next: string) => boolean) | undefined;
}

export function rule(
  what: string,
  hints: string | readonly string[],
  source: string,
  holds?: SecretRule['holds'],
  flags = 'g',
): SecretRule {
  return { what, hints: typeof hints === 'string' ? [hints] : hints, pattern: new RegExp(source, flags), holds };
}

/** The start of a word: in escaped, encoded or coloured text that is also after `\\n`, `%3D` or `ESC[32m`. */
const START = '(?:^|[^\\w-]|\\\\[nrt]|%[0-9A-Fa-f]{2}|\\[[\\d;]{0,8}m)';

/**
 * A short prefix counts only at the start of a word. The look behind comes second, so that the engine may search for the prefix.
 */
export function atStart(prefix: string): string {
  return `${prefix}(?<=${START}${prefix})`;
}

/**
 * For a look behind: the beginning of a secret whose rarest part stands further on. The engine searches for that part,
 * and looks back from there, which it does far less often than try every character as the first.
 */
function head(source: string): string {
  return `${START}(?<head>${source})`;
}

const GITLAB = ['pat', 'oas', 'dt', 'rt', 'rtr', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'soat', 'ffct'];
const VERCEL = ['vca_', 'vcc_', 'vci_', 'vcp_', 'vck_', 'vcr_'];
const GITHUB = ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'];
/** What a token begins with that is still one when its end is cut off. */
const CUT = [
  ...GITHUB,
  ...['npm_', 'hf_', 'doo_v1_', 'dop_v1_', 'dor_v1_', 'lin_api_', 'AIza', 'AKIA', 'ASIA', 'gsk_', 'r8_', 'ntn_'],
];

/**
 * Forms of tokens, as the providers document them or as two public sets of rules know them: gitleaks
 * (github.com/gitleaks/gitleaks, config/gitleaks.toml) and secretlint (github.com/secretlint/secretlint, its preset).
 * Lengths are lower bounds, so that a longer or cut token is masked too.
 */
export const TOKENS: readonly SecretRule[] = [
  // platform.claude.com: sk-ant-api03-, sk-ant-admin01-; claude setup-token: sk-ant-oat01-.
  token('Anthropic key', 'sk-ant-', '[\\w-]{16,}'),
  // platform.openai.com (also sk-proj-, sk-svcacct-, sk-admin-); OpenRouter, DeepSeek and others follow with sk-.
  token('API key', 'sk-', '[\\w-]{20,}', isMixed),
  // docs.github.com, token formats; ghs_ may go on with the parts of a JWT.
  rule('GitHub token', [...GITHUB, 'github_pat_'], 'gh[pousr]_\\w{30,}(?:\\.[\\w-]{10,})*|github_pat_\\w{22,}'),
  // docs.gitlab.com, token prefixes.
  rule(
    'GitLab token',
    [...GITLAB.map((kind) => `gl${kind}-`), 'GR1348941'],
    `gl(?:${GITLAB.join('|')})-[\\w-]{20,}(?:\\.\\w{2,12})*|GR1348941[\\w-]{20,}`,
  ),
  token('GitLab cookie', '_gitlab_session=', '[0-9a-z]{32}'),
  // docs.aws.amazon.com, IAM identifiers.
  rule(
    'AWS access key id',
    ['A3T', 'AKIA', 'ASIA', 'ABIA', 'ACCA'],
    '(?<![A-Z0-9])(?:A3T[A-Z0-9]|A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  ),
  token('AWS Bedrock key', 'ABSK', '[A-Za-z0-9+/]{100,}={0,2}'),
  // cloud.google.com: API keys, OAuth client secrets and access tokens.
  rule('Google key', ['AIza', 'GOCSPX-', 'ya29.'], 'AIza[\\w-]{35}|GOCSPX-[\\w-]{20,}|ya29\\.[\\w-]{20,}'),
  // api.slack.com, token types and incoming webhooks.
  {
    ...rule(
      'Slack token',
      ['xox', 'xapp-'],
      `(?:${atStart('xox')}[a-z](?:\\.xox[a-z])?|${atStart('xapp')})-[\\w-]{16,}`,
    ),
    holds: isMixed,
  },
  rule('Slack webhook', 'hooks.slack', 'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/+-]{20,}'),
  // discord.com/developers: the id of a bot, a time and a signature; webhooks.
  rule(
    'Discord token',
    [],
    `\\.[\\w-]{6}\\.(?<=${head('[MNO][\\w-]{22,28}')}\\.[\\w-]{6}\\.)[\\w-]{27,40}(?![\\w-])`,
    (secret) => {
      const [id = '', , signature = ''] = secret.split('.');
      return isMixed(id) && isMixed(signature);
    },
  ),
  rule(
    'Discord webhook',
    '/api/webhooks/',
    'https://(?:\\w{1,10}\\.)?discord(?:app)?\\.com/api/webhooks/\\d{15,22}/[\\w-]{30,}',
  ),
  rule('Teams webhook', '.webhook.office', 'https://[a-z0-9]{1,63}\\.webhook\\.office\\.com/webhookb2/[\\w@/-]{40,}'),
  // core.telegram.org/bots: the id of a bot and 35 characters.
  rule('Telegram token', ':A', `:A(?<=${head('\\d{8,12}')}:A)[\\w-]{34}(?![\\w-])`),
  // docs.stripe.com.
  rule(
    'Stripe key',
    ['k_live_', 'k_test_', 'k_prod_', 'whsec_'],
    '(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}=*',
  ),
  token('npm token', 'npm_', '[A-Za-z0-9]{36,}'),
  token('PyPI token', 'pypi-Ag', '[\\w-]{40,}'),
  token('RubyGems key', 'rubygems_', '[a-f0-9]{40,}'),
  rule('Clojars token', 'CLOJARS_', 'CLOJARS_[a-z0-9]{60}'),
  token('Hugging Face token', 'hf_', '[A-Za-z0-9]{30,}'),
  token('Hugging Face token', 'api_org_', '[A-Za-z]{30,}'),
  token('Groq key', 'gsk_', '[A-Za-z0-9]{40,}'),
  token('xAI key', 'xai-', '[A-Za-z0-9]{60,}'),
  token('Replicate token', 'r8_', '[A-Za-z0-9]{30,}'),
  token('Perplexity key', 'pplx-', '[A-Za-z0-9]{40,}'),
  token('Fireworks key', 'fw_', '[A-Za-z0-9]{20,}', isMixed),
  token('Databricks token', 'dapi', '[a-f0-9]{32}(?:-\\d)?'),
  token('Notion token', 'ntn_', '[A-Za-z0-9]{40,}'),
  rule('Postman key', 'PMAK-', 'PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{30,}'),
  rule('Shopify token', 'shp', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}'),
  // documentation.mailgun.com: private, public and signing keys.
  token('Mailgun key', 'key-', '[a-f0-9]{32}(?![a-zA-Z0-9])'),
  rule('Mailgun key', [], `-[a-f0-9]{8}-(?<=${head('[a-f0-9]{32}')}-[a-f0-9]{8}-)[a-f0-9]{8}(?![\\w-])`),
  // twilio.com/docs: SendGrid API keys (22 and 43 characters), API key SIDs.
  token('SendGrid key', 'SG.', '[\\w-]{16,32}\\.[\\w-]{30,64}'),
  token('Twilio key', 'SK', '[0-9a-f]{32}(?![A-Za-z0-9])'),
  token('Brevo key', 'xkeysib-', '[a-f0-9]{64}-\\w{16}'),
  rule('Mailchimp key', '-us', `-us(?<=${head('[a-f0-9]{32}')}-us)\\d{1,2}(?!\\w)`),
  // learn.microsoft.com: connection strings of Azure Storage (88 characters) and Service Bus (44), client secrets.
  rule('Azure key', ['AccountKey', 'SharedAccess'], '((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}'),
  rule('Azure client secret', 'Q~', `Q~(?<=${head('[\\w.~]{3}\\d')}Q~)[\\w.~-]{31,34}(?![\\w~-])`),
  rule('DigitalOcean token', '_v1_', 'do[opr]_v1_[0-9a-f]{64}'),
  rule('Docker token', 'dckr_', 'dckr_(?:pat|oat)_[\\w-]{20,}'),
  rule('Linear key', 'lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  rule('Vault token', 'hv', `${atStart('hv')}[sbr]\\.[\\w-]{24,}`),
  rule('Terraform token', '.atlasv1.', '\\.atlasv1\\.(?<=(?<head>[A-Za-z0-9]{14})\\.atlasv1\\.)[\\w-]{60,}'),
  token('Doppler token', 'dp.pt.', '[A-Za-z0-9]{40,}'),
  rule('Dynatrace token', 'dt0', 'dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{60,}'),
  rule('Grafana token', 'gl', 'glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'),
  rule('New Relic key', 'NR', 'NR(?:AK|II|RA|JS)-[A-Za-z0-9-]{19,}'),
  rule('Sentry token', 'sntry', 'sntrys_eyJ[\\w+/=-]{40,}|sntryu_[a-f0-9]{60,}'),
  rule('Sonar token', ['sqa_', 'sqp_', 'squ_'], 'sq[apu]_[a-f0-9]{40}'),
  token('Sourcegraph token', 'sgp_', '(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}'),
  token('Pulumi token', 'pul-', '[a-f0-9]{40}'),
  token('PlanetScale secret', 'pscale_', '(?:tkn|oauth|pw)_[\\w.-]{32,}'),
  token('Prefect key', 'pnu_', '[A-Za-z0-9]{36}'),
  token('Infracost key', 'ico-', '[A-Za-z0-9]{32}'),
  rule('Fly.io token', ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], 'fo1_[\\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3}'),
  token('Heroku key', 'HRKU-AA', '[\\w-]{50,}'),
  rule('Vercel token', VERCEL, `${atStart('vc[acipkr]_')}[A-Za-z0-9]{20,60}`, isMixed),
  rule(
    'Cloudflare token',
    ['cfk_', 'cfut_', 'cfat_', 'v1.0-'],
    `${atStart('cf(?:k|ut|at)_')}[A-Za-z0-9]{40,}|v1\\.0-[a-f0-9]{24}-[a-f0-9]{140,}`,
  ),
  rule('Tailscale key', 'tskey-', 'tskey-[a-z]{2,20}-\\w{8,40}-\\w{16,}'),
  rule('Figma token', 'figd_', 'figd_[\\w-]{40,}'),
  rule('Airtable token', 'pat', `${atStart('pat')}[A-Za-z0-9]{14}\\.[a-f0-9]{64}`),
  rule('Atlassian token', 'ATATT3', 'ATATT3[\\w=-]{100,}'),
  rule('Typeform token', 'tfp_', 'tfp_[\\w.=-]{50,}'),
  rule('Square token', 'sq0', 'sq0(?:atp|csp)-[\\w-]{22,}'),
  rule('EasyPost key', ['EZAK', 'EZTK'], 'EZ[AT]K[A-Za-z0-9]{54}'),
  rule('Shippo token', 'shippo_', 'shippo_(?:live|test)_[a-f0-9]{40}'),
  rule('Duffel token', 'duffel_', 'duffel_(?:test|live)_[\\w=-]{40,}'),
  rule('Flutterwave key', 'FLWSECK', 'FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?'),
  rule('Facebook token', 'EAA', `${atStart('EAA')}[A-Za-z0-9]{100,}`),
  token('Mapbox token', 'sk.eyJ', '[\\w-]{40,}\\.[\\w-]{20,}'),
  rule('MaxMind key', '_mmk', '_mmk(?<=(?<head>\\w{6}_\\w{29})_mmk)'),
  rule('Adobe secret', 'p8e-', 'p8e-[A-Za-z0-9]{32}'),
  rule('Alibaba key id', 'LTAI', `${atStart('LTAI')}[A-Za-z0-9]{16,24}(?![A-Za-z0-9])`, isMixed),
  rule(
    'Yandex key',
    ['AQVN', 't1.'],
    `${atStart('AQVN')}[\\w-]{35,38}|${atStart('t1\\.')}[\\w-]{10,}={0,2}\\.[\\w-]{86}={0,2}`,
  ),
  rule('Artifactory key', ['AKCp', 'cmVmd'], `${atStart('AKCp')}[A-Za-z0-9]{69}|${atStart('cmVmd')}[A-Za-z0-9]{59}`),
  rule('OpenShift token', 'sha256~', 'sha256~[\\w-]{43}'),
  rule('Octopus key', 'API-', `${atStart('API-')}[A-Z0-9]{25,}`, isMixed),
  rule('ReadMe key', 'rdme_', 'rdme_[a-z0-9]{70}'),
  rule(
    '1Password key',
    ['A3-', 'ops_eyJ'],
    `${atStart('A3-')}[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}|ops_eyJ[A-Za-z0-9+/]{200,}={0,3}`,
  ),
  rule('age key', 'AGE-SECRET-KEY-', 'AGE-SECRET-KEY-1[A-Z0-9]{50,58}'),
  // RFC 7519; header and payload are JSON objects, so both begin with eyJ; the signature may be cut off.
  rule('JWT', 'eyJ', `${atStart('eyJ')}[\\w-]{10,}\\.eyJ[\\w-]{10,}(?:\\.[\\w-]*)?`),
  rule('Grafana token', 'eyJrIjoi', `${atStart('eyJrIjoi')}[A-Za-z0-9]{60,}={0,3}`),
  // Texts are cut to fit a line before they come here, and most of a key is still most of a secret.
  rule('cut-off token', CUT, `${atStart(`(?:${CUT.join('|')})`)}[A-Za-z0-9]{12,}(?=…?$)`),
];

/** A prefix of letters counts only at the start of a word. */
function token(what: string, prefix: string, rest: string, holds?: SecretRule['holds']): SecretRule {
  return rule(what, prefix, atStart(prefix.replaceAll('.', '\\.')) + rest, holds);
}

/** Digits and letters meet at least three times: by chance in a key, hardly ever in a name made of words. */
export function isMixed(text: string): boolean {
  const meetings = text.slice(0, 200).match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return meetings !== null && meetings.length >= 3;
}
