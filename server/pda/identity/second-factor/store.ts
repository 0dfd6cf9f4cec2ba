import type { Database, Transaction } from '../../storage/index.ts';

export type FactorRow = {
  /** 1: asked for on this machine too. */
  always: number;
  /** Of the authenticator app; null: there is none. */
  secret: Buffer | null;
  secret_since: number | null;
  /** Step of the code that was used last. */
  last_step: number;
  /** By which recovery codes are known again. */
  salt: Buffer | null;
  codes_made: number | null;
  /** When a recovery code was used that the owner has not said to have seen. */
  recovery_used: number | null;
  wrong_tries: number;
  last_wrong: number | null;
};
export type PasskeyRow = {
  id: string;
  credential: string;
  rp_id: string;
  public_key: Buffer;
  counter: number;
  name: string;
  created: number;
  last_used: number | null;
};

export type FactorStore = ReturnType<typeof createFactorStore>;

export const createFactorStore = (db: Database) => {
  const row = db.prepare<[], FactorRow>('SELECT * FROM second_factor');
  const passkeys = db.prepare<[], PasskeyRow>('SELECT * FROM passkeys ORDER BY created, id');
  const codesLeft = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM recovery_codes WHERE used IS NULL');
  const codeIsLeft = db.prepare<[Buffer], { n: number }>(
    'SELECT count(*) AS n FROM recovery_codes WHERE hash = ? AND used IS NULL',
  );
  const setSecret = db.prepare('UPDATE second_factor SET secret = ?, secret_since = ?, last_step = ?');
  const setAlways = db.prepare('UPDATE second_factor SET always = ?');
  const useStep = db.prepare('UPDATE second_factor SET last_step = :step WHERE secret = :secret AND last_step < :step');
  const useCode = db.prepare('UPDATE recovery_codes SET used = ? WHERE hash = ? AND used IS NULL');
  const noteRecovery = db.prepare('UPDATE second_factor SET recovery_used = ?');
  const noteWrong = db.prepare('UPDATE second_factor SET wrong_tries = wrong_tries + ?, last_wrong = ?');
  const seen = db.prepare('UPDATE second_factor SET recovery_used = NULL, wrong_tries = 0, last_wrong = NULL');
  const usePasskey = db.prepare(
    // A counter that stands still is one that is not kept; any other has to grow: a copy of the passkey falls behind.
    `UPDATE passkeys SET counter = :counter, last_used = :now
     WHERE id = :id AND (counter < :counter OR (counter = 0 AND :counter = 0))`,
  );
  const insertPasskey = db.prepare(
    `INSERT INTO passkeys (id, credential, rp_id, public_key, counter, name, created)
     VALUES (:id, :credential, :rp_id, :public_key, :counter, :name, :created)`,
  );
  const removePasskey = db.prepare('DELETE FROM passkeys WHERE id = ?');
  const renamePasskey = db.prepare('UPDATE passkeys SET name = ? WHERE id = ?');
  const removePasskeys = db.prepare('DELETE FROM passkeys');
  const removeCodes = db.prepare('DELETE FROM recovery_codes');
  const insertCode = db.prepare('INSERT INTO recovery_codes (hash) VALUES (?)');
  const setSalt = db.prepare('UPDATE second_factor SET salt = ?, codes_made = ?');

  const rowNow = (): FactorRow => {
    const found = row.get();
    if (found === undefined) throw new Error('the settings of the second factor are missing');
    return found;
  };
  const isOn = (): boolean => rowNow().secret !== null || passkeys.all().length > 0;

  return {
    row: rowNow,
    isOn,
    /** Returns true if the owner requires it for requests of this origin. */
    isAsked: ({ local }: { local: boolean }): boolean => (!local || rowNow().always === 1) && isOn(),
    passkeys: (): PasskeyRow[] => passkeys.all(),
    codesLeft: (): number => codesLeft.get()?.n ?? 0,
    codeIsLeft: (hash: Buffer): boolean => codeIsLeft.get(hash)?.n === 1,

    setSecret(tx: Transaction, secret: Buffer | null, since: number | null, step: number): void {
      void tx;
      setSecret.run(secret, since, step);
    },
    setAlways(tx: Transaction, always: boolean): void {
      void tx;
      setAlways.run(always ? 1 : 0);
    },
    /** Whether this step of this secret was the first use of it or any later one. */
    useStep(tx: Transaction, secret: Buffer, step: number): boolean {
      void tx;
      return useStep.run({ secret, step }).changes === 1;
    },
    useCode(tx: Transaction, hash: Buffer, now: number): boolean {
      void tx;
      if (useCode.run(now, hash).changes !== 1) return false;
      noteRecovery.run(now);
      return true;
    },
    /** False: it is gone, or its counter has not grown. */
    usePasskey(tx: Transaction, id: string, counter: number, now: number): boolean {
      void tx;
      return usePasskey.run({ id, counter, now }).changes === 1;
    },
    insertPasskey(tx: Transaction, passkey: Omit<PasskeyRow, 'last_used'>): void {
      void tx;
      insertPasskey.run(passkey);
    },
    removePasskey(tx: Transaction, id: string): boolean {
      void tx;
      return removePasskey.run(id).changes === 1;
    },
    renamePasskey(tx: Transaction, id: string, name: string): boolean {
      void tx;
      return renamePasskey.run(name, id).changes === 1;
    },
    setCodes(tx: Transaction, salt: Buffer, hashes: readonly Buffer[], now: number): void {
      void tx;
      removeCodes.run();
      for (const hash of hashes) insertCode.run(hash);
      setSalt.run(salt, now);
    },
    noteWrong(tx: Transaction, times: number, now: number): void {
      void tx;
      noteWrong.run(times, now);
    },
    seen(tx: Transaction): void {
      void tx;
      seen.run();
    },
    /** As it was before there was any. */
    clear(tx: Transaction): void {
      void tx;
      setSecret.run(null, null, 0);
      setAlways.run(0);
      setSalt.run(null, null);
      removeCodes.run();
      removePasskeys.run();
      seen.run();
    },
  };
};
