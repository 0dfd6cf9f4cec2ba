import { createApplicationRoom } from './applications/room.ts';
import { createContractRoom } from './contracts/room.ts';
import { createBrowseService } from './records/browse.ts';
import { createBrowseStore } from './records/browse-store.ts';
import { createDataCalls } from './records/data-calls.ts';
import { ownerRecordRoutes } from './records/owner-routes.ts';
import { recordRoutes } from './records/routes.ts';
import { idAt, idHeadAt, placeOf } from './records/sequence.ts';
import { createRecordRoom } from './records/room.ts';
import { createDebitRoom } from './debits/room.ts';
import { createExchangeRoom } from './exchange/room.ts';
import { createEventService } from './events/service.ts';
import { createEventStore } from './events/store.ts';
import { eventRoutes } from './events/routes.ts';
import { createFileRoom, newestFileSeq } from './files/room.ts';
import { createFunctionRoom, type FunctionRoomParts } from './functions/room.ts';
import { createImportRoom } from './imports/room.ts';
import { queryRoutes } from './queries/routes.ts';
import { registerQueryFunctions } from './queries/sql-functions.ts';
import { createQueryRoom } from './queries/room.ts';
import { createLedgerRoom } from './ledger/room.ts';
import { createOutboxRoom } from './outbox/room.ts';
import { ownerRoutes } from './owner/routes.ts';
import { createOwnerService } from './owner/service.ts';
import { createOwnerStore } from './owner/store.ts';
import { pictureRoutes } from './pictures/routes.ts';
import { createPictureService } from './pictures/service.ts';
import { createStatisticsRoom } from './statistics/room.ts';
import { systemRoutes } from './system/routes.ts';
import { createSystemService } from './system/service.ts';
import { createSettings } from './system/settings-store.ts';
import { createPeople } from './users/people.ts';
import { userRoutes } from './users/routes.ts';
import { createUserService } from './users/service.ts';
import { createUserStore } from './users/store.ts';
import { createTunnelRoom, type TunnelRoomParts } from './tunnel/room.ts';
import { openHome } from './storage/home.ts';
import { openStorage } from './storage/storage.ts';
import { addressGroup } from '../platform/address-group.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { createHttpServer } from '../platform/http-server.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createOpenApi } from '../platform/openapi-text.ts';
import type { ApiOf } from '../platform/route.ts';
import { createSafeFetch, type Resolve } from '../platform/safe-fetch.ts';
import { createStaticFiles } from '../platform/static-files.ts';
import { MAX_APPLICATION_FILES_BYTES } from '../wire/limits.ts';
import { readConfig } from './config.ts';
import { createHosts } from './hosts.ts';
import { listenOn } from './listen-on.ts';
import { VERSION } from './version.ts';

export type PdaOptions = {
  /** The home folder: made when it is not there. */
  home: string;
  log: Log;
  clock?: Clock;
  /** Overrides `publicUrl` of config.json. */
  publicUrl?: string;
  /** Folder of the built dashboard. */
  pages?: string;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
  /** Stands in for the sandbox, and lets the engine wait for less; for tests. */
  functions?: Pick<FunctionRoomParts, 'host' | 'pace' | 'elsewhereMs'>;
  /** The network as calls to addresses that others chose find it; for tests. `resolve` stands in for the name service. */
  network?: { allowLoopback?: boolean; resolve?: Resolve };
  /** Stand-ins for what the tunnel waits by, and where certificates come from; for tests. */
  tunnel?: Pick<TunnelRoomParts, 'timers' | 'createCertificates' | 'random'>;
};

export type Pda = Awaited<ReturnType<typeof createPda>>;

