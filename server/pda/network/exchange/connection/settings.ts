import type { Transaction, Writer } from '../../../storage/index.ts';
import { exchangeAt } from '../rules.ts';
import type { Exchange } from '../service.ts';
import type { ExchangeStore, SettingsRow } from '../store.ts';

/** Which services this PDA takes part in: what config.json says comes before what the owner chose in the dashboard. */
export type Choices = {
  exchange(): Exchange | undefined;
  exchangeFixed: boolean;
  contractsUrl(): string | undefined;
  contractsFixed: boolean;
  /** Whether this PDA is to be registered with the exchange. */
  takesPart(): boolean;
  reportsOn(): boolean;
  set(change: Partial<SettingsRow>, also?: (tx: Transaction) => void): Promise<void>;
};

export const createChoices = (parts: {
  store: ExchangeStore;
  writer: Writer;
  fixed: { exchange: string | undefined; contracts: string | undefined };
}): Choices => {
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
