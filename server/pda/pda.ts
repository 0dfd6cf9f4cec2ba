import { createApplicationRoom } from './applications/room.ts';
import { adoptRestored } from './backup/room.ts';
import { createDesktopRoom, type DesktopChannel, type DesktopRoom } from './desktop/room.ts';
import { createBrowseService } from './records/browse.ts';
import { createBrowseStore } from './records/browse-store.ts';
import { createDataCalls } from './records/data-calls.ts';
import { ownerRecordRoutes } from './records/owner-routes.ts';
import { recordRoutes } from './records/routes.ts';
import { idAt, idHeadAt, placeOf } from './records/sequence.ts';
import { recordLimitsOf } from './records/quota.ts';
import { createRecordRoom } from './records/room.ts';
import { createReviewService } from './reviews/service.ts';
import { createReviewStore } from './reviews/store.ts';
import { createDebitRoom } from './debits/room.ts';
import { docsRoutes } from './docs/routes.ts';
import { finishErasing } from './erasure/room.ts';
import { createEventService } from './events/service.ts';
import { createEventStore } from './events/store.ts';
import { eventRoutes } from './events/routes.ts';
import { createFileRoom, newestFileSeq } from './files/room.ts';
import { createFunctionRoom } from './functions/room.ts';
import { createImportRoom } from './imports/room.ts';
import { queryRoutes } from './queries/routes.ts';
import { registerQueryFunctions } from './queries/sql-functions.ts';
import { createQueryRoom } from './queries/room.ts';
import { createLedgerRoom } from './ledger/room.ts';
import { timeOf } from './ledger/rules.ts';
import { adoptMoved } from './move/room.ts';
import { createOutboxRoom } from './outbox/room.ts';
import { ownerRoutes } from './owner/routes.ts';
import { createOwnerService, type TakeNote } from './owner/service.ts';
import { createSignInNetworkStore } from './owner/sign-in-networks-store.ts';
import { createOwnerStore } from './owner/store.ts';
import { pictureRoutes } from './pictures/routes.ts';
import { createPictureService } from './pictures/service.ts';
import { createSecondFactorRoom } from './second-factor/room.ts';
import { systemRoutes } from './system/routes.ts';
import { createSystemService } from './system/service.ts';
import { createSettings } from './system/settings-store.ts';
import { createPeople } from './users/people.ts';
import { userRoutes } from './users/routes.ts';
import { createUserService } from './users/service.ts';
import { createUserStore } from './users/store.ts';
import { createTunnelRoom } from './tunnel/room.ts';
import { openHome } from './storage/home.ts';
import { asDamage } from './storage/problems.ts';
import { openStorage } from './storage/storage.ts';
import { addressGroup } from '../platform/address-group.ts';
import { systemClock } from '../platform/clock.ts';
import { forwardedAddress } from '../platform/forwarded.ts';
import { createHttpApplication } from '../platform/http/application.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import { createOpenApi } from '../platform/openapi-text.ts';
import type { ApiOf } from '../platform/route.ts';
import { createSafeFetch } from '../platform/safe-fetch.ts';
import { MAX_APPLICATION_FILES_BYTES } from '../wire/limits.ts';
import { readConfig } from './config.ts';
import { createHosts } from './hosts.ts';
import { createBegin } from './pda-begin.ts';
import type { PdaOptions } from './pda-options.ts';
import { createNetworkRooms } from './pda-network.ts';
import { createOwnRooms, createWholeRooms } from './pda-own.ts';
import { VERSION } from './version.ts';

export type Pda = Awaited<ReturnType<typeof createPda>>;

