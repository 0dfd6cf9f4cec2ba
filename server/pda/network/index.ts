import type { Config } from '../config.ts';
import type { Core } from '../core/index.ts';
import type { Data } from '../data/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Sharing } from '../sharing/index.ts';
import type { Home } from '../storage/home/folder.ts';
import { createAddressRoom, type AddressRoomParts } from './address/index.ts';
import { createExchangeRoom } from './exchange/index.ts';
import { createStatisticsRoom } from './statistics/index.ts';

export type NetworkParts = Core & {
  identity: Identity;
  data: Data;
  sharing: Sharing;
  home: Home;
  config: Config;
  /** Overrides the address settings of config.json. */
  publicUrl: string | undefined;
  /** Replacements of parts that depend on the outside; for tests. */
  replacements: Pick<AddressRoomParts, 'resolve' | 'timers' | 'createCertificates' | 'random'>;
};

/** Creates the exchange client, the statistics for the exchange, and the public address. */
export const createNetwork = (parts: NetworkParts) => {
  const { identity, data, sharing, home, config, publicUrl, replacements } = parts;
  const { endpoints, hosts, reachableHost, safeFetch, lifecycle } = parts;
  const { owner } = identity;
  const { ledger, debits, contracts, applications } = sharing;

  const exchangeRoom = createExchangeRoom({
    ...parts,
    fixed: { exchange: config.exchange?.url, contracts: config.contracts?.url },
    fetch: safeFetch,
    owner,
    isOwnHost: hosts.isOwn,
    address: reachableHost,
    debits,
    previewOf: sharing.previewOf,
    isNameFree: sharing.isBundleNameFree,
    recordsAt: (endpoint) => endpoints.summary(endpoint)?.records ?? 0,
    approvedPlug: sharing.approvedPlug,
    addCatalogue: sharing.addCatalogue,
  });
  lifecycle.onClose('exchange', () => exchangeRoom.close());
  const { network: exchange } = exchangeRoom;
  sharing.setContractsService(exchange.contractsUrl);

  const statistics = createStatisticsRoom({
    ...parts,
    ledger,
    debits,
    records: data.recordStore,
    reportsTo: exchange.reportsTo,
    reportsOn: exchange.reportsOn,
    isClaimed: exchangeRoom.isClaimed,
    exchange,
  });
  lifecycle.onClose('statistics', () => statistics.close());
  exchangeRoom.setReportCounts(statistics.counts);

  const stopListening = exchange.onChange(() => {
    contracts.wake();
    statistics.wake();
  });
  lifecycle.onClose('changes of the exchange', () => stopListening());

  const addressRoom = createAddressRoom({
    ...parts,
    ...replacements,
    home: home.path,
    fixed: publicUrl === undefined ? config : { publicUrl },
    publicPort: config.publicPort,
    authorities: config.development?.authorities,
    owner,
    isEnabled: (application) => applications.scopesOf(application) !== undefined,
    debits,
    contracts,
    exchange: exchangeRoom,
    note: (tx, note) => void sharing.accessLog.noteAccount(tx, note),
  });

  return {
    exchange: exchangeRoom,
    statistics,
    address: addressRoom,
    routes: [...exchangeRoom.routes, ...addressRoom.routes] as const,
  };
};

export type Network = ReturnType<typeof createNetwork>;
