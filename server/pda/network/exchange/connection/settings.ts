import type { Transaction, Writer } from '../../../storage/index.ts';
import { exchangeAt } from '../rules.ts';
import type { Exchange } from '../service.ts';
import type { ExchangeStore, SettingsRow } from '../store.ts';

/** The services that this PDA uses. Settings of config.json override the owner's choice in the dashboard. */
export type ExchangeSettings = {
  exchange(): Exchange | undefined;
  exchangeFixed: boolean;
  contractsUrl(): string | undefined;
  contractsFixed: boolean;
  /** Returns true if the owner wants this PDA to be registered with the exchange. */
  takesPart(): boolean;
  reportsOn(): boolean;
  /** @param also writes to the same transaction */
  set(change: Partial<SettingsRow>, also?: (tx: Transaction) => void): Promise<void>;
};

export const createExchangeSettings = (parts: {
  store: ExchangeStore;
  writer: Writer;
  fixed: { exchange: string | undefined; contracts: string | undefined };
}): ExchangeSettings => {
  const { store, writer, fixed } = parts;
  let row = store.settings();

  return {
    exchange() {
      const url = fixed.exchange ?? row.exchange;
      return url === null ? undefined : exchangeAt(url);
    },
    exchangeFixed: fixed.exchange !== undefined,
    contractsUrl() {
      const url = fixed.contracts ?? row.contracts;
      return url === null ? undefined : exchangeAt(url).url;
    },
    contractsFixed: fixed.contracts !== undefined,
    takesPart: () => row.takes_part === 1,
    reportsOn: () => row.reports === 1,
    async set(change, also) {
      row = await writer.write((tx) => {
        const changed = { ...store.settings(), ...change };
        store.setSettings(tx, changed);
        also?.(tx);
        return changed;
      });
    },
  };
};
