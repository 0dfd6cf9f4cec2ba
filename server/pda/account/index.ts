import { PERMANENT_DELETION } from '../core/endpoint-store.ts';
import type { Core } from '../core/index.ts';
import { VERSION } from '../core/version.ts';
import type { Data } from '../data/index.ts';
import type { FileModule } from '../files/index.ts';
import type { FunctionModule } from '../functions/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Network } from '../network/index.ts';
import { timeOf } from '../sharing/access-log/rules.ts';
import type { Sharing } from '../sharing/index.ts';
import type { Home } from '../storage/home/folder.ts';
import { createBackupModule } from './backup/index.ts';
import { createDesktopModule, type DesktopChannel, type DesktopModule } from './desktop/index.ts';
import { docsRoutes } from './docs/routes.ts';
import { createErasureModule, type ErasureModuleParts, type FullErasureMarker } from './erasure/index.ts';
import { createExampleModule } from './examples/index.ts';
import { logoRoutes } from './pictures/routes.ts';
import { createPictureService } from './pictures/service.ts';
import { createProfileModule } from './profile/index.ts';
import { systemRoutes } from './status/routes.ts';
import { createSystemService } from './status/service.ts';
import { timelineRoutes } from './timeline/routes.ts';
import { createTimelineService } from './timeline/service.ts';
import { createActivitySources } from './timeline/sources.ts';
import { createTransferModule } from './transfer/index.ts';
import { weeklySummaryRoutes } from './weekly-summary/routes.ts';
import { createWeeklySummary } from './weekly-summary/service.ts';

type AccountParts = Core & {
  identity: Identity;
  data: Data;
  sharing: Sharing;
  fileModule: FileModule;
  functionModule: FunctionModule;
  network: Network;
  home: Home;
  /** Marker of a full erasure that this start completed; undefined if there was none. */
  fullErasureMarker: FullErasureMarker | undefined;
  /** Called when the owner requests a full erasure. Undefined if nothing would restart the server. */
  onEraseEverything: ErasureModuleParts['onEraseEverything'];
  /** Folder of the built guide; undefined if there is none. */
  docs: string | undefined;
  openApi: () => string;
};

/** Creates the modules that concern the account as a whole, such as backup, erasure and transfer. */
export const createAccount = async (parts: AccountParts) => {
  const { identity, data, sharing, fileModule, functionModule, network, home, fullErasureMarker } = parts;
  const { endpoints, ownAddresses, safeFetch, lifecycle, clock } = parts;
  const { owner } = identity;
  const { records, deletions, queries, indexes, imports } = data;
  const { accessLog, ledger, debits, contracts, applications } = sharing;
  const { files } = fileModule;
  const { exposure } = network.address;
  const common = { ...parts, owner, records, deletions, queries, indexes, ledger, debits, files };

  const profile = createProfileModule({
    ...common,
    folder: home.files,
    isBundleStored: data.isBundle,
    hostName: (host) => (ownAddresses.isLocal(host) ? (owner.profile()?.name ?? host) : host),
    accessLog,
    baseOf: ownAddresses.baseOf,
  });
  owner.setPublicFieldCount(profile.countPublicFields);

  const examples = createExampleModule({
    ...common,
    folder: home.files,
    dropEmptyEndpoint: (tx, endpoint) => endpoints.hide(tx, endpoint, PERMANENT_DELETION),
    baseOf: ownAddresses.baseOf,
  });

  const backupModule = createBackupModule({ ...common, programVersion: VERSION });
  const { backup } = backupModule;
  const erasureModule = createErasureModule({
    ...common,
    imports,
    applications,
    timeOfRow: timeOf,
    recordEvent: accessLog.recordAccountEvent,
    backup,
  });
  const { erasure } = erasureModule;
  lifecycle.onClose('erasure', () => erasure.close());
  // Registered after the erasure and therefore closed before it, because an erasure waits until no backup is running.
  lifecycle.onClose('backups', () => backupModule.close());
  await erasureModule.storeReport(fullErasureMarker);

  const transferModule = createTransferModule({
    ...common,
    contracts,
    reopenAddress: exposure.reopen,
    home: home.path,
    program: VERSION,
    findExportConflict: () =>
      erasure.list().some(({ state }) => state !== 'done')
        ? 'An erasure is in progress. Wait until it is complete.'
        : undefined,
  });
  lifecycle.onClose('transfers', () => transferModule.close());

  const weeklySummary = createWeeklySummary({
    ...common,
    names: accessLog.names,
    links: fileModule.links,
    users: identity.users,
    invitations: fileModule.invitations,
    sharedViews: sharing.sharedViews,
  });

  const timeline = createTimelineService({
    ...parts,
    records: data.recordTimeline,
    displayOf: data.displayOf,
    activitySources: createActivitySources({
      pictureDays: fileModule.pictureDays,
      imports,
      countDecisionsByDay: sharing.countDecisionsByDay,
      ledger,
      runDays: functionModule.runDays,
    }),
  });
  lifecycle.onClose('timeline', () => timeline.close());

  const pictures = createPictureService({ safeFetch, clock });
  const system = createSystemService({
    database: home.database,
    home: home.path,
    owner,
    readOwnerEmail: profile.readOwnerEmail,
    clock,
    quota: files.disk.quota,
    recordQuota: data.recordQuota,
  });

  return {
    backup,
    erasure,
    transfer: transferModule.service,
    startOutbound: transferModule.startOutbound,
    /** Resolves after a restore during the set-up or an import of an account. The home must then be reopened. */
    whenHomeReplaced: Promise.race([backupModule.whenRestored, transferModule.whenImported]),
    openDesktop(channel: DesktopChannel): DesktopModule {
      const desktop = createDesktopModule({
        ...common,
        channel,
        exposure,
        pauseControl: functionModule.pauseControl,
        backup,
        weeklySummary,
        endpointNameOf: data.endpointNameOf,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
      lifecycle.onClose('desktop app', () => desktop.close());
      return desktop;
    },
    routes: [
      ...erasureModule.routes,
      ...backupModule.routes,
      ...transferModule.routes,
      ...profile.routes,
      ...examples.routes,
      ...weeklySummaryRoutes({ weeklySummary }),
      ...timelineRoutes({ timeline }),
      ...logoRoutes({ pictures }),
      ...docsRoutes({ folder: parts.docs, clock }),
      ...systemRoutes({ system, version: VERSION, openApi: parts.openApi }),
    ] as const,
  };
};
