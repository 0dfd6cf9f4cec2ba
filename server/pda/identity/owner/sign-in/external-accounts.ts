import { nameKey } from '../../../../wire/users.ts';
import type { Transaction } from '../../../storage/index.ts';
import { hashCostOf, createDecoy, type ExternalHashes } from '../password/external-hash.ts';

/** Account of a Data Plug, or of the provider of a claimed Offer. */
export type ExternalAccount = {
  name: string;
  passwordHash: string;
  holder: { kind: 'application'; application: string; version: string } | { kind: 'offer'; offer: string };
};

export type ExternalAccounts = {
  findByName(name: string): ExternalAccount | undefined;
  exists(tx: Transaction, account: ExternalAccount): boolean;
  /** Returns all password hashes, so that the duration of a check does not reveal which account was tried. */
  hashes(): readonly string[];
};

export const noExternalAccounts: ExternalAccounts = {
  findByName: () => undefined,
  exists: () => false,
  hashes: () => [],
};

const COST_PROFILES_MAX = 4;

/**
 * Creates the password check of external accounts. Each attempt checks one hash per cost profile: of up to
 * COST_PROFILES_MAX profiles and of the account's own, so that its duration does not reveal which account, if any, has
 * the name.
 */
export const createAccountCheck = (accounts: () => ExternalAccounts, hashes: ExternalHashes) => {
  const sampleHashes = (): Map<string, string> => {
    const samples = new Map<string, string>();
    for (const hash of accounts().hashes()) {
      const profile = hashCostOf(hash)?.profile;
      if (profile !== undefined && !samples.has(profile) && samples.size < COST_PROFILES_MAX)
        samples.set(profile, hash);
    }
    return samples;
  };

  return async (account: ExternalAccount | undefined, password: string): Promise<boolean> => {
    const ownProfile = account === undefined ? undefined : hashCostOf(account.passwordHash)?.profile;
    const samples = sampleHashes();
    if (ownProfile !== undefined && account !== undefined) samples.set(ownProfile, account.passwordHash);
    const checks = [...samples].map(async ([profile, hash]) => {
      const matches = await hashes.matches(profile === ownProfile ? hash : createDecoy(hash), password);
      return matches && profile === ownProfile;
    });
    return (await Promise.all(checks)).includes(true);
  };
};

export const isSameName = (name: string, other: string): boolean => nameKey(name) === nameKey(other);