/** Puts one PDA together. @throws StorageProblem | ConfigProblem when the home cannot be opened; then nothing was changed. */
export const createPda = async (options: PdaOptions) => {
  const { log, clock = systemClock } = options;
  const lifecycle = createLifecycle(log);

  const home = openHome(options.home);
  lifecycle.onClose('home', () => home.close());
  try {
    const erased = await finishErasing(home.path, log);
    await adoptRestored(home.path);
    await adoptMoved(home.path, clock.now());
    const config = readConfig(home.config);
    const hosts = createHosts();

    const functionsModule = new URL('queries/sql-functions.ts', import.meta.url).href;
    const storage = await openStorage({ home, log, registerFunctions: registerQueryFunctions, functionsModule });
    lifecycle.onClose('storage', () => storage.close());
    const { db, writer, reader, guestReader, maintenance } = storage;

    const note: TakeNote = (tx, told) => ledgerRoom.noteAccount(tx, told);
    const userStore = createUserStore(db);
    const owner = createOwnerService({
      store: createOwnerStore(db),
      networks: createSignInNetworkStore(db),
      writer,
      clock,
      log,
      isOwnHost: hosts.isOwn,
      scopesOf: (application) => applications.scopesOf(application),
      people: createPeople(userStore),
      accounts: () => exchangeRoom.accounts,
      secondFactor: () => secondFactor.gate,
      refusePassword: (host) => tunnelRoom.exposure.refusePassword(host),
      setUpCode: erased?.setUpCode,
      note,
    });
    const users = createUserService({
      store: userStore,
      owner,
      writer,
      clock,
      onDelete: (tx, userId) => fileRoom.files.dropUser(tx, userId),
    });

    const { network } = options;
    const allowLoopback =
      network?.allowLoopback ??
      (config.development?.allowLoopback === true || process.env['PDA_ALLOW_LOOPBACK'] === '1');
    const safeFetch = createSafeFetch({
      allowLoopback,
      ...(network?.resolve === undefined ? {} : { resolve: network.resolve }),
    });
    lifecycle.onClose('calls to others', () => safeFetch.close());
    const pictures = createPictureService({ safeFetch, clock });

    const events = createEventService({ store: createEventStore(db), clock });
    /** What every room works with. */
    const common = { db, writer, events, clock, log };
    const secondFactor = createSecondFactorRoom({ ...common, owner, baseOf: hosts.baseOf });
    lifecycle.onClose('second factor', () => secondFactor.close());
    const outboxRoom = createOutboxRoom({ ...common, safeFetch, keys: owner.keys });
    const { outbox } = outboxRoom;
    lifecycle.onClose('outbox', () => outboxRoom.close());

    const ledgerRoom = createLedgerRoom({
      ...common,
      personName: users.nameOf,
      approvedVersion: (id) => applicationRoom.approvedVersion(id),
      records: {
        at(seq) {
          const found = recordRoom.store.head(seq);
          if (found === undefined) return fileRoom.files.at(seq);
          return { id: found.id, endpoint: endpoints.pathOf(found.endpoint) };
        },
        seqOf: placeOf,
        idHead: idHeadAt,
      },
    });
    const { ledger, refusals } = ledgerRoom;
    const recordRoom = createRecordRoom({
      ...common,
      home: home.path,
      limits: recordLimitsOf(config),
      takenElsewhere: [ledgerRoom.newestSeq(), newestFileSeq(db)],
      onUndo: (tx, deletionId) => functionRoom.functions.broughtBack(tx, deletionId),
    });
    const { endpoints, records, deletions } = recordRoom;
    lifecycle.onClose('records', () => recordRoom.close());

    lifecycle.onClose('ledger', () => ledgerRoom.close());

    const queryRoom = createQueryRoom({
      ...common,
      endpoints,
      records: recordRoom.store,
      reader,
      guestReader,
      maintenance,
      otherBundles: () => [...debits.bundles(), ...functionRoom.bundles()],
      isForeignBundle: (name) => debitRoom.holdsName(name),
    });
    const { queries, indexes } = queryRoom;
    lifecycle.onClose('indexes', () => queryRoom.close());

    const reviews = createReviewService({ store: createReviewStore(db), writer });
    const debitRoom = createDebitRoom({
      ...common,
      reviews,
      endpoints,
      outbox,
      queries,
      newestAt: recordRoom.newestAt,
      ledger,
      ledgerOf: ledger.ofDebit,
      isPlainBundle: queryRoom.isBundle,
      settleIndexes: indexes.settle,
      keys: owner.keys,
      address: hosts.own,
      url: hosts.publicUrl,
    });
    const { debits } = debitRoom;
    lifecycle.onClose('debits', () => debitRoom.close());

    const dataCalls = createDataCalls({ records, queries });
    const browse = createBrowseService({ store: createBrowseStore(db), endpoints, records, queries, reader });
    const functionRoom = createFunctionRoom({
      ...common,
      folder: home.functions,
      registrations: config.functions ?? [],
      queries,
      endpoints,
      records: recordRoom.store,
      recordService: records,
      placeOf,
      deleteRecords: async (ids) => (await deletions.deleteRecords(ids, { kind: 'owner', name: 'owner' })).deletionId,
      settleIndexes: () => indexes.settle(),
      ledger,
      safeFetch,
      ...options.functions,
    });
    lifecycle.onClose('functions', () => functionRoom.close());

    const { imports, exports, ...importRoom } = createImportRoom({
      ...common,
      folder: home.imports,
      owner,
      placeOf,
      records,
      endpoints,
      recordStore: recordRoom.store,
    });
    lifecycle.onClose('imports', () => importRoom.close());

    const { exchangeRoom, contractRoom, contracts, statistics } = createNetworkRooms({
      common,
      config,
      lifecycle,
      safeFetch,
      allowLoopback,
      hosts,
      owner,
      ledger,
      recordRoom,
      queryRoom,
      debitRoom,
      calls: dataCalls,
      applicationRoom: () => applicationRoom,
    });

    const applicationRoom = createApplicationRoom({
      ...common,
      reviews,
      contracts,
      known: config.applications ?? [],
      published: exchangeRoom.catalogue,
      owner,
      debits,
      endpoints: browse.endpoints,
      newestAt: (endpoint) => endpoints.summary(endpoint)?.last_created ?? null,
      fetch: safeFetch,
      ownHost: hosts.own,
      ledger,
      noteRefused: refusals.note,
      previewOf: debitRoom.preview.ofBundle,
    });
    const { applications, approvedVersion } = applicationRoom;
    lifecycle.onClose('applications', () => applicationRoom.close());

    const fileRoom = createFileRoom({
      ...common,
      sequence: recordRoom.sequence,
      idAt,
      users,
      ownerId: () => owner.profile()?.id ?? '',
      isSessionAlive: owner.isSessionAlive,
      scopesOf: applications.scopesOf,
      folders: { files: home.files, uploads: home.uploads, removed: home.removed },
      limits: {
        total: config.limits?.filesBytes ?? null,
        perApplication: config.limits?.applicationFilesBytes ?? MAX_APPLICATION_FILES_BYTES,
      },
      ledger,
      personName: users.nameOf,
      approvedVersion,
      networkOf: addressGroup,
      baseOf: hosts.baseOf,
    });
    lifecycle.onClose('files', () => fileRoom.close());

    const settings = createSettings(db, writer);
    const tunnelRoom = createTunnelRoom({
      ...common,
      home: home.path,
      fixed: options.publicUrl === undefined ? config : { publicUrl: options.publicUrl },
      publicPort: config.publicPort,
      settings,
      authorities: config.development?.authorities,
      hosts,
      http: () => http,
      owner,
      isEnabled: (application) => applications.scopesOf(application) !== undefined,
      debits,
      contracts,
      exchange: exchangeRoom,
      openProfile: () => own.openFields(),
      note: (tx, told) => void note(tx, told),
      resolve: network?.resolve,
      ...options.tunnel,
    });

    const touched = { ...common, ...storage, ...recordRoom, ...fileRoom, home, owner, ledger, imports, applications };
    const asked = { indexes, timeOfRow: timeOf, note: ledgerRoom.noteAccount };
    const own = createOwnRooms({ ...touched, ...asked, queries, debits, isStored: queryRoom.isBundle, hosts });
    const { erasure, backupRoom, moveRoom, ...whole } = await createWholeRooms({
      ...touched,
      ...asked,
      contracts: () => contracts,
      goLight: tunnelRoom.exposure.goLight,
      version: VERSION,
      onEraseEverything: options.onEraseEverything,
      erased,
      lifecycle,
    });

    const system = createSystemService({
      database: home.database,
      home: home.path,
      owner,
      ownerEmail: own.ownerEmail,
      clock,
      quota: fileRoom.files.disk.quota,
      recordQuota: recordRoom.quota,
    });

    const routes = [
      ...ownerRoutes({ owner, hosts, version: VERSION, openProfile: own.openFields }),
      ...secondFactor.routes,
      ...userRoutes({ users }),
      ...recordRoutes({ calls: dataCalls, records, deletions }),
      ...queryRoutes({ queries }),
      ...ownerRecordRoutes({ browse, deletions, events }),
      ...importRoom.routes,
      ...debitRoom.routes,
      ...applicationRoom.routes,
      ...contractRoom.routes,
      ...exchangeRoom.routes,
      ...fileRoom.routes,
      ...functionRoom.routes,
      ...eventRoutes({
        events,
        endpoints,
        sessions: { isAlive: owner.isSessionAlive, onEnd: owner.onSessionChange },
      }),
      ...ledgerRoom.routes,
      ...outboxRoom.routes,
      ...tunnelRoom.routes,
      ...whole.routes,
      ...own.routes,
      ...pictureRoutes({ pictures }),
      ...docsRoutes({ folder: options.docs, clock }),
      ...systemRoutes({ system, version: VERSION, openApi: () => openApi() }),
    ] as const;

    const openApi = createOpenApi(() => ({
      title: 'Personal Data Account',
      version: VERSION,
      description: 'One PDA.',
      routes,
    }));
    const http = createHttpApplication({
      routes,
      log,
      authenticate: exchangeRoom.authenticate,
      isOwnHost: tunnelRoom.accepts,
      // Proxies call the public port. On the own port the header may come from any program of this machine.
      addressOf: (request, origin) =>
        origin === 'public' ? forwardedAddress(config.proxies ?? tunnelRoom.exposure.proxies())(request) : undefined,
      // "`/api/v2/` answers the same" (decisions 1).
      normalisePath: (path) => (path.startsWith('/api/v2/') ? `/api/v2.6/${path.slice(8)}` : path),
      isSetUp: owner.isSetUp,
      unavailable: () => {
        const damage = storage.damage();
        return damage === undefined
          ? undefined
          : { reason: 'The database is damaged. Restore a backup.', retryAfterSeconds: 3600 };
      },
      ...(options.pages === undefined ? {} : { pages: options.pages }),
      recordAccess: ledgerRoom.recordAccess,
      strict: options.strict ?? false,
    });
    lifecycle.onClose('http', () => http.close());
    // Nobody new comes in, and who is in hears the end of their answer.
    lifecycle.onClose('tunnel', () => tunnelRoom.close());

    const begin = createBegin({
      http,
      hosts,
      settings,
      log,
      recover: [fileRoom.recover, functionRoom.recover],
      rooms: [
        moveRoom.speaking([outbox.start, contracts.wake, exchangeRoom.start, statistics.start, functionRoom.start]),
        debitRoom.notices.start,
        tunnelRoom.start,
        backupRoom.backup.start,
        imports.resume,
        erasure.resume,
        deletions.sweep,
        indexes.settle,
      ],
      files: fileRoom.start,
    });

    return {
      owner,
      secondFactor,
      users,
      applications,
      contracts,
      statistics,
      network: exchangeRoom,
      events,
      debits,
      notices: debitRoom.notices,
      records,
      queries,
      imports,
      exports,
      deletions,
      fileRoom,
      functions: functionRoom.functions,
      outbox,
      exposure: tunnelRoom.exposure,
      backup: backupRoom.backup,
      /** Moving a whole account. */
      move: moveRoom.service,
      /** Resolves when a backup was restored in the set-up, or an account imported: the home is to be opened anew. */
      restored: Promise.race([backupRoom.restored, moveRoom.arrived]),
      erasure,
      /** What the desktop app that started this server is told and may ask for. */
      openDesktop(channel: DesktopChannel): DesktopRoom {
        const [{ exposure }, { pausing }] = [tunnelRoom, functionRoom];
        const { backup } = backupRoom;
        const desktop = createDesktopRoom({ ...common, channel, debits, exposure, pausing, ledger, backup });
        lifecycle.onClose('the desktop app', () => desktop.close());
        return desktop;
      },
      ledger,
      indexes,
      routes,
      openApi,
      /**
       * Starts to answer. Resolves with the address on this machine. Without a port it is the one of the last time, so that tokens and
       * what the browser keeps stay good; when that is taken, or the first time, any free one.
       */
      async listen(port?: number, host = '127.0.0.1'): Promise<{ port: number; url: string }> {
        try {
          return await begin(port, host);
        } catch (error) {
          throw asDamage(home.database, error);
        }
      },
      /** Every problem that SQLite's whole check finds; none when all is sound. */
      async verify(): Promise<string[]> {
        const rows = await reader.all<{ integrity_check: string }>('PRAGMA integrity_check');
        return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
      },
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw asDamage(home.database, error);
  }
};

/** For the command line: backups and receipts without a server. */
export * as backupTools from './backup/offline.ts';
export * as receiptTools from './debits/receipt-verification.ts';

/** What the dashboard's client is typed by. */
export type PdaApi = ApiOf<Pda['routes']>;
