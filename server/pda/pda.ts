import type { AddressInfo } from 'node:net';
import { createAnchors } from './records/anchors.ts';
import { createBrowseService } from './records/browse.ts';
import { createBrowseStore } from './records/browse-store.ts';
import { createDeletionService } from './records/deletions.ts';
import { createDeletionStore } from './records/deletion-store.ts';
import { createEndpointStore } from './records/endpoints.ts';
import { createFingerprintStore } from './records/fingerprint-store.ts';
import { ownerRecordRoutes } from './records/owner-routes.ts';
import { recordRoutes } from './records/routes.ts';
import { createSequence } from './records/sequence.ts';
import { createRecordService } from './records/service.ts';
import { createRecordStore } from './records/store.ts';
import { createEventService } from './events/service.ts';
import { createEventStore } from './events/store.ts';
import { eventRoutes } from './events/routes.ts';
import { createExportService } from './imports/export-service.ts';
import { createImportService } from './imports/service.ts';
import { importRoutes } from './imports/routes.ts';
import { createImportStore } from './imports/store.ts';
import { createEarnedIndexes } from './queries/earned-indexes.ts';
import { queryRoutes } from './queries/routes.ts';
import { createQueryService, neededIndexes } from './queries/service.ts';
import { registerQueryFunctions } from './queries/sql-functions.ts';
import { createQueryStore } from './queries/store.ts';
import { ownerRoutes } from './owner/routes.ts';
import { createOwnerService } from './owner/service.ts';
import { createOwnerStore } from './owner/store.ts';
import { systemRoutes } from './system/routes.ts';
import { createSystemService } from './system/service.ts';
import { createSettings } from './system/settings-store.ts';
import { openHome } from './storage/home.ts';
import { openStorage } from './storage/storage.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { createHttpServer, type HttpServer } from '../platform/http-server.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import type { ApiOf } from '../platform/route.ts';
import { createStaticFiles } from '../platform/static-files.ts';
import { readConfig } from './config.ts';
import { createHosts } from './hosts.ts';
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
    const publicUrl = options.publicUrl ?? config.publicUrl;
    const hosts = createHosts(publicUrl);

    const functionsModule = new URL('queries/sql-functions.ts', import.meta.url).href;
    const storage = await openStorage({ home, log, registerFunctions: registerQueryFunctions, functionsModule });
    lifecycle.onClose('storage', () => storage.close());
    const { db, writer, reader, maintenance } = storage;

    const owner = createOwnerService({ store: createOwnerStore(db), writer, clock, log, isOwnHost: hosts.isOwn });

    const events = createEventService({ store: createEventStore(db), clock });
    const endpoints = createEndpointStore(db);
    const recordStore = createRecordStore(db);
    const fingerprints = createFingerprintStore(db, recordStore);
    const anchors = createAnchors();
    const sequence = createSequence(recordStore.newestSeq(), clock);
    const records = createRecordService({
      store: recordStore,
      endpoints,
      fingerprints,
      anchors,
      sequence,
      writer,
      events,
      clock,
    });

    const queryStore = createQueryStore(db);
    const needed = () => neededIndexes({ store: queryStore, endpoints, writer });
    const indexes = createEarnedIndexes({ store: queryStore, writer, maintenance, log, needed });
    lifecycle.onClose('indexes', () => indexes.close());
    const queries = createQueryService({
      store: queryStore,
      endpoints,
      records: recordStore,
      writer,
      reader,
      indexes,
      clock,
    });

    const browse = createBrowseService({ store: createBrowseStore(db), endpoints, records, queries, reader });
    const deletions = createDeletionService({
      store: createDeletionStore(db),
      records: recordStore,
      service: records,
      endpoints,
      fingerprints,
      anchors,
      writer,
      events,
      clock,
      log,
    });
    lifecycle.onClose('deletions', () => deletions.close());

    const imports = createImportService({
      store: createImportStore(db),
      folder: home.imports,
      records,
      endpoints,
      recordStore,
      writer,
      clock,
      log,
    });
    lifecycle.onClose('imports', () => imports.close());
    const exports = createExportService({ endpoints, records: recordStore, clock });

    const settings = createSettings(db, writer);
    const system = createSystemService({ database: home.database, home: home.path, owner });

    const routes = [
      ...ownerRoutes({ owner, addresses: hosts.list, publicUrl: () => publicUrl ?? null, version: VERSION }),
      ...recordRoutes({ records, deletions, queries }),
      ...queryRoutes({ queries }),
      ...ownerRecordRoutes({ browse, deletions, events }),
      ...importRoutes({ imports, exports }),
      ...eventRoutes({
        events,
        endpoints,
        sessions: { isAlive: owner.isSessionAlive, onEnd: owner.onSessionChange },
      }),
      ...systemRoutes({ system, version: VERSION, openApi: () => openApi() }),
    ] as const;

    // Put together at the first look: a start should not wait for a document.
    let document: Promise<string> | undefined;
    const openApi = (): Promise<string> => {
      document ??= import('../platform/openapi.ts').then(({ openApiDocument }) =>
        JSON.stringify(
          openApiDocument({ title: 'Personal Data Account', version: VERSION, description: 'One PDA.', routes }),
        ),
      );
      return document;
    };

    const http = createHttpServer({
      routes,
      log,
      authenticate: (token) => owner.authenticate(token),
      isOwnHost: hosts.isOwn,
      isSetUp: owner.isSetUp,
      unavailable: () => {
        const damage = storage.damage();
        return damage === undefined
          ? undefined
          : { reason: 'The database is damaged. Restore a backup.', retryAfterSeconds: 3600 };
      },
      ...(options.pages === undefined ? {} : { pages: createStaticFiles(options.pages) }),
      strict: options.strict ?? false,
    });
    lifecycle.onClose('http', () => http.close());

    return {
      owner,
      records,
      queries,
      imports,
      exports,
      deletions,
      indexes,
      routes,
      openApi,
      /**
       * Starts to answer. Resolves with the address on this machine. Without a port it is the one of the last time, so that tokens and
       * what the browser keeps stay good; when that is taken, or the first time, any free one.
       */
      async listen(port?: number, host = '127.0.0.1'): Promise<{ port: number; url: string }> {
        const address = await listenOn(http, port === undefined ? [settings.lastPort() ?? 0, 0] : [port], host);
        hosts.setPort(address.port);
        await settings.rememberPort(address.port).catch((error: unknown) => {
          // A full disk must not keep a PDA from being read.
          log.warn({ err: error }, 'the port could not be remembered');
        });
        imports.resume();
        void deletions.sweep();
        indexes.settle();
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

/** Listens on the first of the ports that is free. */
const listenOn = async (http: HttpServer, ports: readonly number[], host: string): Promise<AddressInfo> => {
  for (const port of ports.slice(0, -1)) {
    try {
      return await http.listen({ port, host });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  return http.listen({ port: ports.at(-1) ?? 0, host });
};

/** What the dashboard's client is typed by. */
export type PdaApi = ApiOf<Pda['routes']>;
