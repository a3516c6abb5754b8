/** Characters that look random, and are the same each time. Secrets are put together here, so that no scanner finds one in a file. */
const noise = (length: number): string => 'q7Zt2Lw9Xb4Rk1Vd8Ns3Hf6Jm5Pc0Gy'.repeat(12).slice(0, length);
const hex = (length: number): string => '3f9a1c7e5b2d8046'.repeat(12).slice(0, length);
const upper = (length: number): string => 'Q7ZT2LW4XB6RK3VD'.repeat(8).slice(0, length);
const letters = (length: number): string => 'qwZtLxXbRkVdNsHfJmPcGy'.repeat(4).slice(0, length);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const JWT = `eyJ${noise(33)}.eyJ${noise(60)}.${noise(43)}`;
const PEM = [
  `-----BEGIN ${'PRIVATE KEY'}-----`,
  `${noise(62)}+/`,
  `${noise(62)}+/`,
  `-----END ${'PRIVATE KEY'}-----`,
].join('\n');
/** A password that a person has chosen. */
const CHOSEN = ['Sum', 'mer2024!'].join('');
const NETRC = ['machine', 'api.example.com', 'login', 'joe', 'password'].join(' ');

/** A kind of secret, in a typical text. */
export interface SecretKind {
  readonly kind: string;
  /** With the secret in the place of `…`. */
  readonly form: string;
  readonly secret: string;
  /** The replacement; undefined: not masked. */
  readonly masked?: string;
  /** Why it is not masked. */
  readonly why?: string;
  /** It is not known again when all of its text is percent-encoded: the form is no part of an address. */
  readonly plainOnly?: true;
}

