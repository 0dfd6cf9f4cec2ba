import { addressGroup } from '../../../../platform/limits/address-group.ts';
import { isLoopback } from '../../../../platform/auth/caller.ts';
import { MAX_SIGN_IN_NETWORKS, SIGN_IN_NETWORK_MS } from '../../../../wire/limits.ts';
import type { Database, Transaction } from '../../../storage/index.ts';

export type SignInAccount = 'owner' | `user:${string}` | `application:${string}` | `offer:${string}`;

export type SignInNetworkStore = ReturnType<typeof createSignInNetworkStore>;

export const createSignInNetworkStore = (db: Database) => {
  const selectLastSignIn = db
    .prepare<[string, string], number>('SELECT last_sign_in FROM sign_in_networks WHERE account = ? AND network = ?')
    .pluck();
  const save = db.prepare('INSERT OR REPLACE INTO sign_in_networks (account, network, last_sign_in) VALUES (?, ?, ?)');
  const deleteSurplus = db.prepare<[{ account: string; most: number }]>(
    `DELETE FROM sign_in_networks WHERE account = :account AND id NOT IN
       (SELECT id FROM sign_in_networks WHERE account = :account ORDER BY id DESC LIMIT :most)`,
  );
  // Also deletes rows with times that are far in the future because the clock was wrong.
  const deleteOld = db.prepare('DELETE FROM sign_in_networks WHERE abs(last_sign_in - ?) > ?');
  const deleteAll = db.prepare('DELETE FROM sign_in_networks WHERE account = ?');

  return {
    /**
     * Returns true if the account has recently signed in from the network of the address. Runs the same query for an
     * unknown account, so that the duration reveals nothing.
     */
    has(account: SignInAccount | undefined, address: string, now: number): boolean {
      const time = selectLastSignIn.get(account ?? '', addressGroup(address));
      return time !== undefined && Math.abs(now - time) <= SIGN_IN_NETWORK_MS;
    },
    /**
     * Records a sign-in, unless its address is unknown or loopback: all clients of a proxy on this machine share
     * loopback addresses.
     */
    save(_tx: Transaction, account: SignInAccount, address: string, now: number): void {
      deleteOld.run(now, SIGN_IN_NETWORK_MS);
      if (address === '' || isLoopback(address, 'localhost')) return;
      save.run(account, addressGroup(address), now);
      deleteSurplus.run({ account, most: MAX_SIGN_IN_NETWORKS });
    },
    remove: (_tx: Transaction, account: SignInAccount) => void deleteAll.run(account),
  };
};
