import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { EventService } from '../events/service.ts';
import type { Database, Writer } from '../storage/index.ts';
import { createAccessRecorder, createAccountNotes } from './access.ts';
import { createRefusals } from './refusals.ts';
import { ledgerRoutes } from './routes.ts';
import { createLedgerService, type KnownRecords } from './service.ts';
import { createLedgerStore } from './store.ts';

export type LedgerRoomParts = {
  db: Database;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  records: KnownRecords;
  /** What a person is called who has an account here. */
  personName: (userId: string) => string;
  /** The version of an application that the owner approved; empty when there is none. */
  approvedVersion: (application: string) => string;
  clock: Clock;
  log: Log;
};

/** The ledger, and all that writes into it, put together. */
export const createLedgerRoom = ({ db, ...parts }: LedgerRoomParts) => {
  const store = createLedgerStore(db);
  const ledger = createLedgerService({ ...parts, store });
  const refusals = createRefusals({ ...parts, ledger });
  return {
    ledger,
    refusals,
    newestSeq: store.newestSeq,
    noteAccount: createAccountNotes({ ledger, refusals }),
    recordAccess: createAccessRecorder({ ...parts, ledger, refusals }),
    routes: ledgerRoutes({ ledger, settle: refusals.settle }),
    async close(): Promise<void> {
      await refusals.close();
      ledger.close();
    },
  };
};
