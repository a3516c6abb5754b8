/** One kind of secret. */
export interface SecretRule {
  /** What it is, for the words that take its place. */
  readonly what: string;
  /** With the flag `g`. A first group is what stays in front of the secret; the rest of the match is the secret. */
  readonly pattern: RegExp;
  /** Judges what was found, where the pattern alone would take ordinary text for a secret. */
  readonly holds?: (secret: string, before: string, next: string) => boolean;
}

/** Every form of token below, by its rarest part: a text without a match holds none of them. */
export const TOKEN_HINT =
  /A[KS]IA|AIza|hooks\.slack|SG\.|-----(?:BEGIN|END)|:\/\/[^\s/@]{0,200}@|ya29\.|hv[sbr]\.|eyJ|SK[0-9a-f]{8}|whsec_|[-_][A-Za-z0-9_-]{16}|AccountKey|SharedAccess/;

const NAME =
  'pass(?:word|wd|phrase)|pwd|secret|token|credentials?|api[_-]?key|(?:access|private|auth|account|signing|encryption|master)[_-]?key';

/** Words that come before a secret which has no form of its own: the beginnings of `NAME`, and of headers. */
export const NAME_HINT = /pass[wp]|pwd|secret|token|credential|[isehgrnt][-_]?key|bearer|authorization/i;

