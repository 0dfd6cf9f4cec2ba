import type { AddressInfo } from 'node:net';
import { systemClock } from '../platform/clock.ts';
import { createHttpApplication, type HttpServer } from '../platform/http/application.ts';
import { createOpenApi } from '../platform/http/openapi/cached-document.ts';
import { createForwardedAddressReader } from '../platform/http/request/forwarded-address.ts';
import type { ApiOf } from '../platform/http/route.ts';
import { createLifecycle } from '../platform/service/lifecycle.ts';
import { activateRestoredHome } from './account/backup/index.ts';
import { finishFullErasure } from './account/erasure/index.ts';
import { createAccount } from './account/index.ts';
import { activateImport } from './account/transfer/index.ts';
import { allowsLoopback, readConfig, type PdaOptions } from './config.ts';
import { createCore } from './core/index.ts';
import { VERSION } from './core/version.ts';
import { createData } from './data/index.ts';
import { registerQueryFunctions } from './data/queries/sql/functions.ts';
import { isIgnoredFile } from './files/folder/rules.ts';
import { createFiles } from './files/index.ts';
import { createFunctions } from './functions/index.ts';
import { createIdentity } from './identity/index.ts';
import { createNetwork } from './network/index.ts';
import { createSharing } from './sharing/index.ts';
import { openHome } from './storage/home/folder.ts';
import { toCorruptionProblem } from './storage/storage-problem.ts';
import { openStorage } from './storage/storage.ts';

/** An open PDA. It accepts requests after `listen`. */
export type Pda = Awaited<ReturnType<typeof createPda>>;

/** API type of the dashboard's client. */
export type PdaApi = ApiOf<Pda['routes']>;

/** Module from which reader threads register the SQL functions. */
const sqlFunctionsModule = new URL('./data/queries/sql/functions.ts', import.meta.url).href;
/** Response of all routes except `/healthz` while the database is damaged. */
const DATABASE_DAMAGED = { reason: 'The database is damaged. Restore a backup.', retryAfterSeconds: 3600 };

/** Maps `/api/v2/` to `/api/v2.6/`: both prefixes lead to the same routes (docs/decisions.md, section 1). */
const normalizePath = (path: string): string =>
  path.startsWith('/api/v2/') ? `/api/v2.6/${path.slice('/api/v2/'.length)}` : path;

