import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { anApplication, type ApplicationInput } from '../../tests/support/applications.ts';
import { ConfigProblem, readConfig, type Config } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-config-'));
const file = join(folder, 'config.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parse = (config: unknown): Config => {
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return readConfig(file);
};
const problemOf = (config: unknown): string => {
  try {
    parse(config);
  } catch (error) {
    if (error instanceof ConfigProblem) return error.message.replace(`${file}: `, '').replace(file, 'config.json');
    throw error;
  }
  return 'none';
};
const applications = (...list: readonly unknown[]) => ({ applications: list });

describe('applications in config.json', () => {
  it('get defaults for missing properties, and keep unknown properties', () => {
    const input = { ...anApplication(), rating: { score: 'A' } };
    const [application] = parse(applications(input)).applications ?? [];
    expect(application).toMatchObject({
      id: 'notes',
      rating: { score: 'A' },
      info: { dataPreview: [], graphics: { screenshots: [] } },
      permissions: { rolesGranted: [] },
    });
  });

  it('have the kind "Data Plug" if "DataPlug" is configured', () => {
    const plug = anApplication();
    const [application] = parse(applications({ ...plug, kind: { ...plug.kind, kind: 'DataPlug' } })).applications ?? [];
    expect(application?.kind.kind).toBe('Data Plug');
  });

  it('accept empty addresses', () => {
    const input = anApplication({ url: '', setup: { url: '' }, info: { termsUrl: '', callbackUrl: '' } });
    expect(parse(applications(input)).applications).toHaveLength(1);
  });

  it('are rejected if two ids differ only in case', () => {
    expect(
      problemOf(applications(anApplication({ id: 'a' }), anApplication({ id: 'b' }), anApplication({ id: 'A' }))),
    ).toBe('applications.2.id: duplicate id "A": also used by applications.0 (ids are case-insensitive)');
  });

  it.each<[string, (application: ApplicationInput) => unknown, RegExp]>([
    [
      'an id with a slash',
      (application) => ({ ...application, id: 'a/b' }),
      /^applications\.0\.id: use letters, digits and \. _ -$/u,
    ],
    ['no id', (application) => ({ ...application, id: undefined }), /^applications\.0\.id: is missing$/u],
    [
      'a version of two numbers',
      (application) => ({ ...application, info: { ...application.info, version: '1.0' } }),
      /^applications\.0\.info\.version: must be three numbers/u,
    ],
    [
      'an unknown kind',
      (application) => ({ ...application, kind: { ...application.kind, kind: 'Game' } }),
      /^applications\.0\.kind\.kind: /u,
    ],
    [
      'a javascript: URL',
      (application) => ({ ...application, kind: { ...application.kind, url: 'javascript:alert(1)' } }),
      /^applications\.0\.kind\.url: must be an address such as /u,
    ],
    [
      'an unknown property in the requested data',
      (application) => ({
        ...application,
        permissions: { dataRetrieved: { name: 'x', bundle: { p: { endpoints: [{ endpoint: 'a/b' }], lmit: 1 } } } },
      }),
      /^applications\.0\.permissions\.dataRetrieved\.bundle\.p: has the unknown property "lmit"$/u,
    ],
  ])('are rejected with path and reason: %s', (_, change, problem) => {
    expect(problemOf(applications(change(anApplication())))).toMatch(problem);
  });

  it('are rejected if a key is unknown, the file is not JSON or the list is not an array', () => {
    expect(problemOf({ aplications: [] })).toBe('has the unknown property "aplications"');
    expect(problemOf('{')).toMatch(/^config\.json is not valid JSON: /u);
    expect(problemOf({ applications: {} })).toMatch(/^applications: /u);
  });
});

it.each([
  [{ exchange: { url: 'http://exchange.example.com' } }, /^exchange\.url: use https$/u],
  [
    { contracts: { url: 'https://me:secret@contracts.example.com' } },
    /^contracts\.url: must not contain a user name or password/u,
  ],
  [{ exchange: { url: 'ftp://exchange.example.com' } }, /^exchange\.url: /u],
  [{ exchange: { url: 'exchange.example.com' } }, /^exchange\.url: must be a complete web address/u],
  [{ exchange: { adress: 'x' } }, /^exchange\./u],
  [{ exchange: 'https://exchange.example.com' }, /^exchange: /u],
])('rejects invalid settings of services: %j', (config, problem) => {
  expect(problemOf(config)).toMatch(problem);
});

