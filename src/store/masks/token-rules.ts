export interface SecretRule {
  /** What it is, for the words that take its place. */
  readonly what: string;
  /**
   * Each match contains one of them, in lower case where the pattern ignores case. Other texts are not searched, which in a
   * short text takes far less time than to compile the pattern.
   */
  readonly keywords: readonly string[];
  /**
   * With the flag `g`. A first group is what stays in front of the secret; the rest of the match is the secret. A group
   * `head` is its beginning, which stands before the match.
   */
  readonly pattern: RegExp;
  /** Judges what was found, where the pattern alone would take ordinary text for a secret. */
  readonly holds?: ((secret: string, before: string, next: string) => boolean) | undefined;
}

/** The start of a word: in escaped, encoded or coloured text that is also after `\\n`, `%3D` or `ESC[32m`. */
const START = String.raw`(?:^|[^\w-]|\\[nrt]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m)`;

/**
 * A short prefix counts only at the start of a word. The look behind comes second, so that the engine may search for the prefix.
 */
export function atStart(prefix: string): string {
  return `${prefix}(?<=${START}${prefix})`;
}

/**
 * Forms of tokens, as the providers document them or as two public sets of rules know them: gitleaks
 * (github.com/gitleaks/gitleaks, config/gitleaks.toml) and secretlint (github.com/secretlint/secretlint, its preset).
 * Lengths are lower bounds, so that a longer or cut token is masked too.
 */
