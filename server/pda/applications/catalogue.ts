import type { Application } from '../../wire/applications.ts';
import { keyOf } from './rules.ts';

/** The applications that are known here, set up or not. */
export type Catalogue = {
  list(): readonly Application[];
  find(id: string): Application | undefined;
  /** Where it is known from: the address of an exchange; empty: config.json. */
  originOf(id: string): string;
  /** Reads the list again when it is older than a minute. Resolves when it was read, or after a moment: a slow exchange does not delay the owner. */
  refresh(): Promise<void>;
  /** A Data Plug was connected: it signs in by what the exchange says of it now, not by what it said an hour ago. */
  connected(): void;
  /** Hears of each change of the list. Returns how to stop. */
  onChange(listener: () => void): () => void;
};

/** A list that somebody publishes; it may be another one at each look, and is the same object until it changes. */
export type Published = Pick<Catalogue, 'refresh' | 'connected' | 'onChange'> & {
  list(): readonly Application[];
  origin(): string;
};

const byKey = (applications: readonly Application[]): ReadonlyMap<string, Application> =>
  new Map(applications.map((application) => [keyOf(application.id), application]));

/**
 * What config.json names, and what the exchange has published. An id of config.json is the owner's own word: whatever is published under it
 * is not there.
 */
export const createCatalogue = (fixed: readonly Application[], published: Published): Catalogue => {
  const own = byKey(fixed);
  type Merged = { from: readonly Application[]; all: readonly Application[]; found: ReadonlyMap<string, Application> };
  let merged: Merged | undefined;

  const current = (): Merged => {
    const from = published.list();
    if (merged?.from !== from) {
      const rest = from.filter(({ id }) => !own.has(keyOf(id)));
      merged = { from, all: [...fixed, ...rest], found: new Map([...byKey(rest), ...own]) };
    }
    return merged;
  };

  return {
    list: () => current().all,
    find: (id) => current().found.get(keyOf(id)),
    originOf: (id) => (own.has(keyOf(id)) ? '' : published.origin()),
    refresh: published.refresh,
    connected: published.connected,
    onChange: published.onChange,
  };
};
