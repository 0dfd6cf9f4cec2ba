import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { Application } from '../../../wire/applications.ts';
import { keyOf } from './rules.ts';

/** Applications of config.json and of the exchange, including those that are not set up. */
export type Catalogue = {
  list(): readonly Application[];
  find(id: string): Application | undefined;
  /** Returns the URL of the exchange; empty for an application of config.json, and if there is no exchange. */
  originOf(id: string): string;
  refresh(): Promise<void>;
  /** Refreshes the list of Data Plugs. Called after the owner has set one up. */
  refreshPlugs(): void;
  onChange(listener: () => void): () => void;
  addPublished(publishedCatalogue: PublishedCatalogue): void;
};

/** Catalogue that an exchange publishes. `list` returns the same array until the catalogue changes. */
type PublishedCatalogue = Pick<Catalogue, 'refresh' | 'refreshPlugs' | 'onChange'> & {
  list(): readonly Application[];
  origin(): string;
};

const NO_APPLICATIONS: readonly Application[] = [];

const indexByKey = (applications: readonly Application[]): ReadonlyMap<string, Application> =>
  new Map(applications.map((application) => [keyOf(application.id), application]));

/**
 * Creates the catalogue from the applications of config.json and of the exchange. If both contain an id, config.json
 * takes precedence, because it is the owner's choice.
 */
export const createCatalogue = (configured: readonly Application[]): Catalogue => {
  const configuredById = indexByKey(configured);
  const exchangeCatalogue = createLateBinding<PublishedCatalogue>('the applications of the exchange');
  const listeners = new Set<() => void>();
  type MergedCatalogue = {
    publishedApplications: readonly Application[];
    all: readonly Application[];
    byId: ReadonlyMap<string, Application>;
  };
  let mergedCatalogue: MergedCatalogue | undefined;

  const currentCatalogue = (): MergedCatalogue => {
    const publishedApplications = exchangeCatalogue.find()?.list() ?? NO_APPLICATIONS;
    if (mergedCatalogue?.publishedApplications !== publishedApplications) {
      const additionalApplications = publishedApplications.filter(({ id }) => !configuredById.has(keyOf(id)));
      mergedCatalogue = {
        publishedApplications,
        all: [...configured, ...additionalApplications],
        byId: new Map([...indexByKey(additionalApplications), ...configuredById]),
      };
    }
    return mergedCatalogue;
  };

  return {
    list: () => currentCatalogue().all,
    find: (id) => currentCatalogue().byId.get(keyOf(id)),
    originOf: (id) => (configuredById.has(keyOf(id)) ? '' : (exchangeCatalogue.find()?.origin() ?? '')),
    async refresh() {
      await exchangeCatalogue.find()?.refresh();
    },
    refreshPlugs: () => exchangeCatalogue.find()?.refreshPlugs(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    addPublished(publishedCatalogue) {
      exchangeCatalogue.register(publishedCatalogue);
      publishedCatalogue.onChange(() => {
        for (const listener of listeners) listener();
      });
    },
  };
};
