import type { Database, Transaction } from '../../storage/index.ts';

type MemberState = 'joining' | 'joined' | 'leaving' | 'failed';

/** Times are Unix milliseconds. */
export type MemberRow = {
  id: string;
  state: MemberState;
  /** Increases whenever joining or leaving begins. */
  turn: number;
  /** Contracts service and PDA name of the last request to join; null if that service does not know this PDA. */
  service: string | null;
  pda_name: string | null;
  /** host[:port] of this PDA in that request; also null if the request was sent by an earlier version. */
  address: string | null;
  description: string | null;
  joined: number | null;
  /** Time at which joining or leaving began. */
  since: number;
  attempts: number;
  next_attempt: number;
  problem: string | null;
};

/** Cached key set of a contracts service. `keys` is JSON; `fetched` is in Unix milliseconds. */
type KeysRow = { keys: string; fetched: number };

const COLUMNS =
  'id, state, turn, service, pda_name, address, description, joined, since, attempts, next_attempt, problem';

/** Contracts service, and the name and address by which it knows this PDA. */
export type Registration = { service: string; name: string; address: string };

export type ContractStore = ReturnType<typeof createContractStore>;

export const createContractStore = (db: Database) => {
  const selectAll = db.prepare<[], MemberRow>(`SELECT ${COLUMNS} FROM contracts ORDER BY id`);
  const findById = db.prepare<[string], MemberRow>(`SELECT ${COLUMNS} FROM contracts WHERE id = ?`);
  const begin = db.prepare<[{ id: string; state: MemberState; now: number }]>(
    `INSERT INTO contracts (id, state, since, next_attempt) VALUES (:id, :state, :now, :now)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, turn = turn + 1, since = excluded.since, joined = NULL,
       attempts = 0, next_attempt = excluded.next_attempt, problem = NULL`,
  );
  const setRegistration = db.prepare(
    'UPDATE contracts SET service = ?, pda_name = ?, address = ? WHERE id = ? AND turn = ?',
  );
  const setOutcome = db.prepare<
    [Pick<MemberRow, 'id' | 'state' | 'joined' | 'attempts' | 'next_attempt' | 'problem'> & { turn: number }]
  >(
    `UPDATE contracts SET state = :state, joined = coalesce(:joined, joined), attempts = :attempts,
       next_attempt = :next_attempt, problem = :problem WHERE id = :id AND turn = :turn`,
  );
  const setDescription = db.prepare('UPDATE contracts SET description = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM contracts WHERE id = ? AND turn = ?');
  const keysOf = db.prepare<[string], KeysRow>('SELECT keys, fetched FROM contract_keys WHERE service = ?');
  const setKeys = db.prepare(
    `INSERT INTO contract_keys (service, keys, fetched) VALUES (?, ?, ?)
     ON CONFLICT (service) DO UPDATE SET keys = excluded.keys, fetched = excluded.fetched`,
  );

  /** Cached committed rows by id. Each contracted request reads a row. */
  let cache: ReadonlyMap<string, MemberRow> | undefined;
  const members = (): ReadonlyMap<string, MemberRow> => {
    const rows = cache ?? new Map(selectAll.all().map((row) => [row.id, row]));
    // A running transaction may be rolled back.
    if (!db.inTransaction) cache = rows;
    return rows;
  };
  const invalidate = (tx: Transaction): void =>
    tx.afterCommit(() => {
      cache = undefined;
    });

  return {
    /** Can miss changes of a running transaction. */
    list: (): MemberRow[] => [...members().values()],
    /** Can miss changes of a running transaction, unlike `findWithin`. */
    find: (id: string): MemberRow | undefined => members().get(id),
    findWithin: (_tx: Transaction, id: string): MemberRow | undefined => findById.get(id),
    begin(tx: Transaction, id: string, state: 'joining' | 'leaving', now: number): void {
      begin.run({ id, state, now });
      invalidate(tx);
    },
    /**
     * Stores the registration before a request to join; undefined: the service no longer knows this PDA. Returns false
     * if joining or leaving has begun again or the membership has been removed since `turn` was read.
     */
    setRegistration(
      tx: Transaction,
      { id, turn }: Pick<MemberRow, 'id' | 'turn'>,
      registration: Registration | undefined,
    ): boolean {
      invalidate(tx);
      const { service = null, name = null, address = null } = registration ?? {};
      return setRegistration.run(service, name, address, id, turn).changes > 0;
    },
    /** Has no effect if joining or leaving has begun again or the membership has been removed since the request. */
    setOutcome(tx: Transaction, row: Parameters<typeof setOutcome.run>[0]): void {
      setOutcome.run(row);
      invalidate(tx);
    },
    setDescription(tx: Transaction, id: string, description: string): void {
      setDescription.run(description, id);
      invalidate(tx);
    },
    remove(tx: Transaction, id: string, turn: number): void {
      remove.run(id, turn);
      invalidate(tx);
    },

    keysOf: (service: string): KeysRow | undefined => keysOf.get(service),
    setKeys: (_tx: Transaction, service: string, keys: string, fetched: number) =>
      void setKeys.run(service, keys, fetched),
  };
};