/** Forms as the providers document them. Where one is silent on the length, a lower bound that no word reaches. */
const PROVIDERS: readonly SecretRule[] = [
  // platform.claude.com, API overview and Admin API: sk-ant-api03-, sk-ant-admin01-; claude setup-token: sk-ant-oat01-.
  rule('Anthropic key', 'sk-ant-[\\w-]{16,}'),
  // platform.openai.com, API keys (also sk-proj-, sk-svcacct-, sk-admin-); OpenRouter and others follow with sk-or-v1-.
  rule('API key', `${atStart('sk-')}[\\w-]{20,}`, isMixed),
  // docs.github.com, "About authentication to GitHub", token formats; ghs_ may go on with the parts of a JWT.
  rule('GitHub token', 'gh[pousr]_\\w{30,}(?:\\.[\\w-]{10,})*|github_pat_\\w{22,}'),
  // docs.gitlab.com, "Token overview", token prefixes.
  rule('GitLab token', 'gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[\\w-]{20,}(?:\\.\\w{2,12})*'),
  // docs.aws.amazon.com, IAM identifiers: AKIA and ASIA with 16 characters; secret keys have 40.
  rule('AWS access key id', '(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])'),
  // cloud.google.com: API keys, OAuth client secrets and access tokens.
  rule('Google key', 'AIza[\\w-]{35}|GOCSPX-[\\w-]{20,}|ya29\\.[\\w-]{20,}'),
  // api.slack.com, token types and incoming webhooks.
  rule('Slack token', `(?:${atStart('xox')}[a-z](?:\\.xox[a-z])?|${atStart('xapp')})-[\\w-]{16,}`, isMixed),
  rule('Slack webhook', 'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/+-]{20,}'),
  // docs.stripe.com, API keys and webhook signing secrets.
  rule('Stripe key', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}=*'),
  // docs.npmjs.com, "About access tokens"; pypi.org/help, API tokens (a macaroon in base64).
  rule('npm token', `${atStart('npm_')}[A-Za-z0-9]{36,}`),
  rule('PyPI token', 'pypi-Ag[\\w-]{40,}'),
  // huggingface.co/docs/hub, user access tokens.
  rule('Hugging Face token', `${atStart('hf_')}[A-Za-z0-9]{30,}`),
  // twilio.com/docs: SendGrid API keys (22 and 43 characters), API key SIDs.
  rule('SendGrid key', `${atStart('SG\\.')}[\\w-]{16,32}\\.[\\w-]{30,64}`),
  rule('Twilio key', `${atStart('SK')}[0-9a-f]{32}(?![A-Za-z0-9])`),
  // learn.microsoft.com, connection strings of Azure Storage (88 characters) and Service Bus (44).
  rule('Azure key', '((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}'),
  // docs.digitalocean.com, docs.docker.com, linear.app/developers, developer.hashicorp.com/vault: token prefixes.
  rule('DigitalOcean token', 'do[opr]_v1_[0-9a-f]{64}'),
  rule('Docker token', 'dckr_(?:pat|oat)_[\\w-]{20,}'),
  rule('Linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  rule('Vault token', `${atStart('hv')}[sbr]\\.[\\w-]{24,}`),
  // RFC 7519; header and payload are JSON objects, so both begin with eyJ; the signature may be cut off.
  rule('JWT', `${atStart('eyJ')}[\\w-]{10,}\\.eyJ[\\w-]{10,}(?:\\.[\\w-]*)?`),
  // Texts are cut to fit a line before they come here, and most of a key is still most of a secret.
  rule(
    'cut-off token',
    `${atStart('(?:gh[pousr]_|npm_|hf_|do[opr]_v1_|lin_api_|AIza|A[KS]IA)')}[A-Za-z0-9]{12,}(?=…?$)`,
  ),
];

/** Places where secrets of any form stand. They come last, so that a token is called by its own name. */
const PLACES: readonly SecretRule[] = [
  // RFC 3986, userinfo. An @ may stand unescaped in a password, so the last one before the path counts.
  place('password', `(://[^\\s/:@"'<>\`]{0,80}:)[^\\s/"'<>\`]{1,200}(?=@)`, isNoPlaceholder),
  // RFC 7235 and RFC 6750.
  place(
    'credentials',
    `(authorization["'\\\\]{0,3}\\s{0,3}[:=]\\s{0,3}["'\\\\]{0,2}(?:bearer|basic|token)\\s{1,3})[\\w.~+/=-]{8,}`,
    (secret, _, next) => next !== '(' && (/\d/.test(secret) || /[a-z][A-Z]/.test(secret)) && !isMember(secret),
  ),
  place('bearer token', `(\\bbearer\\s{1,3})[\\w.~+/-]{20,}=*`, isMixed),
  // AWS CLI configuration: 40 characters of base64, which may begin like a path.
  place(
    'AWS secret key',
    `(secret_?access_?key["'\\\\]{0,3}\\s{0,3}[:=]\\s{0,3}["'\\\\]{0,2})[A-Za-z0-9/+]{40}(?![\\w/+=])`,
  ),
  place(
    'secret',
    `((?:${NAME})(?:[_-]?(?:key|base|value|prod|dev|test|live|\\d)){0,3}["'\`\\\\\\]]{0,4}[ \\t]{0,3}` +
      `(?::[ \\t]?(?:string|str)[ \\t]?=|:=|=>|={1,3}|:)[ \\t]{0,3}\\\\?["'\`]?)[^\\s"'\`,;&<>(){}[\\]|\\\\…]{8,}`,
    isAssigned,
  ),
  place(
    'secret',
    `((?<![\\w-])--[a-z-]{0,30}(?:${NAME})\\s{1,3}["']?)[^\\s"'\`$<>(){}[\\]|\\\\…-][^\\s"'\`<>(){}[\\]|\\\\…]{7,}`,
    isAssigned,
  ),
];

/** All of them, in the order in which they are tried. */
export const SECRET_RULES: readonly SecretRule[] = [...PROVIDERS, ...PLACES];

/**
 * A short prefix counts only at the start of a word; in escaped or coloured text that is also after `\n` or `ESC[32m`.
 * The look behind comes second, so that the engine may search for the prefix.
 */
function atStart(prefix: string): string {
  return `${prefix}(?<=(?:^|[^\\w-]|\\\\[nrt]|\\[[\\d;]{0,8}m)${prefix})`;
}

function rule(what: string, source: string, holds?: SecretRule['holds'], flags = 'g'): SecretRule {
  const pattern = new RegExp(source, flags);
  return holds === undefined ? { what, pattern } : { what, pattern, holds };
}

/** Names of headers and variables are written in either case, the tokens of providers are not. */
function place(what: string, source: string, holds?: SecretRule['holds']): SecretRule {
  return rule(what, source, holds, 'gi');
}

/** Digits and letters meet at least three times: by chance in a key, hardly ever in a name made of words. */
function isMixed(text: string): boolean {
  const meetings = text.slice(0, 200).match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return meetings !== null && meetings.length >= 3;
}

/** `process.env.TOKEN` and the like: code that fetches a secret. */
function isMember(text: string): boolean {
  return /^[A-Za-z_$][\w$]*\??(?:\.[A-Za-z_$][\w$]*)+[!?:]*$/.test(text);
}

function isNoPlaceholder(password: string): boolean {
  return !/^(?:[$%{[(]|(.)\1*$)/.test(password);
}

/** A literal value, and no reference, path, type or word. */
function isAssigned(value: string, before: string, next: string): boolean {
  if (next === '(' || /^(?:[$%]|[.~]{0,2}\/|[a-z]+:\/\/)/i.test(value)) return false;
  const literal = /["'`]$/.test(before);
  if (!literal && isMember(value)) return false;
  if (value.length >= 12 && isMixed(value)) return true;
  // People choose passwords that are less mixed; a quoted text or NAME=value is at least no code.
  const chosen = /pass|pwd/i.test(before) && (literal || /[A-Z]=$/.test(before));
  return chosen && /\d/.test(value) && /[A-Za-z]/.test(value);
}
