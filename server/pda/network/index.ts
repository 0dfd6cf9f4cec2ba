import type { Config } from '../config.ts';
import type { Core } from '../core/index.ts';
import type { Data } from '../data/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Sharing } from '../sharing/index.ts';
import type { Home } from '../storage/home/folder.ts';
import { createAddressModule, type AddressModuleParts } from './address/index.ts';
import { createExchangeModule } from './exchange/index.ts';
import { createStatisticsService } from './statistics/service.ts';

export type NetworkParts = Core & {
  identity: Identity;
  data: Data;
  sharing: Sharing;
  home: Home;
  config: Config;
  countAccessibleFiles: AddressModuleParts['countAccessibleFiles'];
  countActiveLinks: AddressModuleParts['countActiveLinks'];
  /** Overrides the access mode of config.json. */
  publicUrl: string | undefined;
  /** Replacements for parts that use the network, the time or random numbers, for tests. */
  replacements: Pick<AddressModuleParts, 'resolve' | 'timers' | 'createCertificateManager' | 'random'>;
};

export const createNetwork = (parts: NetworkParts) => {
  const { identity, data, sharing, home, config, publicUrl, replacements } = parts;
  const { endpoints, ownAddresses, reachableHost, safeFetch, lifecycle } = parts;
  const { owner } = identity;
  const { ledger, debits, contracts, applications } = sharing;

  const exchangeModule = createExchangeModule({
    ...parts,
    configured: { exchange: config.exchange?.url, contracts: config.contracts?.url },
    fetch: safeFetch,
    owner,
    isOwnHost: ownAddresses.isOwn,
    address: reachableHost,
    debits,
    previewOf: sharing.previewOf,
    isNameFree: sharing.isBundleNameFree,
    countRecordsAt: (endpoint) => endpoints.summary(endpoint)?.records ?? 0,
    enabledPlug: sharing.enabledPlug,
    addCatalogue: sharing.addCatalogue,
  });
  lifecycle.onClose('exchange', () => exchangeModule.close());
  const { network: exchange } = exchangeModule;
  sharing.setContractsUrl(exchange.contractsUrl);

  const statistics = createStatisticsService({
    ...parts,
    ledger,
    debits,
    records: data.recordStore,
    reportsTo: exchange.reportsTo,
    areStatisticsAllowed: exchange.areStatisticsAllowed,
    isClaimed: exchangeModule.isClaimed,
    exchange,
  });
  lifecycle.onClose('statistics', () => statistics.close());
  exchangeModule.setReportCounts(statistics.counts);

  const stopListening = exchange.onChange(() => {
    contracts.wake();
    statistics.wake();
  });
  lifecycle.onClose('changes of the exchange', () => stopListening());

  const addressModule = createAddressModule({
    ...parts,
    ...replacements,
    home: home.path,
    configured: publicUrl === undefined ? config : { publicUrl },
    publicPort: config.publicPort,
    authorities: config.development?.authorities,
    owner,
    isEnabled: (application) => applications.scopesOf(application) !== undefined,
    debits,
    sharedViews: sharing.sharedViews,
    contracts,
    exchange: exchangeModule,
    recordEvent: (tx, event) => void sharing.accessLog.recordAccountEvent(tx, event),
  });

  return {
    exchange: exchangeModule,
    statistics,
    address: addressModule,
    routes: [...exchangeModule.routes, ...addressModule.routes] as const,
  };
};

export type Network = ReturnType<typeof createNetwork>;
