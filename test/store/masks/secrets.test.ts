import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/store/masks/redact.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { SECRETS, secretsTable, textOf } from '../../support/secrets.ts';
import { sized } from '../../support/size.ts';

const masked = SECRETS.filter((kind) => kind.masked !== undefined);

it('has at least 80 kinds', () => {
  expect(masked.length).toBeGreaterThanOrEqual(80);
});

describe('a secret is masked:', () => {
  it.each(masked)('$kind', (kind) => {
    const text = textOf(kind);
    const expected = kind.form.replace('…', `[masked: ${kind.masked}]`);
    expect(redact(text)).toBe(expected);
    expect(redact(`before\n${text}\nafter`)).toBe(`before\n${expected}\nafter`);
  });

  it.each(masked)('$kind, escaped in JSON, and that in JSON', (kind) => {
    let text = `before\n${textOf(kind)}\nafter`;
    let secret = kind.secret;
    for (let depth = 1; depth <= 2; depth++) {
      text = JSON.stringify({ text });
      secret = JSON.stringify(secret).slice(1, -1);
      expect(redact(text)).not.toContain(secret.slice(-24));
      expect(() => JSON.parse(redact(text))).not.toThrow();
    }
  });

  it.each(masked.filter(({ plainOnly }) => !plainOnly))('$kind, percent-encoded', (kind) => {
    const found = redact(`https://a.example/x?q=${encodeURIComponent(textOf(kind))}`);
    expect(found).toContain('[masked: ');
    expect(found).not.toContain(encodeURIComponent(kind.secret).slice(-24));
  });
});

it.each(SECRETS.filter((kind) => kind.masked === undefined))('is not masked: $kind', (kind) => {
  expect(redact(textOf(kind))).toBe(textOf(kind));
});

describe('this is not a secret:', () => {
  it.each([
    'commit 3f786850e387550fdab836ed7e6dc881de23001b, tree 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy',
    '{"session_id":"123e4567-e89b-12d3-a456-426614174000","uuid":"9b2c1d3e-0f4a-4b5c-8d6e-7f8091a2b3c4"}',
    'src/app.ts:1234:5: error TS2304: Cannot find name x',
    'src/a.ts:1234:10:error:Unexpected',
    'docker run -p 8080:80 -p 127.0.0.1:5432:5432 postgres:16',
    'curl -sS -o out.json https://a.example/users?page=2',
    'mysql -h db -u root -p app < dump.sql',
    'ssh -p 2222 joe@host; psql -h db -p 5432 -U joe app; git log -p src/a.ts',
    'npm run build -- --password-policy strict && node app.js --no-password -h localhost',
    'use the --password option, or --password=<password>, or set PASSWORD=$PASSWORD',
    'echo hello | sudo tee /etc/motd',
    `<password/> <password></password> <password>${'$'}{db.password}</password> <input type="password" name="password">`,
    'interface Login { machine: string; login: string; password: string }',
    'the login page, the password field and the machine that it runs on',
    "document.cookie = 'theme=dark'; const cookie: Cookie = parse(header.cookie);",
    'Cookie: consent=accepted',
    'git@github.com:owner/repository.git https://x-access-token@github.com/o/r https://registry.npmjs.org/@scope/name',
    'https://a.example/x?sign=1&signature=none&sig=short',
    'time=12:30 ratio 16:9 db:main:app:joe:thing host:port:db:user:password',
    'author = "Joe"; "auth": "required"; "auth": true; _auth(user)',
    'pattern for keys: [a-f0-9]{32}-us[0-9]{1,2} and key-[a-f0-9]{32}',
    'Module.create.instance; NETWORK.status.online; MainActivityController.handle.onCreateOptionsMenuAndMore',
    'Object.prototype.hasOwnProperty; ModuleFederationPlugin12.create.instantiateWithOptionsAndMoreThings',
    'tskey-like task-1; vcr_cassettes/some_long_name_of_a_cassette_file; fw_version; r8_compiler; patterns.json',
    'import x from "@aws-sdk/client-s3"; AKIRA ASIA ASIAN A3TEXT ABIAKALLAMBLANK',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    'certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJ',
    '%E2%9C%93 token%3Dnone path%3D%2Fusr%2Flocal%2Fbin https%3A%2F%2Fa.example%2Fb%40c',
    'password: string, token?: number, secret = readSecret(), passwordHash: sha256(password)',
  ])('%j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('the sources of ctxb themselves', () => {
    const files = [
      'src/cli/main.ts',
      'src/cli/run.ts',
      'src/store/runs/seal.ts',
      'src/standin/server.ts',
      'README.md',
      'package-lock.json',
    ];
    for (const file of files) {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      const found = [...redact(text).matchAll(/.{0,60}\[masked: (?!private key)[^\]]*\].{0,20}/g)].map(
        ([match]) => match,
      );
      expect(found, file).toEqual([]);
    }
  });
});

describe('masking takes linear time', () => {
  const LENGTH = sized(100_000, 1_000_000);
  const SEEDS = [
    ...[
      'curl ',
      'curl -b ',
      'mysql -',
      'docker login ',
      'cookie: a=',
      'cookie=',
      'machine a login b ',
      'a.b:5432:a:',
      '://a',
    ],
    ...[
      'LS0tLS1CRUdJTi',
      'eyJ',
      '%3A%2F%2F',
      'password%3D',
      '<password>',
      '<token a ',
      'echo a ',
      'M',
      '.',
      '-',
      'AKIA',
      'sig=',
    ],
    ...[
      'key="a.password" value="',
      '"auth":"',
      'authorization: ',
      '--pass',
      '-----BEGIN%20',
      'a:A',
      'x@',
      '\\"',
      '\\n',
      '%40',
      '%20',
      'a%3Ab',
      '%20curl%20-u%20a:',
      'pass ',
    ],
  ];

  it.each(SEEDS)('%j', (seed) => {
    const cost = (length: number) => {
      const text = seed.repeat(Math.ceil(length / seed.length));
      return cpuMs(() => redact(text));
    };
    cost(10_000);
    // Growing with the square, ten times the text would take a hundred times as long.
    const most = 50 * Math.max(cost(LENGTH / 10), 4);
    expect(cost(LENGTH)).toBeLessThan(most);
  });
});

it('docs/secrets.md lists the kinds', () => {
  const page = readFileSync(new URL('../../../docs/secrets.md', import.meta.url), 'utf8');
  expect(page).toContain(secretsTable());
});
