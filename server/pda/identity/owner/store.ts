import type { Database, Transaction } from '../../storage/index.ts';

/** `created`: Unix milliseconds. */
export type OwnerRow = { id: string; name: string; password_hash: string; created: number };
/** Times are in Unix milliseconds. */
export type KeyRow = { kid: string; private_pem: string; public_pem: string; created: number; retired: number | null };
export type Holder = {
  kind: 'owner' | 'application' | 'service' | 'user' | 'offer';
  application: string | null;
  user_id: string | null;
  offer: string | null;
};
/** Times are in Unix milliseconds. */
export type SessionRow = Holder & {
  jti: string;
  issuer: string;
  address: string;
  user_agent: string;
  created: number;
  last_seen: number;
  ended: number | null;
};

export type OwnerStore = ReturnType<typeof createOwnerStore>;

export const createOwnerStore = (db: Database) => {
  const owner = db.prepare<[], OwnerRow>('SELECT id, name, password_hash, created FROM owner');
  const insertOwner = db.prepare('INSERT INTO owner (id, name, password_hash, created) VALUES (?, ?, ?, ?)');
  const setPassword = db.prepare('UPDATE owner SET password_hash = ?');
  const keys = db.prepare<[], KeyRow>(
    'SELECT kid, private_pem, public_pem, created, retired FROM signing_keys ORDER BY created DESC, kid',
  );
  const insertKey = db.prepare('INSERT INTO signing_keys (kid, private_pem, public_pem, created) VALUES (?, ?, ?, ?)');
  const retireKeys = db.prepare('UPDATE signing_keys SET retired = ? WHERE retired IS NULL');
  const dropKeys = db.prepare('DELETE FROM signing_keys WHERE retired < ?');
  const insertSession = db.prepare(
    `INSERT INTO sessions (jti, kind, application, user_id, offer, issuer, address, user_agent, created, last_seen)
     VALUES (:jti, :kind, :application, :user_id, :offer, :issuer, :address, :user_agent, :created, :last_seen)`,
  );
  const selectHolder = db.prepare<[string], Holder>(
    'SELECT kind, application, user_id, offer FROM sessions WHERE jti = ? AND ended IS NULL',
  );
  const selectLiveSessions = db.prepare<[number], SessionRow>(
    'SELECT * FROM sessions WHERE ended IS NULL AND created > ? ORDER BY last_seen DESC',
  );
  const previousSignIn = db
    .prepare<[string], number | null>(
      `SELECT max(created) FROM sessions WHERE kind = 'owner'
         AND created < coalesce((SELECT created FROM sessions WHERE kind = 'owner' AND jti = ?), 9e15)`,
    )
    .pluck();
  // Sessions without an address are this PDA's own status checks.
  const signInIssuer = db
    .prepare<[string], string>(
      `SELECT issuer FROM sessions WHERE kind = 'application' AND application = ? AND address <> '' ORDER BY created DESC, rowid DESC LIMIT 1`,
    )
    .pluck();
  const setLastSeen = db.prepare('UPDATE sessions SET last_seen = ? WHERE jti = ? AND ended IS NULL');
  const dropSessions = db.prepare('DELETE FROM sessions WHERE created < ?');

  /** Holders by session id. A commit that ends sessions clears the cache, so their tokens are refused immediately. */
  const holderCache = new Map<string, Holder>();
  const listeners = new Set<() => void>();
  const clearCache = (tx: Transaction): void =>
    tx.afterCommit(() => {
      holderCache.clear();
      for (const listener of listeners) listener();
    });

  const prepareEnd = (condition: string) => {
    const end = db.prepare<[number, string]>(`UPDATE sessions SET ended = ? WHERE ended IS NULL AND ${condition}`);
    return (tx: Transaction, value: string, time: number): number => {
      clearCache(tx);
      return end.run(time, value).changes;
    };
  };

  return {
    owner: (): OwnerRow | undefined => owner.get(),
    insertOwner: (_tx: Transaction, row: OwnerRow) =>
      void insertOwner.run(row.id, row.name, row.password_hash, row.created),
    setPassword: (_tx: Transaction, hash: string) => void setPassword.run(hash),
    keys: (): KeyRow[] => keys.all(),
    insertKey: (_tx: Transaction, row: Omit<KeyRow, 'retired'>) =>
      void insertKey.run(row.kid, row.private_pem, row.public_pem, row.created),
    retireKeys: (_tx: Transaction, time: number) => void retireKeys.run(time),
    dropKeysRetiredBefore: (_tx: Transaction, time: number) => void dropKeys.run(time),
    insertSession: (_tx: Transaction, row: Omit<SessionRow, 'ended'>) => void insertSession.run(row),
    onSessionChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Returns undefined if the session has ended or never existed. */
    holderOf(jti: string): Holder | undefined {
      const cachedHolder = holderCache.get(jti);
      if (cachedHolder !== undefined) return cachedHolder;
      const row = selectHolder.get(jti);
      if (row !== undefined) holderCache.set(jti, row);
      return row;
    },
    liveSessions: (createdAfter: number): SessionRow[] => selectLiveSessions.all(createdAfter),
    previousSignIn: (jti: string): number | undefined => previousSignIn.get(jti) ?? undefined,
    signInIssuer: (application: string): string | undefined => signInIssuer.get(application),
    setLastSeen: (_tx: Transaction, jti: string, time: number) => void setLastSeen.run(time, jti),
    end: prepareEnd('jti = ?'),
    endAllBut: prepareEnd('jti <> ?'),
    endSessionsOfApplication: prepareEnd(`kind = 'application' AND application = ?`),
    endSessionsOfOffer: prepareEnd('offer = ?'),
    endSessionsOfUser: prepareEnd('user_id = ?'),
    dropSessionsBefore(tx: Transaction, time: number): void {
      clearCache(tx);
      dropSessions.run(time);
    },
  };
};