export const TOKENS: readonly SecretRule[] = [
  // platform.claude.com: sk-ant-api03-, sk-ant-admin01-; claude setup-token: sk-ant-oat01-.
  token('Anthropic key', /sk-ant-/, /[\w-]{16,}/),
  // platform.openai.com (also sk-proj-, sk-svcacct-, sk-admin-); OpenRouter, DeepSeek and others follow with sk-.
  token('API key', /sk-/, /[\w-]{20,}/, isMixed),
  // docs.github.com, token formats; ghs_ may go on with the parts of a JWT.
  having(
    'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_',
    anywhere('GitHub token', /gh[pousr]_\w{30,}(?:\.[\w-]{10,})*|github_pat_\w{22,}/g),
  ),
  // docs.gitlab.com, token prefixes.
  having(
    'glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-',
    anywhere('GitLab token', /gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct)-[\w-]{20,}(?:\.\w{2,12})*/g),
  ),
  anywhere('GitLab token', /GR1348941[\w-]{20,}/g),
  token('GitLab cookie', /_gitlab_session=/, /[0-9a-z]{32}/),
  // docs.aws.amazon.com, IAM identifiers.
  having(
    'A3T AKIA ASIA ABIA ACCA',
    anywhere('AWS access key id', /(?<![A-Z0-9])(?:A3T[A-Z0-9]|A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g),
  ),
  token('AWS Bedrock key', /ABSK/, /[A-Za-z0-9+/]{100,}={0,2}/),
  // cloud.google.com: API keys, OAuth client secrets and access tokens.
  having('AIza GOCSPX- ya29.', anywhere('Google key', /AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}/g)),
  // api.slack.com, token types and incoming webhooks.
  having('xox xapp-', token('Slack token', /(?:xox[a-z](?:\.xox[a-z])?|xapp)-/, /[\w-]{16,}/, isMixed)),
  having(
    'hooks.slack.com',
    anywhere('Slack webhook', /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+-]{20,}/g),
  ),
  // discord.com/developers: the id of a bot, a time and a signature; webhooks.
  having('.', endOf('Discord token', /[MNO][\w-]{22,28}/, /\.[\w-]{6}\./, /[\w-]{27,40}(?![\w-])/, isDiscordToken)),
  having(
    '/api/webhooks/',
    anywhere('Discord webhook', /https:\/\/(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{30,}/g),
  ),
  having(
    '.webhook.office.com',
    anywhere('Teams webhook', /https:\/\/[a-z0-9]{1,63}\.webhook\.office\.com\/webhookb2\/[\w@/-]{40,}/g),
  ),
  // core.telegram.org/bots: the id of a bot and 35 characters.
  endOf('Telegram token', /\d{8,12}/, /:A/, /[\w-]{34}(?![\w-])/),
  // docs.stripe.com.
  having(
    'sk_ rk_ whsec_',
    anywhere('Stripe key', /(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}=*/g),
  ),
  token('npm token', /npm_/, /[A-Za-z0-9]{36,}/),
  token('PyPI token', /pypi-Ag/, /[\w-]{40,}/),
  token('RubyGems key', /rubygems_/, /[a-f0-9]{40,}/),
  anywhere('Clojars token', /CLOJARS_[a-z0-9]{60}/g),
  token('Hugging Face token', /hf_/, /[A-Za-z0-9]{30,}/),
  token('Hugging Face token', /api_org_/, /[A-Za-z]{30,}/),
  token('Groq key', /gsk_/, /[A-Za-z0-9]{40,}/),
  token('xAI key', /xai-/, /[A-Za-z0-9]{60,}/),
  token('Replicate token', /r8_/, /[A-Za-z0-9]{30,}/),
  token('Perplexity key', /pplx-/, /[A-Za-z0-9]{40,}/),
  token('Fireworks key', /fw_/, /[A-Za-z0-9]{20,}/, isMixed),
  token('Databricks token', /dapi/, /[a-f0-9]{32}(?:-\d)?/),
  token('Notion token', /ntn_/, /[A-Za-z0-9]{40,}/),
  anywhere('Postman key', /PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{30,}/g),
  anywhere('Shopify token', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}/g),
  // documentation.mailgun.com: private, public and signing keys.
  token('Mailgun key', /key-/, /[a-f0-9]{32}(?![a-zA-Z0-9])/),
  having('-', endOf('Mailgun key', /[a-f0-9]{32}/, /-[a-f0-9]{8}-/, /[a-f0-9]{8}(?![\w-])/)),
  // twilio.com/docs: SendGrid API keys (22 and 43 characters), API key SIDs.
  token('SendGrid key', /SG\./, /[\w-]{16,32}\.[\w-]{30,64}/),
  token('Twilio key', /SK/, /[0-9a-f]{32}(?![A-Za-z0-9])/),
  token('Brevo key', /xkeysib-/, /[a-f0-9]{64}-\w{16}/),
  endOf('Mailchimp key', /[a-f0-9]{32}/, /-us/, /\d{1,2}(?!\w)/),
  // learn.microsoft.com: connection strings of Azure Storage (88 characters) and Service Bus (44), client secrets.
  having(
    'AccountKey= SharedAccessKey=',
    anywhere('Azure key', /((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}/g),
  ),
  endOf('Azure client secret', /[\w.~]{3}\d/, /Q~/, /[\w.~-]{31,34}(?![\w~-])/),
  having('_v1_', anywhere('DigitalOcean token', /do[opr]_v1_[0-9a-f]{64}/g)),
  anywhere('Docker token', /dckr_(?:pat|oat)_[\w-]{20,}/g),
  anywhere('Linear key', /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/g),
  token('Vault token', /hv[sbr]\./, /[\w-]{24,}/),
  anywhere('Terraform token', /\.atlasv1\.(?<=(?<head>[A-Za-z0-9]{14})\.atlasv1\.)[\w-]{60,}/g),
  token('Doppler token', /dp\.pt\./, /[A-Za-z0-9]{40,}/),
  anywhere('Dynatrace token', /dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}/g),
  having('glc_ glsa_', anywhere('Grafana token', /glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}/g)),
  anywhere('New Relic key', /NR(?:AK|II|RA|JS)-[A-Za-z0-9-]{19,}/g),
  having('sntrys_ sntryu_', anywhere('Sentry token', /sntrys_eyJ[\w+/=-]{40,}|sntryu_[a-f0-9]{60,}/g)),
  having('sqa_ sqp_ squ_', anywhere('Sonar token', /sq[apu]_[a-f0-9]{40}/g)),
  token('Sourcegraph token', /sgp_/, /(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}/),
  token('Pulumi token', /pul-/, /[a-f0-9]{40}/),
  token('PlanetScale secret', /pscale_/, /(?:tkn|oauth|pw)_[\w.-]{32,}/),
  token('Prefect key', /pnu_/, /[A-Za-z0-9]{36}/),
  token('Infracost key', /ico-/, /[A-Za-z0-9]{32}/),
  having('fo1_ fm1 fm2', anywhere('Fly.io token', /fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3}/g)),
  token('Heroku key', /HRKU-AA/, /[\w-]{50,}/),
  token('Vercel token', /vc[acipkr]_/, /[A-Za-z0-9]{20,60}/, isMixed),
  having('cfk_ cfut_ cfat_', token('Cloudflare token', /cf(?:k|ut|at)_/, /[A-Za-z0-9]{40,}/)),
  anywhere('Cloudflare token', /v1\.0-[a-f0-9]{24}-[a-f0-9]{140,}/g),
  anywhere('Tailscale key', /tskey-[a-z]{2,20}-\w{8,40}-\w{16,}/g),
  anywhere('Figma token', /figd_[\w-]{40,}/g),
  token('Airtable token', /pat/, /[A-Za-z0-9]{14}\.[a-f0-9]{64}/),
  anywhere('Atlassian token', /ATATT3[\w=-]{100,}/g),
  anywhere('Typeform token', /tfp_[\w.=-]{50,}/g),
  anywhere('Square token', /sq0(?:atp|csp)-[\w-]{22,}/g),
  anywhere('EasyPost key', /EZ[AT]K[A-Za-z0-9]{54}/g),
  anywhere('Shippo token', /shippo_(?:live|test)_[a-f0-9]{40}/g),
  anywhere('Duffel token', /duffel_(?:test|live)_[\w=-]{40,}/g),
  anywhere('Flutterwave key', /FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?/g),
  token('Facebook token', /EAA/, /[A-Za-z0-9]{100,}/),
  token('Mapbox token', /sk\.eyJ/, /[\w-]{40,}\.[\w-]{20,}/),
  anywhere('MaxMind key', /_mmk(?<=(?<head>\w{6}_\w{29})_mmk)/g),
  anywhere('Adobe secret', /p8e-[A-Za-z0-9]{32}/g),
  token('Alibaba key id', /LTAI/, /[A-Za-z0-9]{16,24}(?![A-Za-z0-9])/, isMixed),
  token('Yandex key', /AQVN/, /[\w-]{35,38}/),
  token('Yandex key', /t1\./, /[\w-]{10,}={0,2}\.[\w-]{86}={0,2}/),
  token('Artifactory key', /AKCp/, /[A-Za-z0-9]{69}/),
  token('Artifactory key', /cmVmd/, /[A-Za-z0-9]{59}/),
  anywhere('OpenShift token', /sha256~[\w-]{43}/g),
  token('Octopus key', /API-/, /[A-Z0-9]{25,}/, isMixed),
  anywhere('ReadMe key', /rdme_[a-z0-9]{70}/g),
  token('1Password key', /A3-/, /[A-Z0-9]{6}-[A-Z0-9]{6}(?:-?[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/),
  anywhere('1Password key', /ops_eyJ[A-Za-z0-9+/]{200,}={0,3}/g),
  anywhere('age key', /AGE-SECRET-KEY-1[A-Z0-9]{50,58}/g),
  // RFC 7519; header and payload are JSON objects, so both begin with eyJ; the signature may be cut off.
  token('JWT', /eyJ/, /[\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]*)?/),
  token('Grafana token', /eyJrIjoi/, /[A-Za-z0-9]{60,}={0,3}/),
  // Texts are cut to fit a line before they come here, and most of a key is still most of a secret.
  having(
    'ghp_ gho_ ghu_ ghs_ ghr_ npm_ hf_ _v1_ lin_api_ gsk_ r8_ ntn_ AIza AKIA ASIA',
    token(
      'cut-off token',
      /(?:(?:gh[pousr]|npm|hf|do[opr]_v1|lin_api|gsk|r8|ntn)_|AIza|AKIA|ASIA)/,
      /[A-Za-z0-9]{12,}(?=…?$)/,
    ),
  ),
];

