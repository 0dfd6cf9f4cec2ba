import type { Database, Transaction } from '../../storage/index.ts';

/** The owner's settings. Flags are 0 or 1. */
export type SettingsRow = { exchange: string | null; contracts: string | null; participates: number; reports: number };
/** Times are Unix milliseconds. */
export type RegistrationRow = {
  exchange: string;
  address: string;
  /** Key id that the exchange has verified. */
  kid: string | null;
  /** First successful registration. */
  since: number | null;
  refreshed: number | null;
  attempts: number;
  next_attempt: number;
  problem: string | null;
};
export type ListName = 'applications' | 'dataplugs' | 'offers' | 'keys';
export type ListRow = {
  etag: string | null;
  /** Unix milliseconds of the last read. */
  read: number;
  body: string;
};
export type PlugRow = { application: string; exchange: string; name: string; name_key: string; password_hash: string };
export type ClaimRow = {
  offer: string;
  exchange: string;
  debit_key: string;
  login: string;
  password_hash: string;
  /** Unix milliseconds. */
  claimed: number;
  /** Offer at the time of the claim, as JSON. */
  details: string;
};

export type ExchangeStore = ReturnType<typeof createExchangeStore>;

export const createExchangeStore = (db: Database) => {
  const settings = db.prepare<[], SettingsRow>('SELECT exchange, contracts, participates, reports FROM network');
  const setSettings = db.prepare(
    'UPDATE network SET exchange = :exchange, contracts = :contracts, participates = :participates, reports = :reports',
  );
  const registrations = db.prepare<[], RegistrationRow>('SELECT * FROM registrations ORDER BY exchange, address');
  const putRegistration = db.prepare(
    `INSERT INTO registrations (exchange, address, kid, since, refreshed, attempts, next_attempt, problem)
     VALUES (:exchange, :address, :kid, :since, :refreshed, :attempts, :next_attempt, :problem)
     ON CONFLICT (exchange, address) DO UPDATE SET kid = excluded.kid, since = excluded.since, refreshed = excluded.refreshed,
       attempts = excluded.attempts, next_attempt = excluded.next_attempt, problem = excluded.problem`,
  );
  const dropRegistration = db.prepare('DELETE FROM registrations WHERE exchange = ? AND address = ?');
  const list = db.prepare<[string, string], ListRow>(
    'SELECT etag, read, body FROM exchange_lists WHERE exchange = ? AND list = ?',
  );
  const putList = db.prepare(
    `INSERT INTO exchange_lists (exchange, list, etag, read, body) VALUES (:exchange, :list, :etag, :read, :body)
     ON CONFLICT (exchange, list) DO UPDATE SET etag = excluded.etag, read = excluded.read, body = excluded.body`,
  );
  const setRead = db.prepare('UPDATE exchange_lists SET read = ? WHERE exchange = ? AND list = ?');
  const dropListsExcept = db.prepare('DELETE FROM exchange_lists WHERE exchange IS NOT ?');
  const dropList = db.prepare('DELETE FROM exchange_lists WHERE exchange = ? AND list = ?');
  const plugs = db.prepare<[], PlugRow>('SELECT * FROM data_plugs ORDER BY application');
  const insertPlug = db.prepare(
    `INSERT INTO data_plugs (application, exchange, name, name_key, password_hash)
     VALUES (:application, :exchange, :name, :name_key, :password_hash)`,
  );
  const dropPlugs = db.prepare('DELETE FROM data_plugs');
  const claims = db.prepare<[], ClaimRow>('SELECT * FROM offer_claims ORDER BY claimed DESC, offer');
  const claim = db.prepare<[string], ClaimRow>('SELECT * FROM offer_claims WHERE offer = ?');
  const putClaim = db.prepare(
    `INSERT INTO offer_claims (offer, exchange, debit_key, login, password_hash, claimed, details)
     VALUES (:offer, :exchange, :debit_key, :login, :password_hash, :claimed, :details)
     ON CONFLICT (offer) DO UPDATE SET exchange = excluded.exchange, debit_key = excluded.debit_key, login = excluded.login,
       password_hash = excluded.password_hash, claimed = excluded.claimed, details = excluded.details`,
  );
  const dropClaim = db.prepare('DELETE FROM offer_claims WHERE offer = ?');
  const useToken = db.prepare('INSERT INTO exchange_tokens (jti, expires) VALUES (?, ?) ON CONFLICT (jti) DO NOTHING');
  const dropTokens = db.prepare('DELETE FROM exchange_tokens WHERE expires < ?');

  /** Committed rows, cached because sign-ins and the requests of providers read them. */
  let cache: { plugs: readonly PlugRow[]; claims: readonly ClaimRow[] } | undefined;
  const readCached = () => (cache ??= { plugs: plugs.all(), claims: claims.all() });
  const invalidateCache = (tx: Transaction): void =>
    tx.afterCommit(() => {
      cache = undefined;
    });

  return {
    settings(): SettingsRow {
      const row = settings.get();
      if (row === undefined) throw new Error('The network settings are missing.');
      return row;
    },
    setSettings: (_tx: Transaction, row: SettingsRow) => void setSettings.run(row),
    registrations: (): RegistrationRow[] => registrations.all(),
    putRegistration: (_tx: Transaction, row: RegistrationRow) => void putRegistration.run(row),
    dropRegistration: (_tx: Transaction, { exchange, address }: Pick<RegistrationRow, 'exchange' | 'address'>) =>
      void dropRegistration.run(exchange, address),
    list: (exchange: string, name: ListName): ListRow | undefined => list.get(exchange, name),
    putList: (_tx: Transaction, row: ListRow & { exchange: string; list: ListName }) => void putList.run(row),
    setRead: (_tx: Transaction, exchange: string, name: ListName, read: number) =>
      void setRead.run(read, exchange, name),
    dropList: (_tx: Transaction, exchange: string, name: ListName) => void dropList.run(exchange, name),
    /** Deletes the lists of other exchanges; null: of all exchanges. */
    dropListsExcept: (_tx: Transaction, exchange: string | null) => void dropListsExcept.run(exchange),
    /** Ignores uncommitted changes. */
    plugs: (): readonly PlugRow[] => readCached().plugs,
    plugsWithin: (_tx: Transaction): PlugRow[] => plugs.all(),
    setPlugs(tx: Transaction, rows: readonly PlugRow[]): void {
      dropPlugs.run();
      for (const row of rows) insertPlug.run(row);
      invalidateCache(tx);
    },
    /** Ignores uncommitted changes. Returns the newest first. */
    claims: (): readonly ClaimRow[] => readCached().claims,
    claimWithin: (_tx: Transaction, offer: string): ClaimRow | undefined => claim.get(offer),
    putClaim(tx: Transaction, row: ClaimRow): void {
      putClaim.run(row);
      invalidateCache(tx);
    },
    dropClaim(tx: Transaction, offer: string): void {
      dropClaim.run(offer);
      invalidateCache(tx);
    },
    /** Stores that a token was used. Returns false if the token was used before. Deletes expired tokens. */
    useToken(_tx: Transaction, jti: string, expires: number, now: number): boolean {
      dropTokens.run(now);
      return useToken.run(jti, expires).changes > 0;
    },
  };
};
