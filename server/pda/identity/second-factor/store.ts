import { passkeyUseSql, type PasskeyRow } from '../../../platform/auth/passkeys/rows.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/** Times are in Unix milliseconds. */
export type FactorRow = {
  /** 1 if the factor is required on this machine, too. */
  always: number;
  secret: Buffer | null;
  secret_since: number | null;
  /** Time step (RFC 6238) of the last app code that was used. */
  last_step: number;
  salt: Buffer | null;
  codes_made: number | null;
  /** Last use of a recovery code that the owner has not acknowledged. */
  recovery_used: number | null;
  /** Number of second factors that were refused, with a correct password, since the owner last acknowledged them. */
  wrong_tries: number;
  last_wrong: number | null;
};
export type FactorStore = ReturnType<typeof createFactorStore>;

export const createFactorStore = (db: Database) => {
  const selectSettings = db.prepare<[], FactorRow>('SELECT * FROM second_factor');
  const passkeys = db.prepare<[], PasskeyRow>('SELECT * FROM passkeys ORDER BY created, id');
  const countUnusedCodes = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM recovery_codes WHERE used IS NULL');
  const isCodeUnused = db.prepare<[Buffer], { n: number }>(
    'SELECT count(*) AS n FROM recovery_codes WHERE hash = ? AND used IS NULL',
  );
  const setSecret = db.prepare('UPDATE second_factor SET secret = ?, secret_since = ?, last_step = ?');
  const setAlways = db.prepare('UPDATE second_factor SET always = ?');
  const useStep = db.prepare('UPDATE second_factor SET last_step = :step WHERE secret = :secret AND last_step < :step');
  const useCode = db.prepare('UPDATE recovery_codes SET used = ? WHERE hash = ? AND used IS NULL');
  const recordRecovery = db.prepare('UPDATE second_factor SET recovery_used = ?');
  const recordFailures = db.prepare('UPDATE second_factor SET wrong_tries = wrong_tries + ?, last_wrong = ?');
  const acknowledge = db.prepare('UPDATE second_factor SET recovery_used = NULL, wrong_tries = 0, last_wrong = NULL');
  const usePasskey = db.prepare(passkeyUseSql('passkeys'));
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

  const readRow = (): FactorRow => {
    const settings = selectSettings.get();
    if (settings === undefined) throw new Error('the settings of the second factor are missing');
    return settings;
  };
  const isOn = (): boolean => readRow().secret !== null || passkeys.all().length > 0;

  return {
    row: readRow,
    isOn,
    isRequired: ({ local }: { local: boolean }): boolean => (!local || readRow().always === 1) && isOn(),
    passkeys: (): PasskeyRow[] => passkeys.all(),
    countUnusedCodes: (): number => countUnusedCodes.get()?.n ?? 0,
    isCodeUnused: (hash: Buffer): boolean => isCodeUnused.get(hash)?.n === 1,

    /** @param secret null to remove the app @param since time of the set-up @param step last used time step */
    setSecret: (_tx: Transaction, secret: Buffer | null, since: number | null, step: number) =>
      void setSecret.run(secret, since, step),
    setAlways: (_tx: Transaction, always: boolean) => void setAlways.run(always ? 1 : 0),
    useStep: (_tx: Transaction, secret: Buffer, step: number): boolean => useStep.run({ secret, step }).changes === 1,
    useCode(_tx: Transaction, hash: Buffer, now: number): boolean {
      if (useCode.run(now, hash).changes !== 1) return false;
      recordRecovery.run(now);
      return true;
    },
    /** Records a use. Returns false if the passkey was removed, or if it has a counter that has not increased. */
    usePasskey: (_tx: Transaction, id: string, counter: number, now: number): boolean =>
      usePasskey.run({ id, counter, now }).changes === 1,
    insertPasskey: (_tx: Transaction, passkey: Omit<PasskeyRow, 'last_used'>) => void insertPasskey.run(passkey),
    removePasskey: (_tx: Transaction, id: string): boolean => removePasskey.run(id).changes === 1,
    renamePasskey: (_tx: Transaction, id: string, name: string): boolean => renamePasskey.run(name, id).changes === 1,
    setCodes(_tx: Transaction, salt: Buffer, hashes: readonly Buffer[], now: number): void {
      removeCodes.run();
      for (const hash of hashes) insertCode.run(hash);
      setSalt.run(salt, now);
    },
    recordFailures: (_tx: Transaction, count: number, now: number) => void recordFailures.run(count, now),
    acknowledge: (_tx: Transaction) => void acknowledge.run(),
    clear(_tx: Transaction): void {
      setSecret.run(null, null, 0);
      setAlways.run(0);
      setSalt.run(null, null);
      removeCodes.run();
      removePasskeys.run();
      acknowledge.run();
    },
  };
};
