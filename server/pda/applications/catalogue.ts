import type { Application } from '../../wire/applications.ts';
import { keyOf } from './rules.ts';

/** The applications that are known here, set up or not. */
export type Catalogue = {
  list(): readonly Application[];
  find(id: string): Application | undefined;
  /** Hears of each change of the list. Returns how to stop. */
  onChange(listener: () => void): () => void;
};

/** A list that never changes: the one of `config.json`, whose ids differ. */
export const createFixedCatalogue = (applications: readonly Application[]): Catalogue => {
  const byKey = new Map(applications.map((application) => [keyOf(application.id), application]));
  return {
    list: () => applications,
    find: (id) => byKey.get(keyOf(id)),
    onChange: () => () => undefined,
  };
};
