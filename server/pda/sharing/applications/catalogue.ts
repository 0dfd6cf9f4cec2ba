import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { Application } from '../../../wire/applications.ts';
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
  /** Registers a listener for changes of the list. Returns the function that unregisters it. */
  onChange(listener: () => void): () => void;
  /** Registers the list of the exchange. */
  addPublished(published: Published): void;
};

/** A published list. It can change between reads, and is the same object until it does. */
export type Published = Pick<Catalogue, 'refresh' | 'connected' | 'onChange'> & {
  list(): readonly Application[];
  origin(): string;
};

const NO_APPLICATIONS: readonly Application[] = [];

const byKey = (applications: readonly Application[]): ReadonlyMap<string, Application> =>
  new Map(applications.map((application) => [keyOf(application.id), application]));

/**
 * What config.json names, and what the exchange has published. An id of config.json is the owner's own word: whatever is published under it
 * is not there.
 */
export const createCatalogue = (fixed: readonly Application[]): Catalogue => {
  const own = byKey(fixed);
  const published = createLateBinding<Published>('the applications of the exchange');
  const listeners = new Set<() => void>();
  type Merged = { from: readonly Application[]; all: readonly Application[]; found: ReadonlyMap<string, Application> };
  let merged: Merged | undefined;

  const current = (): Merged => {
    const from = published.find()?.list() ?? NO_APPLICATIONS;
    if (merged?.from !== from) {
      const rest = from.filter(({ id }) => !own.has(keyOf(id)));
      merged = { from, all: [...fixed, ...rest], found: new Map([...byKey(rest), ...own]) };
    }
    return merged;
  };

  return {
    list: () => current().all,
    find: (id) => current().found.get(keyOf(id)),
    originOf: (id) => (own.has(keyOf(id)) ? '' : (published.find()?.origin() ?? '')),
    async refresh() {
      await published.find()?.refresh();
    },
    connected: () => published.find()?.connected(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    addPublished(source) {
      published.register(source);
      source.onChange(() => {
        for (const listener of listeners) listener();
      });
    },
  };
};
