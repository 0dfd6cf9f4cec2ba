import { hash as argon2 } from '@node-rs/argon2';
import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../platform/log.ts';
import { createAccountCheck, noExternalAccounts, type ExternalAccount } from '../sign-in/external-accounts.ts';
import { hashCostOf, createExternalHashes, createDecoy, type ExternalHashes } from './external-hash.ts';

const salt = 'a'.repeat(22);
const digest = 'b'.repeat(43);
const argon2Hash = (memory: number, time: number, lanes: number): string =>
  `$argon2id$v=19$m=${memory},t=${time},p=${lanes}$${salt}$${digest}`;

describe('an external hash', () => {
  it.each([
    [argon2Hash(8, 1, 1), 'argon2id 8 1 1'],
    [argon2Hash(65_536, 4, 4), 'argon2id 65536 4 4'],
    [`$2b$12$${'a'.repeat(53)}`, 'bcrypt 12'],
    [`$2y$04$${'a'.repeat(53)}`, 'bcrypt 4'],
  ])('has a cost profile (%s)', (hash, profile) => {
    expect(hashCostOf(hash)?.profile).toBe(profile);
  });

  it.each([
    ['four gigabytes of memory', argon2Hash(4_194_304, 1, 1)],
    ['a hundred passes', argon2Hash(8, 100, 1)],
    ['too many lanes', argon2Hash(65_536, 1, 16)],
    ['less memory than its lanes need', argon2Hash(8, 1, 4)],
    ['zero passes', argon2Hash(8, 0, 1)],
    ['a different variant of argon2', argon2Hash(8, 1, 1).replace('argon2id', 'argon2i')],
    ['a suffix', `${argon2Hash(8, 1, 1)}$x`],
    ['an excessive bcrypt cost', `$2b$31$${'a'.repeat(53)}`],
    ['a bcrypt cost of zero', `$2b$00$${'a'.repeat(53)}`],
    ['an unknown format', 'secret'],
  ])('is refused if it has %s', async (_, hash) => {
    expect(hashCostOf(hash)).toBeUndefined();
    expect(await createExternalHashes(silentLog()).matches(hash, 'secret')).toBe(false);
  });

  it('matches only its password, and its decoy has the same cost and does not match the password', async () => {
    const hashes = createExternalHashes(silentLog());
    for (const hash of [await argon2('right', { memoryCost: 8, timeCost: 1, parallelism: 1 }), hashSync('right', 4)]) {
      expect(await hashes.matches(hash, 'right')).toBe(true);
      expect(await hashes.matches(hash, 'wrong')).toBe(false);
      expect(hashCostOf(createDecoy(hash))).toEqual(hashCostOf(hash));
      expect(await hashes.matches(createDecoy(hash), 'right')).toBe(false);
    }
  });
});

describe('the password check of an external account', () => {
  const createAccount = (name: string, passwordHash: string): ExternalAccount => ({
    name,
    passwordHash,
    holder: { kind: 'application', application: name, version: '1.0.0' },
  });
  const externalAccounts = [
    createAccount('one', argon2Hash(8, 1, 1)),
    createAccount('two', `$2b$12$${'a'.repeat(53)}`),
    createAccount('three', argon2Hash(8, 1, 1)),
  ];
  const accounts = { ...noExternalAccounts, hashes: () => externalAccounts.map(({ passwordHash }) => passwordHash) };

  it('does the same work for every name, known or unknown', async () => {
    const listCheckedProfiles = async (account: ExternalAccount | undefined): Promise<string[]> => {
      const checkedProfiles: string[] = [];
      const recordingHashes: ExternalHashes = {
        matches: (hash) => {
          checkedProfiles.push(hashCostOf(hash)?.profile ?? 'none');
          return Promise.resolve(true);
        },
      };
      await createAccountCheck(() => accounts, recordingHashes)(account, 'x');
      return checkedProfiles.toSorted();
    };
    const profilesForUnknownName = await listCheckedProfiles(undefined);
    expect(profilesForUnknownName).toEqual(['argon2id 8 1 1', 'bcrypt 12']);
    for (const account of externalAccounts) expect(await listCheckedProfiles(account)).toEqual(profilesForUnknownName);
  });

  it('never accepts a decoy', async () => {
    const acceptAll: ExternalHashes = { matches: () => Promise.resolve(true) };
    expect(await createAccountCheck(() => accounts, acceptAll)(undefined, 'x')).toBe(false);
    const acceptDecoys: ExternalHashes = {
      matches: (hash) => Promise.resolve(!externalAccounts.some(({ passwordHash }) => passwordHash === hash)),
    };
    expect(await createAccountCheck(() => accounts, acceptDecoys)(externalAccounts[0], 'x')).toBe(false);
  });
});
