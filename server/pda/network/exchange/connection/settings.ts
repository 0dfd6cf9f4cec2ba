import type { Transaction, Writer } from '../../../storage/index.ts';
import { normalizeServiceUrl, toExchange } from '../rules.ts';
import type { Exchange } from '../service.ts';
import type { ExchangeStore, SettingsRow } from '../store.ts';

/** The PDA's settings for the exchange and the contracts service. URLs in config.json override the owner's choice. */
export type ExchangeSettings = {
  exchange(): Exchange | undefined;
  isExchangeFixed: boolean;
  contractsUrl(): string | undefined;
  isContractsFixed: boolean;
  participatesInExchange(): boolean;
  /** Returns URL and participation, including uncommitted changes. */
  exchangeWithin(tx: Transaction): { url: string | undefined; participates: boolean };
  areStatisticsAllowed(): boolean;
  /** @param extraWrites writes in the same transaction */
  set(change: Partial<SettingsRow>, extraWrites?: (tx: Transaction) => void): Promise<void>;
};

export const createExchangeSettings = (parts: {
  store: ExchangeStore;
  writer: Writer;
  configured: { exchange: string | undefined; contracts: string | undefined };
}): ExchangeSettings => {
  const { store, writer, configured } = parts;
  let row = store.settings();
  const exchangeOf = ({ exchange }: SettingsRow): Exchange | undefined => {
    const url = configured.exchange ?? exchange;
    return url === null ? undefined : toExchange(url);
  };

  return {
    exchange: () => exchangeOf(row),
    isExchangeFixed: configured.exchange !== undefined,
    contractsUrl() {
      const url = configured.contracts ?? row.contracts;
      return url === null ? undefined : normalizeServiceUrl(url);
    },
    isContractsFixed: configured.contracts !== undefined,
    participatesInExchange: () => row.participates === 1,
    exchangeWithin(_tx) {
      const current = store.settings();
      return { url: exchangeOf(current)?.url, participates: current.participates === 1 };
    },
    areStatisticsAllowed: () => row.reports === 1,
    async set(change, extraWrites) {
      await writer.write((tx) => {
        const newRow = { ...store.settings(), ...change };
        store.setSettings(tx, newRow);
        // Registered before the after-commit actions of `extraWrites`, which read the new settings.
        tx.afterCommit(() => {
          row = newRow;
        });
        extraWrites?.(tx);
      });
    },
  };
};
