import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { Clock } from '../../../platform/clock.ts';
import { addressGroup } from '../../../platform/limits/address-group.ts';
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
import { createLedgerService, type RecordLookup } from './service.ts';
import { createLedgerStore } from './store.ts';

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

/** Returns the version of an application that the owner approved; empty if there is none. */
type ApprovedVersionOf = (application: string) => string;

/** Creates the access log with its recorders, routes and exports. */
export const createAccessLogModule = ({ db, sequence, ...parts }: AccessLogModuleParts) => {
  const store = createLedgerStore(db);
  sequence.reserveThrough(store.newestSeq());

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
  const approvedVersion = createLateBinding<ApprovedVersionOf>('the approved versions of applications');

  const names = createAccessNames({
    endpoints: () => parts.endpoints.list().map(({ path }) => path),
    endpointNameOf: parts.endpointNameOf,
  });
  names.addLookup('user', parts.userNameOf);
  const ledger = createLedgerService({ ...parts, records, store, names });
  const refusals = createRefusals({ ...parts, ledger });
  return {
    ledger,
    recordRefusal: refusals.recordRefusal,
    publicReads: createPublicReads({
      ledger,
      writer: parts.writer,
      networkOf: addressGroup,
      now: () => parts.clock.now(),
    }),
    recordAccountEvent: createAccountRecorder({ ledger, refusals }),
    recordAccess: createAccessRecorder({
      ...parts,
      approvedVersion: (application) => approvedVersion.get()(application),
      ledger,
      refusals,
    }),
    /** Adds a source of records or files. Sources are queried in the order of registration. */
    addRecordSource: (source: RecordSource): void => void recordSources.push(source),
    names,
    /** Registers the lookup of approved application versions, which an application's log entries state. */
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
