import { isoTimeOrNull } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { urlOfPda } from '../../../../platform/outbound/pda-address.ts';
import { pdaDisclosureSchema } from '../../../../wire/exchange.ts';
import type { Network, NetworkChange } from '../../../../wire/network.ts';
import type { Transaction } from '../../../storage/index.ts';
import { jsonOf, problemOf, type ExchangeClient } from './client.ts';
import type { Registration } from './registration.ts';
import { normalizeServiceUrl } from '../rules.ts';
import type { NetworkService, ReportCounts } from '../service.ts';
import type { ExchangeSettings } from './settings.ts';
import type { SettingsRow } from '../store.ts';

export type NetworkServiceParts = {
  client: ExchangeClient;
  settings: ExchangeSettings;
  registration: Registration;
  address: () => string | undefined;
  /** Returns Unix milliseconds of the last successful read of the applications; null if there was none. */
  catalogueAt: () => number | null;
  reports: ReportCounts;
  readExchangeRecord: NetworkService['readExchangeRecord'];
  dropPreviousExchange: (tx: Transaction, newExchange: string | null) => void;
  reconcileNow: () => Promise<void>;
  publish: (tx: Transaction) => void;
  onChange: (listener: () => void) => () => void;
};

const NO_ADDRESS = 'This PDA has no public address yet, so no exchange can reach it.';

/** Requests contain tokens, which must not be sent to another computer unencrypted. */
const isUnencryptedRemoteUrl = (url: string): boolean => {
  const { protocol, host } = new URL(url);
  return protocol === 'http:' && urlOfPda(host).startsWith('https:');
};

const validateServiceUrl = (path: string, url: string): string => {
  const { username, password } = new URL(url);
  const problem =
    username !== '' || password !== ''
      ? 'contains a user name or a password'
      : isUnencryptedRemoteUrl(url)
        ? 'is not https, so others could read the traffic'
        : undefined;
  if (problem === undefined) return normalizeServiceUrl(url);
  throw new Failure('invalid_input', `The address ${problem}. Nothing was changed.`, {
    details: [{ path, problem }],
  });
};

export const createExchangeRecordReader =
  (
    parts: Pick<NetworkServiceParts, 'client' | 'settings' | 'registration'> & { signal: AbortSignal },
  ): NetworkService['readExchangeRecord'] =>
  async () => {
    const { client, settings, registration, signal } = parts;
    const exchange = settings.exchange();
    if (exchange === undefined) return { known: null, problem: 'No exchange is chosen.' };
    const identity = registration.identity();
    if (identity === undefined) return { known: null, problem: 'This PDA is not registered with the exchange.' };
    const result = await client.call(exchange, { path: '/api/pdas/self', signal }, identity);
    if (!result.ok || result.status !== 200) return { known: null, problem: problemOf(result) };
    const disclosure = pdaDisclosureSchema.safeParse(jsonOf(result.body)).data;
    return disclosure === undefined
      ? { known: null, problem: 'The exchange sent an invalid response.' }
      : { known: disclosure, problem: null };
  };

export const createNetworkService = (parts: NetworkServiceParts): NetworkService => {
  const { client, settings, registration } = parts;
  const view = (): Network => {
    const exchange = settings.exchange();
    const contracts = settings.contractsUrl();
    const { waiting, sent, lastSent } = parts.reports();
    const row = registration.row();
    const address = parts.address() ?? null;
    return {
      exchange:
        exchange === undefined
          ? null
          : {
              url: exchange.url,
              fixed: settings.isExchangeFixed,
              state: registration.state(),
              address: row?.address ?? null,
              since: isoTimeOrNull(row?.since),
              problem: settings.participatesInExchange() && address === null ? NO_ADDRESS : (row?.problem ?? null),
              reachable: client.isReachable(exchange),
              catalogueAt: isoTimeOrNull(parts.catalogueAt()),
            },
      contracts: contracts === undefined ? null : { url: contracts, fixed: settings.isContractsFixed },
      publicAddress: address,
      reports: { on: settings.areStatisticsAllowed(), waiting, sent, lastSent: isoTimeOrNull(lastSent) },
    };
  };

  const requireExchange = (): void => {
    if (settings.exchange() === undefined) throw new Failure('wrong_state', 'No exchange is chosen. Choose one first.');
  };

  const rowOf = (change: NetworkChange): Partial<SettingsRow> => {
    const isFixed =
      (change.exchange !== undefined && settings.isExchangeFixed) ||
      (change.contracts !== undefined && settings.isContractsFixed);
    if (isFixed) throw new Failure('wrong_state', 'This is set in config.json. Change it there. Nothing was changed.');
    const { exchange, contracts, reports } = change;
    return {
      ...(exchange === undefined
        ? {}
        : { exchange: exchange === null ? null : validateServiceUrl('body.exchange', exchange), participates: 1 }),
      ...(contracts === undefined
        ? {}
        : { contracts: contracts === null ? null : validateServiceUrl('body.contracts', contracts) }),
      ...(reports === undefined ? {} : { reports: reports ? 1 : 0 }),
    };
  };

  return {
    registeredExchange: () => (registration.identity() === undefined ? undefined : settings.exchange()),
    address: parts.address,
    contractsUrl: settings.contractsUrl,
    areStatisticsAllowed: settings.areStatisticsAllowed,
    reportsTo: () => (settings.participatesInExchange() ? settings.exchange()?.url : undefined),
    async call(request) {
      const exchange = settings.exchange();
      const identity = registration.identity();
      if (exchange === undefined || identity === undefined)
        return { ok: false, failure: 'unreachable', cause: 'This PDA is not registered with an exchange.' };
      const result = await client.call(exchange, request, identity);
      if (result.ok && result.status === 401) await registration.markForRefresh();
      return result;
    },
    onChange: parts.onChange,

    view,

    async change(change) {
      const row = rowOf(change);
      const previousUrl = settings.exchange()?.url ?? null;
      await settings.set(row, (tx) => {
        if (row.exchange !== undefined && row.exchange !== previousUrl) parts.dropPreviousExchange(tx, row.exchange);
        parts.publish(tx);
      });
      if (row.exchange !== undefined) await parts.reconcileNow();
      return view();
    },

    async register() {
      requireExchange();
      await settings.set({ participates: 1 }, parts.publish);
      await parts.reconcileNow();
      return view();
    },

    async leave() {
      requireExchange();
      await settings.set({ participates: 0 }, (tx) => {
        parts.dropPreviousExchange(tx, settings.exchange()?.url ?? null);
        parts.publish(tx);
      });
      await parts.reconcileNow();
      return view();
    },

    readExchangeRecord: parts.readExchangeRecord,
  };
};
