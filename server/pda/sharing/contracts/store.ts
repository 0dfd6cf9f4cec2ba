import type { Database, Transaction } from '../../storage/index.ts';

export type MemberState = 'joining' | 'joined' | 'leaving' | 'failed';

/** A contract that the owner joined, or is leaving. Times are Unix milliseconds. */
export type MemberRow = {
  id: string;
  state: MemberState;
  turn: number;
  service: string | null;
  pda_name: string | null;
  description: string | null;
  joined: number | null;
  since: number;
  attempts: number;
  next_attempt: number;
  problem: string | null;
};

export type KeysRow = { keys: string; fetched: number };

const COLUMNS = 'id, state, turn, service, pda_name, description, joined, since, attempts, next_attempt, problem';

export type ContractStore = ReturnType<typeof createContractStore>;

export const createContractStore = (db: Database) => {
  const all = db.prepare<[], MemberRow>(`SELECT ${COLUMNS} FROM contracts ORDER BY id`);
  const one = db.prepare<[string], MemberRow>(`SELECT ${COLUMNS} FROM contracts WHERE id = ?`);
  const begin = db.prepare<[{ id: string; state: MemberState; now: number }]>(
    `INSERT INTO contracts (id, state, since, next_attempt) VALUES (:id, :state, :now, :now)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, turn = turn + 1, since = excluded.since, joined = NULL,
       attempts = 0, next_attempt = excluded.next_attempt, problem = NULL`,
  );
  const telling = db.prepare('UPDATE contracts SET service = ?, pda_name = ? WHERE id = ? AND turn = ?');
  const settled = db.prepare<
    [Pick<MemberRow, 'id' | 'state' | 'joined' | 'attempts' | 'next_attempt' | 'problem'> & { turn: number }]
  >(
    `UPDATE contracts SET state = :state, joined = coalesce(:joined, joined), attempts = :attempts,
       next_attempt = :next_attempt, problem = :problem WHERE id = :id AND turn = :turn`,
  );
  const describe = db.prepare('UPDATE contracts SET description = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM contracts WHERE id = ? AND turn = ?');
  const keysOf = db.prepare<[string], KeysRow>('SELECT keys, fetched FROM contract_keys WHERE service = ?');
  const setKeys = db.prepare(
    `INSERT INTO contract_keys (service, keys, fetched) VALUES (?, ?, ?)
     ON CONFLICT (service) DO UPDATE SET keys = excluded.keys, fetched = excluded.fetched`,
  );

  /** What is committed, by id: asked for at each contracted call. */
  let known: ReadonlyMap<string, MemberRow> | undefined;
  const members = (): ReadonlyMap<string, MemberRow> => (known ??= new Map(all.all().map((row) => [row.id, row])));
  const forget = (tx: Transaction): void =>
    tx.afterCommit(() => {
      known = undefined;
    });

  return {
    /** Those that are on the disk. Not for use within a transaction. */
    list: (): MemberRow[] => [...members().values()],
    find: (id: string): MemberRow | undefined => members().get(id),
    findWithin(tx: Transaction, id: string): MemberRow | undefined {
      void tx;
      return one.get(id);
    },
    /** The owner wants it so from now on. */
    begin(tx: Transaction, id: string, state: 'joining' | 'leaving', now: number): void {
      begin.run({ id, state, now });
      forget(tx);
    },
    /** This service is about to be told, under this name. False when the owner has changed their mind meanwhile. */
    telling(tx: Transaction, { id, turn }: Pick<MemberRow, 'id' | 'turn'>, service: string, name: string): boolean {
      forget(tx);
      return telling.run(service, name, id, turn).changes > 0;
    },
    /** What came of it, unless the owner has changed their mind meanwhile. */
    settled(tx: Transaction, row: Parameters<typeof settled.run>[0]): void {
      settled.run(row);
      forget(tx);
    },
    describe(tx: Transaction, id: string, description: string): void {
      describe.run(description, id);
      forget(tx);
    },
    remove(tx: Transaction, id: string, turn: number): void {
      remove.run(id, turn);
      forget(tx);
    },

    keysOf: (service: string): KeysRow | undefined => keysOf.get(service),
    setKeys(tx: Transaction, service: string, keys: string, fetched: number): void {
      void tx;
      setKeys.run(service, keys, fetched);
    },
  };
};
