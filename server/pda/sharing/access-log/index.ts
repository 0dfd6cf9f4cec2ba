import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { EventService } from '../../core/events/service.ts';
import { idPrefixOf, seqOfId, type Sequence } from '../../core/sequence.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Database, Writer } from '../../storage/index.ts';
import { createAccessRecorder, createAccountRecorder } from './recording/access-recorder.ts';
import { createAccessNames } from './names.ts';
import { ledgerExportRoutes } from './export/routes.ts';
import { createLedgerExports } from './export/service.ts';
import { createPublicReads } from './recording/public-reads.ts';
import { createRefusals } from './recording/refusals.ts';
import { ledgerRoutes } from './routes.ts';
import { createAccessLogService, type RecordLookup } from './service.ts';
import { createAccessLogStore } from './store.ts';

export type AccessLogModuleParts = {
  db: Database;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  sequence: Pick<Sequence, 'reserveThrough'>;
  userNameOf: (userId: string) => string;
  endpoints: { list(): readonly { path: string }[] };
  endpointNameOf: (endpoint: string) => string;
  owner: Pick<OwnerService, 'onSessionChange' | 'isSessionAlive'>;
  clock: Clock;
  log: Log;
};

export type RecordSource = RecordLookup['find'];

/** Creates the access log with its recorders, routes and exports. */
export const createAccessLogModule = ({ db, sequence, ...parts }: AccessLogModuleParts) => {
  const store = createAccessLogStore(db);
  sequence.reserveThrough(store.readNewestSeq());

  const recordSources: RecordSource[] = [];
  const records: RecordLookup = {
    find(seq) {
      for (const find of recordSources) {
        const record = find(seq);
        if (record !== undefined) return record;
      }
      return undefined;
    },
    seqOf: seqOfId,
    idPrefixOf,
  };
  const approvedVersion = createLateBinding<(application: string) => string>('the approved versions of applications');

  const names = createAccessNames({
    endpoints: () => parts.endpoints.list().map(({ path }) => path),
    endpointNameOf: parts.endpointNameOf,
  });
  names.addLookup('user', parts.userNameOf);
  const ledger = createAccessLogService({ ...parts, records, store, names });
  const refusals = createRefusals({ ...parts, ledger });
  return {
    ledger,
    recordRefusal: refusals.recordRefusal,
    publicReads: createPublicReads({ ...parts, ledger }),
    recordAccountEvent: createAccountRecorder({ ledger, refusals }),
    recordAccess: createAccessRecorder({
      ...parts,
      approvedVersion: (application) => approvedVersion.get()(application),
      ledger,
      refusals,
    }),
    /** Sources are queried in the order of registration. */
    addRecordSource: (source: RecordSource): void => void recordSources.push(source),
    names,
    setVersionLookup: approvedVersion.register,
    routes: [
      ...ledgerRoutes({ ledger, flushRefusals: refusals.flushBeforeRead }),
      ...ledgerExportRoutes({
        exports: createLedgerExports({ ...parts, ledger, names }),
        flushRefusals: refusals.flushBeforeRead,
      }),
    ] as const,
    async close(): Promise<void> {
      await refusals.close();
      ledger.close();
    },
  };
};

export type { AccessNames } from './names.ts';
export type { PublicRead, PublicReads } from './recording/public-reads.ts';
export type AccessLogModule = ReturnType<typeof createAccessLogModule>;
