import { hash as argon2 } from '@node-rs/argon2';
import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../platform/log.ts';
import { createAccountCheck, noExternalAccounts, type ExternalAccount } from '../sign-in/external-accounts.ts';
import { costOf, createExternalHashes, decoyOf, type ExternalHashes } from './external-hash.ts';

const salt = 'a'.repeat(22);
const digest = 'b'.repeat(43);
const argon2Of = (memory: number, time: number, lanes: number): string =>
  `$argon2id$v=19$m=${memory},t=${time},p=${lanes}$${salt}$${digest}`;

describe('an external hash', () => {
  it.each([
    [argon2Of(8, 1, 1), 'argon2id 8 1 1'],
    [argon2Of(65_536, 4, 4), 'argon2id 65536 4 4'],
    [`$2b$12$${'a'.repeat(53)}`, 'bcrypt 12'],
    [`$2y$04$${'a'.repeat(53)}`, 'bcrypt 4'],
  ])('has a cost profile: %s', (hash, profile) => {
    expect(costOf(hash)?.profile).toBe(profile);
  });

  it.each([
    ['of four gigabytes', argon2Of(4_194_304, 1, 1)],
    ['of a hundred passes', argon2Of(8, 100, 1)],
    ['of many lanes', argon2Of(65_536, 1, 16)],
    ['of less memory than its lanes need', argon2Of(8, 1, 4)],
    ['of no pass', argon2Of(8, 0, 1)],
    ['of another kind', argon2Of(8, 1, 1).replace('argon2id', 'argon2i')],
    ['with a suffix', `${argon2Of(8, 1, 1)}$x`],
    ['of bcrypt with an excessive cost', `$2b$31$${'a'.repeat(53)}`],
    ['of bcrypt with no cost', `$2b$00$${'a'.repeat(53)}`],
    ['that is a password', 'secret'],
  ])('is refused: %s', async (_, hash) => {
    expect(costOf(hash)).toBeUndefined();
    expect(await createExternalHashes(silentLog()).matches(hash, 'secret')).toBe(false);
  });

  it('matches its password, and its decoy matches none at the same cost', async () => {
    const hashes = createExternalHashes(silentLog());
    for (const hash of [await argon2('right', { memoryCost: 8, timeCost: 1, parallelism: 1 }), hashSync('right', 4)]) {
      expect(await hashes.matches(hash, 'right')).toBe(true);
      expect(await hashes.matches(hash, 'wrong')).toBe(false);
      expect(costOf(decoyOf(hash))).toEqual(costOf(hash));
      expect(await hashes.matches(decoyOf(hash), 'right')).toBe(false);
    }
  });
});

describe('the password check of an external account', () => {
  const plug = (name: string, passwordHash: string): ExternalAccount => ({
    name,
    passwordHash,
    holder: { kind: 'application', application: name, version: '1.0.0' },
  });
  const testVectors = [
    plug('one', argon2Of(8, 1, 1)),
    plug('two', `$2b$12$${'a'.repeat(53)}`),
    plug('three', argon2Of(8, 1, 1)),
  ];
  const accounts = { ...noExternalAccounts, hashes: () => testVectors.map(({ passwordHash }) => passwordHash) };

  it('does the same work for every name, known or unknown', async () => {
    const work = async (account: ExternalAccount | undefined): Promise<string[]> => {
      const checked: string[] = [];
      const counting: ExternalHashes = {
        matches: (hash) => {
          checked.push(costOf(hash)?.profile ?? 'none');
          return Promise.resolve(true);
        },
      };
      await createAccountCheck(() => accounts, counting)(account, 'x');
      return checked.toSorted();
    };
    const forUnknownName = await work(undefined);
    expect(forUnknownName).toEqual(['argon2id 8 1 1', 'bcrypt 12']);
    for (const account of testVectors) expect(await work(account)).toEqual(forUnknownName);
  });

  it('never accepts a decoy', async () => {
    const acceptAll: ExternalHashes = { matches: () => Promise.resolve(true) };
    expect(await createAccountCheck(() => accounts, acceptAll)(undefined, 'x')).toBe(false);
    const acceptDecoys: ExternalHashes = {
      matches: (hash) => Promise.resolve(!testVectors.some(({ passwordHash }) => passwordHash === hash)),
    };
    expect(await createAccountCheck(() => accounts, acceptDecoys)(testVectors[0], 'x')).toBe(false);
  });
});
