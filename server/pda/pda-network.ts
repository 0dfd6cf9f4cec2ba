import type { Lifecycle } from '../platform/lifecycle.ts';
import type { createApplicationRoom } from './applications/room.ts';
import type { Config } from './config.ts';
import { createContractRoom, type ContractRoomParts } from './contracts/room.ts';
import type { createDebitRoom } from './debits/room.ts';
import type { EventService } from './events/service.ts';
import { createExchangeRoom, type ExchangeRoomParts } from './exchange/room.ts';
import type { Hosts } from './hosts.ts';
import type { LedgerService } from './ledger/service.ts';
import type { OwnerService } from './owner/service.ts';
import type { createQueryRoom } from './queries/room.ts';
import type { createRecordRoom } from './records/room.ts';
import { createStatisticsRoom } from './statistics/room.ts';

/** What every room works with. */
type Common = Pick<ExchangeRoomParts, 'db' | 'writer' | 'clock' | 'log'> & { events: EventService };

type NetworkParts = {
  common: Common;
  config: Config;
  lifecycle: Lifecycle;
  safeFetch: ExchangeRoomParts['fetch'];
  /** Whether others may reach this PDA by an address of this machine. */
  allowLoopback: boolean;
  hosts: Pick<Hosts, 'isOwn' | 'own' | 'reachable'>;
  owner: OwnerService;
  ledger: LedgerService;
  recordRoom: ReturnType<typeof createRecordRoom>;
  queryRoom: ReturnType<typeof createQueryRoom>;
  debitRoom: ReturnType<typeof createDebitRoom>;
  calls: ContractRoomParts['calls'];
  applicationRoom: () => ReturnType<typeof createApplicationRoom>;
};

/** The rooms that are about others: the exchange, the contracts service, and what is counted for them. */
export const createNetworkRooms = (parts: NetworkParts) => {
  const { common, config, lifecycle, safeFetch, allowLoopback, hosts, owner, ledger, applicationRoom } = parts;
  const { debitRoom } = parts;
  const { endpoints, store } = parts.recordRoom;
  const { debits } = debitRoom;

  const exchangeRoom = createExchangeRoom({
    ...common,
    fixed: { exchange: config.exchange?.url, contracts: config.contracts?.url },
    fetch: safeFetch,
    owner,
    isOwnHost: hosts.isOwn,
    address: () => hosts.reachable(allowLoopback),
    debits,
    previewOf: debitRoom.preview.ofBundle,
    isNameFree: debitRoom.isNameFree,
    recordsAt: (endpoint) => endpoints.summary(endpoint)?.records ?? 0,
    approvedPlug: (id, tx) => applicationRoom().approvedPlug(id, tx),
    reports: () => statistics.counts(),
  });
  lifecycle.onClose('exchange', () => exchangeRoom.close());
  const { network } = exchangeRoom;

  const contractRoom = createContractRoom({
    ...common,
    calls: parts.calls,
    safeFetch,
    keys: owner.keys,
    contractsUrl: network.contractsUrl,
    address: () => hosts.reachable(allowLoopback) ?? hosts.own(),
    ownerName: () => owner.profile()?.name,
    approved: (id) => applicationRoom().applications.contractOf(id),
    disable: (id) => applicationRoom().applications.disable(id),
    useOf: ledger.ofContract,
  });
  const { contracts } = contractRoom;
  lifecycle.onClose('contracts', () => contractRoom.close());

  const statistics = createStatisticsRoom({
    ...common,
    ledger,
    debits,
    endpoints,
    records: store,
    reportsTo: network.reportsTo,
    reportsOn: network.reportsOn,
    isClaimed: exchangeRoom.isClaimed,
    exchange: network,
  });
  lifecycle.onClose('statistics', () => statistics.close());
  const ignoreNetwork = network.onChange(() => {
    contracts.wake();
    statistics.wake();
  });
  lifecycle.onClose('the network', () => ignoreNetwork());

  return { exchangeRoom, contractRoom, contracts, statistics };
};
