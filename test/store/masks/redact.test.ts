import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/store/masks/redact.ts';

/** Characters that look random, and are the same each time. They are put together here so that no scanner finds a secret in this file. */
const noise = (length: number): string => 'q7Zt2Lw9Xb4Rk1Vd8Ns3Hf6Jm5Pc0Gy'.repeat(8).slice(0, length);
const hex = (length: number): string => '3f9a1c7e5b2d8046'.repeat(8).slice(0, length);
const upper = (length: number): string => 'Q7ZT2LW4XB6RK3VD'.repeat(8).slice(0, length);
const line = `${noise(62)}+/`;
const begin = (kind: string) => `-----BEGIN ${kind}-----`;
const end = (kind: string) => `-----END ${kind}-----`;
const RSA = 'RSA PRIVATE KEY';
const JWT = `eyJ${noise(33)}.eyJ${noise(60)}.${noise(43)}`;

describe('a token of a provider', () => {
  it.each([
    { what: 'Anthropic key', token: `sk-ant-api03-${noise(93)}AA` },
    { what: 'Anthropic key', token: `sk-ant-oat01-${noise(93)}AA` },
    { what: 'API key', token: `sk-${noise(48)}` },
    { what: 'API key', token: `sk-proj-${noise(60)}_${noise(60)}` },
    { what: 'API key', token: `sk-or-v1-${hex(64)}` },
    { what: 'GitHub token', token: `ghp_${noise(36)}` },
    { what: 'GitHub token', token: `gho_${noise(36)}` },
    { what: 'GitHub token', token: `ghu_${noise(36)}` },
    { what: 'GitHub token', token: `ghr_${noise(76)}` },
    { what: 'GitHub token', token: `ghs_${noise(36)}` },
    { what: 'GitHub token', token: `ghs_12345_${JWT}` },
    { what: 'GitHub token', token: `github_pat_${noise(22)}_${noise(59)}` },
    { what: 'GitLab token', token: `glpat-${noise(20)}` },
    { what: 'GitLab token', token: `glpat-${noise(27)}.01.${hex(9)}` },
    { what: 'AWS access key id', token: `AKIA${upper(16)}` },
    { what: 'AWS access key id', token: `ASIA${upper(16)}` },
    { what: 'Google key', token: `AIza${noise(35)}` },
    { what: 'Google key', token: `GOCSPX-${noise(28)}` },
    { what: 'Google key', token: `ya29.${noise(80)}` },
    { what: 'Slack token', token: `xoxb-123456789012-1234567890123-${noise(24)}` },
    { what: 'Slack token', token: `xoxe.xoxp-1-${noise(100)}` },
    { what: 'Slack token', token: `xapp-1-A0${upper(9)}-123456789012-${hex(64)}` },
    { what: 'Slack webhook', token: `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${noise(24)}` },
    { what: 'Stripe key', token: `sk_live_${noise(24)}` },
    { what: 'Stripe key', token: `rk_live_${noise(24)}` },
    { what: 'Stripe key', token: `whsec_${noise(32)}` },
    { what: 'npm token', token: `npm_${noise(36)}` },
    { what: 'PyPI token', token: `pypi-AgEIcHlwaS5vcmc${noise(100)}` },
    { what: 'Hugging Face token', token: `hf_${noise(34)}` },
    { what: 'SendGrid key', token: `SG.${noise(22)}.${noise(43)}` },
    { what: 'Twilio key', token: `SK${hex(32)}` },
    { what: 'DigitalOcean token', token: `dop_v1_${hex(64)}` },
    { what: 'Docker token', token: `dckr_pat_${noise(27)}` },
    { what: 'Linear key', token: `lin_api_${noise(40)}` },
    { what: 'Vault token', token: `hvs.${noise(90)}` },
    { what: 'JWT', token: JWT },
    { what: 'JWT', token: JWT.slice(0, 80) },
  ])('$what: $token', ({ what, token }) => {
    const masked = `[masked: ${what}]`;
    expect(redact(token)).toBe(masked);
    expect(redact(`use ${token}, please`)).toBe(`use ${masked}, please`);
    expect(redact(JSON.stringify({ a: `x\n${token}\n` }))).toBe(JSON.stringify({ a: `x\n${masked}\n` }));
    expect(redact(`\u001b[32m${token}\u001b[0m`)).toBe(`\u001b[32m${masked}\u001b[0m`);
    expect(redact(`export MY_TOKEN="${token}"`)).toBe(`export MY_TOKEN="${masked}"`);
    expect(redact(`curl -H 'Authorization: Bearer ${token}'`)).toBe(`curl -H 'Authorization: Bearer ${masked}'`);
  });
});

it.each(['ghp_', 'npm_', 'hf_', 'dop_v1_', 'lin_api_', 'AIza'])(
  'a token that begins with %s is masked when it is cut off',
  (prefix) => {
    for (let length = 16; length < 30; length += 1) {
      const cut = `x ${prefix}${noise(length)}`;
      expect(redact(cut)).toMatch(/^x \[masked: [^\]]+\]$/);
      expect(redact(`${cut}…`)).toMatch(/^x \[masked: [^\]]+\]…$/);
    }
  },
);