const listenOnFirstFreePort = async (
  http: HttpServer,
  ports: readonly number[],
  host: string,
): Promise<AddressInfo> => {
  for (const port of ports.slice(0, -1)) {
    try {
      return await http.listen({ port, host });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  return http.listen({ port: ports.at(-1) ?? 0, host });
};

/**
 * Creates a PDA wing by wing, from the lowest to the highest. Upper modules register with lower ones after both exist
 * (docs/adr/0035).
 * @throws StorageProblem | ConfigProblem if the home, its database or its `config.json` cannot be used
 * @throws Failure wrong_state if the request for the erasure of the whole home is damaged or unreadable
 * @throws file system errors
 */
export const createPda = async (options: PdaOptions) => {
  const { log, clock = systemClock } = options;
  const lifecycle = createLifecycle(log);

  const home = openHome(options.home);
  lifecycle.onClose('home', () => home.close());
  try {
    const fullErasureMarker = finishFullErasure(home.path);
    activateRestoredHome(home.path);
    activateImport(home.path, { now: clock.now(), isIgnoredFile });
    const config = readConfig(home.config);

    const storage = await openStorage({
      home,
      log,
      clock,
      registerFunctions: registerQueryFunctions,
      functionsModule: sqlFunctionsModule,
    });
    lifecycle.onClose('storage', () => storage.close());

    const core = createCore({
      storage,
      allowLoopback: allowsLoopback(options, config),
      resolve: options.network?.resolve,
      lifecycle,
      clock,
      log,
    });
    const { ownAddresses, settings, events } = core;

    const identity = createIdentity({ ...core, setupCode: fullErasureMarker?.setUpCode });
    const { owner, users } = identity;

    const data = createData({ ...core, identity, home, config });
    const { deletions, queries, indexes, imports } = data;

    const sharing = createSharing({ ...core, identity, data, config });
    const { accessLog, applications, contracts, debits, ledger, debitNotifier, outbox } = sharing;
    const lowerWings = { ...core, identity, data, sharing, home, config };

    const fileModule = createFiles({
      ...core,
      home,
      owner,
      users,
      passkeys: identity.userPasskeys,
      checkPassword: identity.checkPassword,
      accessLog,
      search: data.search,
      sharedViews: sharing.sharedViews,
      sharedViewReads: sharing.sharedViewReads,
      dashboard: options.pages,
      applications,
      approvedVersion: sharing.approvedVersion,
      limits: config.limits ?? {},
      ...options.files,
    });

    const functionModule = createFunctions({
      ...core,
      ...data,
      folder: home.functions,
      registrations: config.functions ?? [],
      ledger,
      ...options.functions,
    });

    const network = createNetwork({
      ...lowerWings,
      countAccessibleFiles: fileModule.countAccessibleFiles,
      countActiveLinks: () => fileModule.links.listActive().length,
      publicUrl: options.publicUrl,
      replacements: { resolve: options.network?.resolve, ...options.tunnel },
    });
    const { exchange, statistics, address } = network;
    const { exposure } = address;

    const openApi = createOpenApi({ title: 'Personal Data Account', version: VERSION, description: 'API of one PDA.' });

    const account = await createAccount({
      ...lowerWings,
      fileModule,
      functionModule,
      network,
      fullErasureMarker,
      onEraseEverything: options.onEraseEverything,
      docs: options.docs,
      openApi: openApi.json,
    });

    const routes = [
      ...identity.routes,
      ...data.routes,
      ...sharing.routes,
      ...fileModule.routes,
      ...functionModule.routes,
      ...network.routes,
      ...account.routes,
    ] as const;
    openApi.setRoutes(routes);

    const http = createHttpApplication({
      routes,
      log,
      authenticate: owner.authenticate,
      isOwnHost: address.accepts,
      // Proxies connect to the public port. On the local port, any local program could forge `x-forwarded-for`.
      addressOf: (request, origin) =>
        origin === 'public'
          ? createForwardedAddressReader(config.proxies ?? exposure.proxyCount())(request)
          : undefined,
      normalizePath,
      isSetUp: owner.isSetUp,
      findOutage: () => (storage.damage() === undefined ? undefined : DATABASE_DAMAGED),
      ...(options.pages === undefined ? {} : { pages: options.pages }),
      recordAccess: accessLog.recordAccess,
      strict: options.strict ?? false,
    });
    address.attach(http);
    // Closes in reverse order: the tunnel first, so that no connections arrive while running requests end.
    lifecycle.onClose('http', () => http.close());
    lifecycle.onClose('public address', () => address.close());

    const startBackgroundWork = (): void => {
      account.startOutbound([outbox.start, contracts.start, exchange.start, statistics.start, functionModule.start]);
      debitNotifier.start();
      address.start();
      account.backup.start();
      imports.resume();
      account.erasure.resume();
      void deletions.sweep();
      indexes.reconcile();
      data.startSearchIndexer();
      // Not awaited, because the first scan of a large folder takes a long time.
      fileModule.start().catch((error: unknown) => log.error({ err: error }, 'could not scan the files folder'));
    };

    const startServing = async (port: number | undefined, host: string): Promise<{ port: number; url: string }> => {
      await fileModule.recover();
      await functionModule.recover();
      const ports = port === undefined ? [settings.lastPort() ?? 0, 0] : [port];
      const { port: boundPort } = await listenOnFirstFreePort(http, ports, host);
      ownAddresses.setPort(boundPort);
      await settings.rememberPort(boundPort).catch((error: unknown) => {
        // The server must start even without disk space, so that its data can be read.
        log.warn({ err: error }, 'could not store the port; the next start may use a different port');
      });
      startBackgroundWork();
      return { port: boundPort, url: `http://127.0.0.1:${boundPort}` };
    };

    return {
      owner,
      secondFactor: identity.secondFactor,
      users,
      applications,
      contracts,
      statistics,
      network: exchange,
      events,
      debits,
      debitNotifier,
      records: data.records,
      queries,
      imports,
      exports: data.exports,
      deletions,
      fileModule,
      functions: functionModule.functions,
      outbox,
      exposure,
      backup: account.backup,
      move: account.transfer,
      /** Resolves when a restore or an import is complete. The PDA must then be created again. */
      whenHomeReplaced: account.whenHomeReplaced,
      erasure: account.erasure,
      openDesktop: account.openDesktop,
      ledger,
      indexes,
      routes,
      /**
       * Starts the server and returns its address on this machine. By default, it reuses the port of the last start, so
       * that tokens and browser storage stay valid. If that port is taken, or at the first start, it uses any free
       * port.
       */
      async listen(port?: number, host = '127.0.0.1'): Promise<{ port: number; url: string }> {
        try {
          return await startServing(port, host);
        } catch (error) {
          throw toCorruptionProblem(home.database, error);
        }
      },
      verify: () => storage.verify(),
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw toCorruptionProblem(home.database, error);
  }
};

/** Command line tools for backups and receipts, which need no running server. */
export * as backupTools from './account/backup/operations/command-line.ts';
export * as receiptTools from './sharing/debits/receipts/verification.ts';
