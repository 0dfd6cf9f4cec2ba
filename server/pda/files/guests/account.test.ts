import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../platform/http/route.ts';
import type { Transaction } from '../../storage/index.ts';
import { createGuestAccounts, type Guest, type GuestAccountParts } from './account.ts';

const caller = { address: '192.0.2.1' } as Caller;
const guest = { userId: 'grace', name: 'Grace', sessionId: 's' } as Guest;
const proof = { password: 'secret', passkey: undefined };

const createAccounts = (isStillValid: boolean) => {
  const tx = {} as Transaction;
  const run = async (_userId: string, work?: (tx: Transaction) => void): Promise<void> => work?.(tx);
  return createGuestAccounts({
    users: {
      hasPassword: () => true,
      verifyPassword: async () => () => isStillValid,
      update: (userId: string, _change: unknown, work?: (tx: Transaction) => void) => run(userId, work),
      remove: run,
    },
    owner: { accountLog: { record: () => undefined } },
    writer: { write: async <T>(work: (tx: Transaction) => T): Promise<T> => work(tx) },
    recordRefusal: async () => undefined,
  } as unknown as GuestAccountParts);
};

describe('a confirmed change of a guest', () => {
  it.each([true, false])('succeeds only if the password is still valid in the transaction: %s', async (isValid) => {
    const accounts = createAccounts(isValid);
    let hasChanged = false;
    const work = (): void => {
      hasChanged = true;
    };
    expect(await accounts.runConfirmed(guest, proof, 'passkey-removed', caller, work)).toBe(isValid);
    expect(hasChanged).toBe(isValid);
    expect(await accounts.changePassword(guest, proof, 'new secret', caller)).toBe(isValid);
    expect(await accounts.leave(guest, proof, caller)).toBe(isValid);
  });
});