/** Puts one PDA together. @throws StorageProblem | ConfigProblem when the home cannot be opened; then nothing was changed. */
export const createPda = async (options: PdaOptions) => {
  const { log, clock = systemClock } = options;
  const lifecycle = createLifecycle(log);

  const home = openHome(options.home);
  lifecycle.onClose('home', () => home.close());
  try {
    const config = readConfig(home.config);
    const hosts = createHosts();

    const functionsModule = new URL('queries/sql-functions.ts', import.meta.url).href;
    const storage = await openStorage({ home, log, registerFunctions: registerQueryFunctions, functionsModule });
    lifecycle.onClose('storage', () => storage.close());
    const { db, writer, reader, guestReader, maintenance } = storage;

    const userStore = createUserStore(db);
    const owner = createOwnerService({
      store: createOwnerStore(db),
      writer,
      clock,
      log,
      isOwnHost: hosts.isOwn,
      scopesOf: (application) => applications.scopesOf(application),
      people: createPeople(userStore),
      accounts: () => exchangeRoom.accounts,
      note: (tx, note) => ledgerRoom.noteAccount(tx, note),
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

    const debitRoom = createDebitRoom({
      ...common,
      endpoints,
      outbox,
      queries,
      newestAt: recordRoom.newestAt,
      ledgerOf: ledger.ofDebit,
      isPlainBundle: queryRoom.isBundle,
      settleIndexes: indexes.settle,
      principalOf(application) {
        const scopes = applications.scopesOf(application);
        return scopes === undefined
          ? undefined
          : { kind: 'application', application, userId: '', sessionId: '', scopes };
      },
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
      records,
      endpoints,
      recordStore: recordRoom.store,
    });
    lifecycle.onClose('imports', () => importRoom.close());

    const exchangeRoom = createExchangeRoom({
      ...common,
      fixed: { exchange: config.exchange?.url, contracts: config.contracts?.url },
      fetch: safeFetch,
      owner,
      isOwnHost: hosts.isOwn,
      address: () => hosts.reachable(allowLoopback),
      debits,
      previewOf: debitRoom.preview.ofBundle,
      isNameFree: (name) => !debitRoom.holdsName(name) && !queryRoom.isBundle(name),
      recordsAt: (endpoint) => endpoints.summary(endpoint)?.records ?? 0,
      approvedPlug: (id, tx) => applicationRoom.approvedPlug(id, tx),
      reports: () => statistics.counts(),
    });
    lifecycle.onClose('exchange', () => exchangeRoom.close());

    const contractRoom = createContractRoom({
      ...common,
      calls: dataCalls,
      safeFetch,
      keys: owner.keys,
      contractsUrl: exchangeRoom.network.contractsUrl,
      address: () => hosts.reachable(allowLoopback) ?? hosts.own(),
      ownerName: () => owner.profile()?.name,
      approved: (id) => applications.contractOf(id),
      disable: (id) => applications.disable(id),
      useOf: ledger.ofContract,
    });
    const { contracts } = contractRoom;
    lifecycle.onClose('contracts', () => contractRoom.close());

    const statistics = createStatisticsRoom({
      ...common,
      ledger,
      debits,
      endpoints,
      records: recordRoom.store,
      reportsTo: exchangeRoom.network.reportsTo,
      reportsOn: exchangeRoom.network.reportsOn,
      isClaimed: exchangeRoom.isClaimed,
      exchange: exchangeRoom.network,
    });
    lifecycle.onClose('statistics', () => statistics.close());
    const ignoreNetwork = exchangeRoom.network.onChange(() => {
      contracts.wake();
      statistics.wake();
    });
    lifecycle.onClose('the network', () => ignoreNetwork());

    const applicationRoom = createApplicationRoom({
      ...common,
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

    const tunnelRoom = createTunnelRoom({
      ...common,
      home: home.path,
      fixed: options.publicUrl === undefined ? config : { publicUrl: options.publicUrl },
      authorities: config.development?.authorities,
      hosts,
      http: () => http,
      owner,
      isEnabled: (application) => applications.scopesOf(application) !== undefined,
      debits,
      contracts,
      exchange: exchangeRoom,
      note: (tx, note) => void ledgerRoom.noteAccount(tx, note),
      resolve: network?.resolve,
      ...options.tunnel,
    });

    const settings = createSettings(db, writer);
    const system = createSystemService({ database: home.database, home: home.path, owner });

    const routes = [
      ...ownerRoutes({ owner, addresses: hosts.list, publicUrl: () => hosts.publicUrl() ?? null, version: VERSION }),
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
      ...pictureRoutes({ pictures }),
      ...systemRoutes({ system, version: VERSION, openApi: () => openApi() }),
    ] as const;

    const openApi = createOpenApi(() => ({
      title: 'Personal Data Account',
      version: VERSION,
      description: 'One PDA.',
      routes,
    }));
    const http = createHttpServer({
      routes,
      log,
      authenticate: exchangeRoom.authenticate,
      isOwnHost: tunnelRoom.accepts,
      isOutside: tunnelRoom.isOutside,
      // "`/api/v2/` answers the same" (decisions 1).
      normalisePath: (path) => (path.startsWith('/api/v2/') ? `/api/v2.6/${path.slice(8)}` : path),
      isSetUp: owner.isSetUp,
      unavailable: () => {
        const damage = storage.damage();
        return damage === undefined
          ? undefined
          : { reason: 'The database is damaged. Restore a backup.', retryAfterSeconds: 3600 };
      },
      ...(options.pages === undefined ? {} : { pages: createStaticFiles(options.pages) }),
      recordAccess: ledgerRoom.recordAccess,
      strict: options.strict ?? false,
    });
    lifecycle.onClose('http', () => http.close());
    // Nobody new comes in, and who is in hears the end of their answer.
    lifecycle.onClose('tunnel', () => tunnelRoom.close());

    return {
      owner,
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
      ledger,
      indexes,
      routes,
      openApi,
      /**
       * Starts to answer. Resolves with the address on this machine. Without a port it is the one of the last time, so that tokens and
       * what the browser keeps stay good; when that is taken, or the first time, any free one.
       */
      async listen(port?: number, host = '127.0.0.1'): Promise<{ port: number; url: string }> {
        await fileRoom.recover();
        await functionRoom.recover();
        const address = await listenOn(http, port === undefined ? [settings.lastPort() ?? 0, 0] : [port], host);
        hosts.setPort(address.port);
        await settings.rememberPort(address.port).catch((error: unknown) => {
          // A full disk must not keep a PDA from being read.
          log.warn({ err: error }, 'the port could not be remembered');
        });
        outbox.start();
        debitRoom.notices.start();
        contracts.wake();
        exchangeRoom.start();
        statistics.start();
        tunnelRoom.start();
        functionRoom.start();
        imports.resume();
        void deletions.sweep();
        indexes.settle();
        fileRoom
          .start()
          .catch((error: unknown) => log.error({ err: error }, 'the files folder could not be looked through'));
        return { port: address.port, url: `http://127.0.0.1:${address.port}` };
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
    throw error;
  }
};

/** What the dashboard's client is typed by. */
export type PdaApi = ApiOf<Pda['routes']>;
