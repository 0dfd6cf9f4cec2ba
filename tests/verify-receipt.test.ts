import { CompactSign } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiptSchema } from '../server/wire/debits.ts';
import { killProcesses, newFolder, newHome, removeFolders, runCommand, startServer } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Runs `pda verify-receipt` as a process, with a receipt from a stopped server.

const EXIT_VALID = 0;
const EXIT_INVALID = 1;
const EXIT_USAGE = 2;

let folder: string;
let thumbprint: string;
let jws: string;
const paths = { receipt: '', jwks: '', pem: '', otherKey: '' };
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });

const writeInput = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

beforeAll(async () => {
  folder = newFolder();
  const server = await startServer(await newHome());
  const proposal = {
    dataDebitKey: 'lunch',
    bundle: {
      name: 'b',
      bundle: {
        days: {
          endpoints: [
            { endpoint: 'a/days', mapping: { harmless: 'n', list: { source: 'm', mappings: { one: 'o' } } } },
          ],
        },
      },
    },
    start: '2026-01-15T12:00:00.000Z',
    period: 86_400,
    cancelAtPeriodEnd: false,
    purpose: 'To suggest a day.',
    termsUrl: 'https://lunch.example.com/terms',
    requestClientName: 'Lunch Ltd',
    requestClientUrl: 'https://lunch.example.com/',
    requestClientLogoUrl: 'https://lunch.example.com/logo.png',
  };
  expect((await server.call('POST', '/api/v2.6/data-debit/lunch', { json: proposal })).status).toBe(201);
  expect((await server.call('GET', '/api/v2.6/data-debit/lunch/enable')).status).toBe(200);
  const { json } = await server.call('GET', '/api/v2.6/owner/debits/lunch/receipt');
  ({ jws, thumbprint } = receiptSchema.parse(json));
  paths.receipt = writeInput('receipt.json', `${JSON.stringify(json, null, 2)}\n`);
  paths.jwks = writeInput('jwks.json', (await server.call('GET', '/.well-known/jwks.json')).text);
  paths.pem = writeInput('key.pem', (await server.call('GET', '/publickey')).text);
  paths.otherKey = writeInput('other.pem', otherKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString());
  await server.stop();
});
afterAll(async () => {
  await killProcesses();
  removeFolders();
});

const verify = (...args: string[]) => runCommand(['verify-receipt', ...args]);

const expectInvalid = async (reason: RegExp, ...args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await verify(...args);
  expect({ code, stdout }, stderr).toStrictEqual({ code: EXIT_INVALID, stdout: '' });
  expect(stderr).toMatch(/^Invalid receipt: [^\n]+\n$/u);
  expect(stderr).toMatch(reason);
};

const createReceiptWithoutKey = (): Promise<string> =>
  new CompactSign(Buffer.from(jws.split('.')[1] ?? '', 'base64url'))
    .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'data-debit-receipt+jws' })
    .sign(otherKeys.privateKey);

describe('pda verify-receipt', () => {
  it('prints requester, data and expiry, and that the key was not pinned', async () => {
    const { code, stdout, stderr } = await verify(paths.receipt);
    expect({ code, stderr }).toStrictEqual({ code: EXIT_VALID, stderr: '' });
    expect(stdout).toMatch(/^valid: /u);
    expect(stdout).toContain('Lunch Ltd, https://lunch.example.com/');
    expect(stdout).toContain('what: days: a/days (n, m.o)');
    expect(stdout).toContain('from 2026-01-15T12:00:00.000Z until the owner stops it');
    expect(stdout).toContain(`key: ${thumbprint} `);
    expect(stdout).toContain('Pass --key');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'accepts the pinned key as a thumbprint, JWK Set or PEM file, and then says nothing about pinning',
    async () => {
      for (const key of [thumbprint, paths.jwks, paths.pem]) {
        const { code, stdout } = await verify(paths.receipt, '--key', key);
        expect(code).toBe(EXIT_VALID);
        expect(stdout).toContain(`key: ${thumbprint} `);
        expect(stdout).not.toContain('--key');
      }
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('exits with 1 when one byte was changed', async () => {
    const offset = jws.indexOf('.') + 100;
    const modifiedJws = `${jws.slice(0, offset)}${jws[offset] === 'A' ? 'B' : 'A'}${jws.slice(offset + 1)}`;
    await expectInvalid(/the signature is wrong/u, writeInput('changed.jws', modifiedJws), '--key', paths.pem);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'exits with 1 when a different key is expected, and when the file is not a receipt',
    async () => {
      await expectInvalid(/contains the key .+ was expected/u, paths.receipt, '--key', paths.otherKey);
      await expectInvalid(/malformed/u, paths.pem);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('verifies a receipt without a key only with --key FILE', async () => {
    const receiptPath = writeInput('without-key.jws', await createReceiptWithoutKey());
    await expectInvalid(/carries no key/u, receiptPath);
    await expectInvalid(/the signature is wrong/u, receiptPath, '--key', paths.pem);
    expect((await verify(receiptPath, '--key', paths.otherKey)).code).toBe(EXIT_VALID);
  });

  it.skipIf(!IS_THOROUGH_RUN).each<[string, () => string[]]>([
    ['no file', () => []],
    ['a file that does not exist', () => [join(folder, 'missing')]],
    ['a key file that does not exist', () => [paths.receipt, '--key', join(folder, 'missing')]],
    ['a key file without a key', () => [paths.receipt, '--key', paths.receipt]],
  ])('exits with 2 for %s', async (_, args) => {
    const { code, stdout, stderr } = await verify(...args());
    expect({ code, stdout }).toStrictEqual({ code: EXIT_USAGE, stdout: '' });
    expect(stderr).toMatch(/^error: /u);
  });
});