it('accepts the scheme of an address in upper case', () => {
  const url = 'HTTPS://exchange.example.com';
  expect(parse({ exchange: { url } }).exchange).toEqual({ url });
});

it('rejects a public address with a path, a query or credentials, which would have no effect', () => {
  for (const publicUrl of ['https://ada.example', 'https://ada.example:8443/'])
    expect(parse({ publicUrl }).publicUrl).toBe(publicUrl);
  for (const publicUrl of ['https://ada.example/pda', 'https://me:secret@ada.example', 'https://ada.example/?a=1'])
    expect(problemOf({ publicUrl })).toBe('publicUrl: must contain only scheme, host and port');
  expect(problemOf({ publicUrl: 'ada' })).toBe(
    'publicUrl: must be a complete web address, such as https://example.org',
  );
});

it('rejects a file that is not an object', () => {
  expect(problemOf([])).toBe('must be an object');
});

it('accepts a whole number of trusted proxies from 0 to 9, and rejects other values', () => {
  for (const proxies of [0, 2, 9]) expect(parse({ proxies }).proxies).toBe(proxies);
  for (const invalidCount of [-1, 1.5, 10, '1', true])
    expect([invalidCount, problemOf({ proxies: invalidCount })]).not.toContain('none');
});

describe('an address at a relay', () => {
  const tunnel = { relay: 'https://pda.example', domain: 'pda.example' };
  it('is read with its certificate authority', () => {
    const authority = 'https://authority.example/directory';
    expect(parse({ tunnel: { ...tunnel, authority } }).tunnel).toStrictEqual({ ...tunnel, authority });
  });

  it.each([
    [{ ...tunnel, relay: 'http://pda.example' }, 'tunnel.relay'],
    [{ ...tunnel, domain: 'pda.localhost' }, 'tunnel.relay'],
    [{ ...tunnel, domain: 'pda.example:8443' }, 'tunnel.domain'],
    [{ ...tunnel, authority: 'http://authority.example/' }, 'tunnel.authority'],
  ])('is rejected if it is invalid: %j', (invalidTunnel, key) => {
    expect(problemOf({ tunnel: invalidTunnel })).toContain(key);
  });

  it('cannot be combined with publicUrl', () => {
    expect(problemOf({ tunnel, publicUrl: 'https://ada.example' })).toContain('cannot be combined');
  });
});

describe('a name at a localtunnel server', () => {
  const tunnel = { way: 'localtunnel', host: 'https://lt.example', subdomain: 'ada', readableBy: 'lt.example' };
  it('is accepted with consent that names the server, and permits no sign-in with a password by default', () => {
    expect(parse({ tunnel }).tunnel).toStrictEqual({ ...tunnel, passwordSignIn: false });
    expect(parse({ tunnel: { ...tunnel, passwordSignIn: true } }).tunnel).toMatchObject({ passwordSignIn: true });
  });

  it.each([
    [{ ...tunnel, readableBy: undefined }, 'tunnel.readableBy: write "lt.example" here'],
    [{ ...tunnel, readableBy: 'other.example' }, 'tunnel.readableBy: write "lt.example" here'],
    [{ ...tunnel, host: 'http://lt.example' }, 'tunnel.host'],
    [{ ...tunnel, host: 'https://lt.example/path' }, 'tunnel.host'],
    [{ ...tunnel, host: 'https://ada@lt.example' }, 'tunnel.host'],
    [{ ...tunnel, subdomain: 'ada.b' }, 'tunnel.subdomain'],
    [{ ...tunnel, subdomain: 'Ada' }, 'tunnel.subdomain'],
    [{ ...tunnel, passwordSignIn: 'yes' }, 'tunnel.passwordSignIn'],
    [{ ...tunnel, relay: 'https://pda.example' }, 'tunnel: has the unknown property "relay"'],
    [{ ...tunnel, way: 'other' }, 'tunnel.way'],
  ])('is rejected if it is invalid: %j', (invalidTunnel, problem) => {
    expect(problemOf({ tunnel: invalidTunnel })).toContain(problem);
  });
});