/** Names the keywords of a form that may begin in several ways. */
function having(keywords: string, rule: SecretRule): SecretRule {
  return { ...rule, keywords: keywords.split(' ') };
}

/** The plain text that a pattern begins with. */
function beginning({ source }: RegExp): readonly [string] {
  return [/^(?:[\w:=~-]|\\[./])*(?![?*{])/.exec(source)?.[0].replaceAll('\\', '') ?? ''];
}

/** A form that no ordinary text has. */
function anywhere(what: string, pattern: RegExp): SecretRule {
  return { what, keywords: beginning(pattern), pattern };
}

/** A form whose prefix counts only at the start of a word. */
function token(what: string, prefix: RegExp, rest: RegExp, holds?: SecretRule['holds']): SecretRule {
  const pattern = new RegExp(atStart(prefix.source) + rest.source, 'g');
  return { what, keywords: beginning(prefix), pattern, holds };
}

/**
 * A form whose rarest part stands behind its beginning. The engine searches for that part, and looks back from there,
 * which it does far less often than try every character as the first.
 */
function endOf(what: string, head: RegExp, rare: RegExp, rest: RegExp, holds?: SecretRule['holds']): SecretRule {
  const source = `${rare.source}(?<=${START}(?<head>${head.source})${rare.source})${rest.source}`;
  return { what, keywords: beginning(rare), pattern: new RegExp(source, 'g'), holds };
}

function isDiscordToken(secret: string): boolean {
  const [id = '', , signature = ''] = secret.split('.');
  return isMixed(id) && isMixed(signature);
}

/** Digits and letters meet at least three times: by chance in a key, hardly ever in a name made of words. */
export function isMixed(text: string): boolean {
  const meetings = text.slice(0, 200).match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return meetings !== null && meetings.length >= 3;
}