describe('a private key', () => {
  const key = `${begin(RSA)}\n${line}\n${line}\nAbc9\n${end(RSA)}`;
  const encrypted = `${begin(RSA)}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex(32)}\n\n${line}\n`;

  it.each([
    { title: 'whole', text: `a\n${key}\nb`, masked: 'a\n[masked: private key]\nb' },
    { title: 'twice', text: `${key}\n${key}`, masked: '[masked: private key]\n[masked: private key]' },
    { title: 'in JSON', text: JSON.stringify({ private_key: key }), masked: '{"private_key":"[masked: private key]"}' },
    {
      title: 'OpenSSH',
      text: `${begin('OPENSSH PRIVATE KEY')}\n${line}\n${end('OPENSSH PRIVATE KEY')}`,
      masked: '[masked: private key]',
    },
    {
      title: 'PGP',
      text: `${begin('PGP PRIVATE KEY BLOCK')}\n\n${line}\n=aB3d\n${end('PGP PRIVATE KEY BLOCK')}\n`,
      masked: '[masked: private key]\n',
    },
    { title: 'with line numbers', text: `1\t${key.replaceAll('\n', '\n  2\t')}`, masked: '1\t[masked: private key]' },
    { title: 'encrypted', text: `${encrypted}${end(RSA)}`, masked: '[masked: private key]' },
    { title: 'encrypted, without its end', text: `${encrypted}Ab1`, masked: '[masked: private key]' },
    { title: 'without its end', text: `${begin(RSA)}\n${line}\n${line.slice(0, 9)}`, masked: '[masked: private key]' },
    {
      title: 'cut off with a mark',
      text: `${begin(RSA)}\n${line}\n${line.slice(0, 9)}…`,
      masked: '[masked: private key]…',
    },
    {
      title: 'cut off in JSON',
      text: `"${begin(RSA)}\\n${line}\\n${line.slice(0, 9)}`,
      masked: '"[masked: private key]',
    },
    {
      title: 'without its end, more text after it',
      text: `${begin(RSA)}\n${line}\nThe key is above.`,
      masked: '[masked: private key]\nThe key is above.',
    },
    {
      title: 'without its end, before a certificate',
      text: `${begin(RSA)}\n${line}\n${begin('CERTIFICATE')}\n${line}`,
      masked: `[masked: private key]\n${begin('CERTIFICATE')}\n${line}`,
    },
    {
      title: 'without its beginning',
      text: `Tail:\n${line}\n${line}\nAbc9\n${end(RSA)}\nb`,
      masked: 'Tail:\n[masked: private key]\nb',
    },
    { title: 'end of one in JSON', text: `${line}\\n${line}\\n${end(RSA)}\\n"`, masked: '[masked: private key]\\n"' },
  ])('$title', ({ text, masked }) => {
    expect(redact(text)).toBe(masked);
  });

  it.each([
    `grep -rn '${begin(RSA)}' src | head`,
    `A key lies between ${begin(RSA)} and ${end(RSA)}.`,
    `${begin(RSA)}\n...\n${end(RSA)}`,
    `${begin('PUBLIC KEY')}\n${line}\n${end('PUBLIC KEY')}`,
    `${begin('CERTIFICATE')}\n${line}\n${end('CERTIFICATE')}`,
  ])('is not one: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('a secret is found by its place', () => {
  const value = noise(24);
  it.each([
    {
      text: 'git clone https://joe:s3cret@git.example.com/a.git',
      masked: 'git clone https://joe:[masked: password]@git.example.com/a.git',
    },
    { text: 'postgres://app:p@ss:word@db:5432/x', masked: 'postgres://app:[masked: password]@db:5432/x' },
    { text: 'redis://:hunter2@localhost:6379', masked: 'redis://:[masked: password]@localhost:6379' },
    { text: 'Authorization: Basic dXNlcjpwYXNzd29yZA==', masked: 'Authorization: Basic [masked: credentials]' },
    { text: `"authorization": "bearer ${value}"`, masked: '"authorization": "bearer [masked: credentials]"' },
    { text: `-H "Authorization: token ${value}"`, masked: '-H "Authorization: token [masked: credentials]"' },
    { text: `Bearer ${value}`, masked: 'Bearer [masked: bearer token]' },
    { text: `aws_secret_access_key = /${noise(39)}`, masked: 'aws_secret_access_key = [masked: AWS secret key]' },
    { text: `"SecretAccessKey": "${noise(40)}"`, masked: '"SecretAccessKey": "[masked: AWS secret key]"' },
    {
      text: `AccountName=a;AccountKey=${noise(86)}==;EndpointSuffix=core.windows.net`,
      masked: 'AccountName=a;AccountKey=[masked: Azure key];EndpointSuffix=core.windows.net',
    },
    { text: `TWILIO_AUTH_TOKEN=${hex(32)}`, masked: 'TWILIO_AUTH_TOKEN=[masked: secret]' },
    { text: `API_KEY=${value} npm test`, masked: 'API_KEY=[masked: secret] npm test' },
    { text: `const apiKey: string = '${value}';`, masked: `const apiKey: string = '[masked: secret]';` },
    { text: `{"client_secret":"${value}"}`, masked: '{"client_secret":"[masked: secret]"}' },
    { text: `{\\"secret\\": \\"${value}\\"}`, masked: '{\\"secret\\": \\"[masked: secret]\\"}' },
    { text: `os.environ["DB_SECRET_KEY"] = "${value}"`, masked: 'os.environ["DB_SECRET_KEY"] = "[masked: secret]"' },
    { text: `https://a.example/x?token=${value}&b=1`, masked: 'https://a.example/x?token=[masked: secret]&b=1' },
    { text: `x-api-key: ${value}`, masked: 'x-api-key: [masked: secret]' },
    { text: `deploy --auth-token ${value} --yes`, masked: 'deploy --auth-token [masked: secret] --yes' },
    { text: 'DB_PASSWORD=Summer2024!', masked: 'DB_PASSWORD=[masked: secret]' },
    { text: `password: "Summer2024!"`, masked: 'password: "[masked: secret]"' },
  ])('$text', ({ text, masked }) => {
    expect(redact(text)).toBe(masked);
  });
});

it.each([
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  'session 123e4567-e89b-12d3-a456-426614174000',
  'node_modules/@scope/some-very-long-package-name-2b3c4d5e/dist/index.js:12:3',
  `![x](data:image/png;base64,iVBORw0KGgo${noise(200)})`,
  `"integrity": "sha512-${noise(86)}=="`,
  'interface A { password: string; token: number; secret?: Buffer; apiKey: string | undefined }',
  'const key = process.env.API_KEY; const token = process.env.GITHUB_TOKEN2ABC3D;',
  'const token = await createToken2From3Parts4(user);',
  'const secret = config.auth.v1.key2.b3c;',
  `token: ${'$'}{{ secrets.GITHUB_TOKEN }}`,
  'export API_KEY="$MY_API_KEY_2B3C4D"; PASSWORD=$(cat /run/secrets/pw1)',
  'API_KEY=your-api-key-here SECRET=xxxxxxxxxxxxxxxx TOKEN=sk-...',
  'api_key: <YOUR_API_KEY_1A2B3C>',
  'pip install sk-learn sk-circle-fade-dot-animation-component',
  'password = "password"; token="test-token-123"',
  'input_tokens: 12345, max_tokens=4096, tokens: 1a2b3c4d5e6f7',
  '<subagent_tokens>20009</subagent_tokens>',
  'passwordResetUrl: "https://a.example/1a2b3c4d5e6f"',
  'SECRET_FILE=/run/secrets/1a2b3c4d5e6f PWD=/root/1a2b3c4d5e6f',
  'https://example.com:8080/a@b?c=d ssh://git@github.com:22/a/b.git git@github.com:a/b.git',
  `postgres://app:${'$'}{DB_PASSWORD}@db/x mysql://root:****@db/x http://u:<password>@h http://u:%s@h`,
  `Authorization: Bearer ${'$'}{token} / Authorization: Bearer $TOKEN / Authorization: Bearer token`,
  'A bearer of good news; the authorization is basic enough.',
  'ghp_short hf_model npm_config_registry npm_lifecycle_event_with_a_long_name glpat-x AKIAlike eyJ SG.a.b',
  'import { hf_transfer_with_long_name_and_more } from "x"; task-force-1a2b3c4d5e6f7g8h9i0j',
  '',
])('%j is not a secret', (text) => {
  expect(redact(text)).toBe(text);
});

describe('any input', () => {
  const seeds = [
    ...['a', '-', '-----BEGIN', begin(RSA), end(RSA), 'sk-', '://', '://a:', 'password=', '--token ', 'eyJ', 'bearer '],
    ...['ghp_', 'SG.a', 'xoxb-', 'authorization: ', `${line}\n`, `${begin(RSA)}\\n${line}`, `api_key=${noise(12)}`],
  ];

  it.each(seeds)('is masked in linear time: 1 MB of %j', (seed) => {
    const text = seed.repeat(Math.ceil(1_000_000 / seed.length));
    const tail = ` ghp_${noise(36)}`;
    const masked = redact(text + tail);
    expect(masked.endsWith(' [masked: GitHub token]')).toBe(true);
    expect(redact(masked)).toBe(masked);
  });

  it('is masked idempotently', () => {
    const pieces = [
      ...seeds,
      JWT,
      `ghp_${noise(36)}`,
      `AKIA${upper(16)}`,
      ' ',
      '"',
      ':',
      '=',
      '@',
      '\n',
      '.',
      '…',
      'token',
    ];
    let state = 1;
    const pick = (): string => {
      state = (state * 48_271) % 2_147_483_647;
      return pieces[state % pieces.length] ?? '';
    };
    for (let round = 0; round < 3000; round += 1) {
      const masked = redact(Array.from({ length: 8 }, pick).join(''));
      expect(redact(masked)).toBe(masked);
    }
  });
});
