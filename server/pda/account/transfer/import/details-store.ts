import type { Database } from '../../../storage/index.ts';
import { importObstacle } from './activation-store.ts';

export type FormerKeyRow = { kid: string; public_pem: string; created: number; retired: number };
export type MoveDetails = ReturnType<typeof createMoveDetails>;

/** Creates the queries about an imported account, and about an account before an import. */
export const createMoveDetails = (db: Database) => {
  const keys = db.prepare<[], FormerKeyRow>(
    'SELECT kid, public_pem, created, retired FROM former_keys ORDER BY created, kid',
  );
  const names = (sql: string) => db.prepare<[], string>(sql).pluck();
  const applications = names('SELECT id FROM applications WHERE enabled = 1 ORDER BY id');
  const contracts = names("SELECT id FROM contracts WHERE state IN ('joined', 'joining') ORDER BY id");
  const people = names('SELECT name FROM users WHERE enabled = 1 ORDER BY name_key');
  const offers = names('SELECT offer FROM offer_claims ORDER BY claimed');
  const functions = names('SELECT id FROM functions WHERE enabled = 1 ORDER BY id');
  const exchange = names('SELECT exchange FROM network WHERE takes_part = 1');
  return {
    formerKeys: (): FormerKeyRow[] => keys.all(),
    /** Returns what the owner has to set up again on the new server. */
    followUps: () => ({
      applications: applications.all(),
      contracts: contracts.all(),
      people: people.all(),
      offers: offers.all(),
      functions: functions.all(),
      exchange: exchange.get() ?? null,
    }),
    /** Returns why nothing can be imported into this account; undefined if it is possible. */
    problem: (): string | undefined => importObstacle(db),
  };
};