const token = (kind: string, secret: string, masked: string): SecretKind => ({ kind, form: '…', secret, masked });
const inForm = (kind: string, form: string, secret: string, masked: string): SecretKind => ({
  kind,
  form,
  secret,
  masked,
});
export const SECRETS: readonly SecretKind[] = [
  token('Anthropic API key', `sk-ant-api03-${noise(93)}AA`, 'Anthropic key'),
  token('Anthropic OAuth token', `sk-ant-oat01-${noise(93)}AA`, 'Anthropic key'),
  token('OpenAI key', `sk-proj-${noise(60)}`, 'API key'),
  token('OpenRouter key', `sk-or-v1-${hex(64)}`, 'API key'),
  token('GitHub personal token', `ghp_${noise(36)}`, 'GitHub token'),
  token('GitHub fine-grained token', `github_pat_${noise(22)}_${noise(59)}`, 'GitHub token'),
  token('GitLab token', `glpat-${noise(20)}`, 'GitLab token'),
  token('GitLab runner registration token', `GR1348941${noise(20)}`, 'GitLab token'),
  token('AWS access key id', `AKIA${upper(16)}`, 'AWS access key id'),
  inForm('AWS secret access key', 'aws_secret_access_key = …', `${noise(39)}/`, 'AWS secret key'),
  token('AWS Bedrock key', `ABSK${noise(120)}`, 'AWS Bedrock key'),
  token('Google API key', `AIza${noise(35)}`, 'Google key'),
  token('Google OAuth client secret', `GOCSPX-${noise(28)}`, 'Google key'),
  token('Google access token', `ya29.${noise(80)}`, 'Google key'),
  token('Slack bot token', `xoxb-123456789012-1234567890123-${noise(24)}`, 'Slack token'),
  inForm(
    'Slack webhook',
    '…',
    `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${noise(24)}`,
    'Slack webhook',
  ),
  token('Discord bot token', `MTk4${noise(22)}.X${noise(5)}.${noise(30)}`, 'Discord token'),
  inForm('Discord bot token in a variable', 'DISCORD_TOKEN=…', `${noise(24)}.X${noise(5)}.${noise(30)}`, 'secret'),
  inForm('Discord webhook', '…', `https://discord.com/api/webhooks/123456789012345678/${noise(68)}`, 'Discord webhook'),
  inForm(
    'Teams webhook',
    '…',
    `https://a.webhook.office.com/webhookb2/${hex(36)}@${hex(36)}/IncomingWebhook/${hex(32)}`,
    'Teams webhook',
  ),
  inForm('Telegram bot token', '…', `123456789:A${noise(34)}`, 'Telegram token'),
  token('Stripe secret key', `sk_live_${noise(24)}`, 'Stripe key'),
  token('Stripe webhook secret', `whsec_${noise(32)}`, 'Stripe key'),
  token('npm token', `npm_${noise(36)}`, 'npm token'),
  token('PyPI token', `pypi-AgEIcHlwaS5vcmc${noise(100)}`, 'PyPI token'),
  token('RubyGems key', `rubygems_${hex(48)}`, 'RubyGems key'),
  token('Hugging Face token', `hf_${letters(34)}`, 'Hugging Face token'),
  token('Groq key', `gsk_${noise(52)}`, 'Groq key'),
  token('xAI key', `xai-${noise(80)}`, 'xAI key'),
  token('Replicate token', `r8_${noise(37)}`, 'Replicate token'),
  token('Perplexity key', `pplx-${noise(48)}`, 'Perplexity key'),
  token('Databricks token', `dapi${hex(32)}`, 'Databricks token'),
  token('Notion token', `ntn_12345678901${noise(35)}`, 'Notion token'),
  token('Postman key', `PMAK-${hex(24)}-${hex(34)}`, 'Postman key'),
  token('Shopify token', `shpat_${hex(32)}`, 'Shopify token'),
  token('Shopify shared secret', `shpss_${hex(32)}`, 'Shopify token'),
  token('Mailgun key', `key-${hex(32)}`, 'Mailgun key'),
  token('Mailgun signing key', `${hex(32)}-${hex(8)}-${hex(8)}`, 'Mailgun key'),
  token('SendGrid key', `SG.${noise(22)}.${noise(43)}`, 'SendGrid key'),
  token('Twilio key', `SK${hex(32)}`, 'Twilio key'),
  token('Brevo key', `xkeysib-${hex(64)}-${noise(16)}`, 'Brevo key'),
  token('Mailchimp key', `${hex(32)}-us21`, 'Mailchimp key'),
  inForm('Azure storage key', 'AccountName=a;AccountKey=…;EndpointSuffix=x', `${noise(86)}==`, 'Azure key'),
  inForm('Azure client secret', 'client_secret: …', `abc8Q~${noise(34)}`, 'Azure client secret'),
  inForm('Azure SAS signature', 'https://a.blob.core.windows.net/c?sv=2024&sig=…', `${noise(43)}%3D`, 'signature'),
  inForm('S3 presigned URL', 'https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=…', hex(64), 'signature'),
  token('DigitalOcean token', `dop_v1_${hex(64)}`, 'DigitalOcean token'),
  token('Docker token', `dckr_pat_${noise(27)}`, 'Docker token'),
  token('Linear key', `lin_api_${noise(40)}`, 'Linear key'),
  token('Vault token', `hvs.${noise(90)}`, 'Vault token'),
  token('Terraform Cloud token', `${noise(14)}.atlasv1.${noise(64)}`, 'Terraform token'),
  token('Doppler token', `dp.pt.${noise(43)}`, 'Doppler token'),
  token('Dynatrace token', `dt0c01.${upper(24)}.${upper(64)}`, 'Dynatrace token'),
  token('Grafana service account token', `glsa_${noise(32)}_${hex(8)}`, 'Grafana token'),
  token('New Relic key', `NRAK-${upper(27)}`, 'New Relic key'),
  token('Sentry token', `sntryu_${hex(64)}`, 'Sentry token'),
  token('Sonar token', `squ_${hex(40)}`, 'Sonar token'),
  token('Pulumi token', `pul-${hex(40)}`, 'Pulumi token'),
  token('PlanetScale password', `pscale_pw_${noise(43)}`, 'PlanetScale secret'),
  token('Fly.io token', `fo1_${noise(43)}`, 'Fly.io token'),
  token('Heroku key', `HRKU-AA${noise(58)}`, 'Heroku key'),
  token('Vercel token', `vcp_${noise(56)}`, 'Vercel token'),
  token('Cloudflare token', `cfut_${noise(48)}`, 'Cloudflare token'),
  token('Tailscale key', `tskey-auth-k${noise(11)}-${noise(32)}`, 'Tailscale key'),
  token('Figma token', `figd_${noise(40)}`, 'Figma token'),
  token('Airtable token', `pat${noise(14)}.${hex(64)}`, 'Airtable token'),
  token('Atlassian token', `ATATT3${noise(180)}`, 'Atlassian token'),
  token('Square token', `sq0atp-${noise(22)}`, 'Square token'),
  token('Alibaba key id', `LTAI${noise(20)}`, 'Alibaba key id'),
  token('Artifactory key', `AKCp${noise(69)}`, 'Artifactory key'),
  inForm('OpenShift token', '…', `sha256~${noise(43)}`, 'OpenShift token'),
  token('1Password secret key', `A3-${upper(6)}-${upper(11)}-${upper(5)}-${upper(5)}-${upper(5)}`, '1Password key'),
  token('age key', `AGE-SECRET-KEY-1${upper(58)}`, 'age key'),
  token('JSON Web Token', JWT, 'JWT'),
  inForm('private key in PEM', '…', PEM, 'private key'),
  token('private key in PEM, in base64', base64(PEM), 'private key'),
  inForm('kubeconfig client-key-data', 'client-key-data: …', base64(PEM), 'private key'),
  inForm('password in a URL', 'postgres://app:…@db:5432/x', CHOSEN, 'password'),
  inForm('token in a URL', 'https://…@git.example.com/a.git', noise(40), 'token'),
  inForm('Authorization: Basic', 'Authorization: Basic …', base64(`joe:${CHOSEN}`), 'credentials'),
  inForm('Authorization: Bearer', '-H "Authorization: Bearer …"', noise(40), 'credentials'),
  inForm('Cookie', 'Cookie: …', `theme=dark; session=${noise(32)}`, 'cookie'),
  inForm('Set-Cookie', 'Set-Cookie: …', `sid=${noise(32)}; Path=/; HttpOnly`, 'cookie'),
  inForm('x-api-key', 'x-api-key: …', noise(32), 'secret'),
  inForm('variable of the environment', 'API_KEY=…', noise(32), 'secret'),
  inForm('password in a variable', 'DB_PASSWORD=…', CHOSEN, 'secret'),
  inForm('token in a query', 'https://a.example/x?token=…', noise(24), 'secret'),
  inForm('password in JSON', '{"password":"…"}', CHOSEN, 'secret'),
  inForm('password in XML', '<server><password>…</password></server>', CHOSEN, 'secret'),
  inForm('password of NuGet', '<add key="ClearTextPassword" value="…" />', CHOSEN, 'secret'),
  inForm('.npmrc _auth', '//registry.example.com/:_auth=…', base64(`joe:${CHOSEN}`), 'credentials'),
  inForm(
    '.npmrc _authToken',
    '//registry.example.com/:_authToken=…',
    `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
    'secret',
  ),
  inForm('Docker auth', '{"auths":{"r.example.com":{"auth":"…"}}}', base64(`joe:${CHOSEN}`), 'credentials'),
  inForm('.netrc', `${NETRC} …`, CHOSEN, 'password'),
  { ...inForm('.pgpass', 'db.example.com:5432:app:joe:…', CHOSEN, 'password'), plainOnly: true },
  inForm('curl -u', 'curl -s -u joe:… https://a.example', CHOSEN, 'password'),
  inForm('mysql -p', 'mysql -h db -u root -p… app', CHOSEN, 'password'),
  inForm('sshpass -p', 'sshpass -p … ssh joe@host', CHOSEN, 'password'),
  inForm('redis-cli -a', 'redis-cli -h r -a … ping', CHOSEN, 'password'),
  inForm('docker login -p', 'docker login -u joe -p … r.example.com', CHOSEN, 'password'),
  inForm('--password', 'deploy --user joe --password … now', CHOSEN, 'password'),
  inForm('kubectl --from-literal', 'kubectl create secret generic s --from-literal=pw=…', CHOSEN, 'password'),
  inForm('openssl -passin', 'openssl rsa -in k.pem -passin pass:…', CHOSEN, 'password'),
  inForm('sudo -S', "echo '…' | sudo -S id", CHOSEN, 'password'),
  {
    kind: 'password of plain words',
    form: 'PASSWORD=…',
    secret: ['correct', 'horse', 'battery'].join(''),
    why: 'it looks like any word',
  },
  {
    kind: 'password in a sentence',
    form: 'The password is …',
    secret: CHOSEN,
    why: 'no sign separates the name and the value',
  },
  { kind: 'key with nothing before it', form: '…', secret: noise(40), why: 'it looks like a hash or an id' },
];

/** A text with the secret in it. */
export function textOf({ form, secret }: SecretKind): string {
  return form.replace('…', () => secret);
}

/** The table of docs/secrets.md. */
export function secretsTable(): string {
  const rows = SECRETS.map(({ kind, form, masked, why, plainOnly }) => {
    const ownForm = masked === undefined ? 'nothing' : 'its form';
    const shown = form === '…' ? ownForm : `\`${form.replaceAll('|', '\\|')}\``;
    const result =
      masked === undefined ? `no: ${why}` : `\`[masked: ${masked}]\`${plainOnly ? ', but not percent-encoded' : ''}`;
    return `| ${kind} | ${shown} | ${result} |`;
  });
  return ['| secret | recognized by | masked as |', '| --- | --- | --- |', ...rows].join('\n');
}
