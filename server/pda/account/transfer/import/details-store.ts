import type { Database } from '../../../storage/index.ts';
import { findImportObstacle } from './activation-store.ts';

type FormerKeyRow = { kid: string; public_pem: string; created: number; retired: number };
export type TransferDetails = ReturnType<typeof createTransferDetails>;

/** Queries about an imported account, and about an account before an import. */
export const createTransferDetails = (db: Database) => {
  const selectFormerKeys = db.prepare<[], FormerKeyRow>(
    'SELECT kid, public_pem, created, retired FROM former_keys ORDER BY created, kid',
  );
  const prepareList = (sql: string) => db.prepare<[], string>(sql).pluck();
  const applications = prepareList('SELECT id FROM applications WHERE enabled = 1 ORDER BY id');
  const contracts = prepareList("SELECT id FROM contracts WHERE state IN ('joined', 'joining') ORDER BY id");
  const people = prepareList('SELECT name FROM users WHERE enabled = 1 ORDER BY name_key');
  const offers = prepareList('SELECT offer FROM offer_claims ORDER BY claimed');
  const functions = prepareList('SELECT id FROM functions WHERE enabled = 1 ORDER BY id');
  const exchange = prepareList('SELECT exchange FROM network WHERE participates = 1');
  return {
    formerKeys: (): FormerKeyRow[] => selectFormerKeys.all(),
    /** Returns what the owner must set up again on this server, and what resumes when the account is activated. */
    followUps: () => ({
      applications: applications.all(),
      contracts: contracts.all(),
      people: people.all(),
      offers: offers.all(),
      functions: functions.all(),
      exchange: exchange.get() ?? null,
    }),
    problem: (): string | undefined => findImportObstacle(db),
  };
};
