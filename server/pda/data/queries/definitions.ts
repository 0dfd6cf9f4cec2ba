import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Writer } from '../../storage/index.ts';
import type { BundleSources } from './bundle-sources.ts';
import type { IndexManager } from './indexes/manager.ts';
import type { QueryStore } from './store.ts';

type DefinitionKind = 'combinators' | 'bundles';

const MAX_CACHED_DEFINITIONS = 500;

const unknownNameFailure = (kind: DefinitionKind, name: string): Failure =>
  new Failure('not_found', `There is no ${kind.slice(0, -1)} with the name ${name}.`);

export const createDefinitions = (parts: {
  store: QueryStore;
  writer: Writer;
  indexes: IndexManager;
  clock: Clock;
  sources: BundleSources;
}) => {
  const { store, writer, indexes, clock } = parts;

  /** Throws for a bundle of a Data Debit, because changing it would change what the owner agreed to. */
  const refuseDebitBundle = (kind: DefinitionKind, name: string): void => {
    if (kind === 'bundles' && parts.sources.hasName(name))
      throw new Failure('already_exists', `The bundle ${name} belongs to a Data Debit. Nothing was changed.`);
  };

  /** Registering or removing a definition evicts it. */
  const cache = { combinators: new Map<string, unknown>(), bundles: new Map<string, unknown>() };

  return {
    find(kind: DefinitionKind, name: string): unknown {
      const cached = cache[kind].get(name);
      if (cached !== undefined) return cached;
      const row = store[kind].find(name);
      if (row === undefined) throw unknownNameFailure(kind, name);
      const definition: unknown = JSON.parse(row.definition);
      setBounded(cache[kind], name, definition, MAX_CACHED_DEFINITIONS);
      return definition;
    },

    list: (kind: DefinitionKind) =>
      store[kind].list().map(({ name, created }) => ({ name, created: isoTime(created) })),

    async register(kind: DefinitionKind, name: string, definition: unknown, replace: boolean): Promise<void> {
      const row = { name, definition: JSON.stringify(definition), created: clock.now() };
      await writer.write((tx) => {
        tx.afterCommit(() => cache[kind].delete(name));
        refuseDebitBundle(kind, name);
        if (replace) store[kind].replace(tx, row);
        else if (store[kind].find(name) === undefined) store[kind].insert(tx, row);
        else
          throw new Failure(
            'already_exists',
            `A ${kind.slice(0, -1)} with the name ${name} already exists. Nothing was changed.`,
          );
      });
      indexes.reconcile();
    },

    async remove(kind: DefinitionKind, name: string): Promise<void> {
      const wasRemoved = await writer.write((tx) => {
        refuseDebitBundle(kind, name);
        tx.afterCommit(() => cache[kind].delete(name));
        return store[kind].remove(tx, name);
      });
      if (!wasRemoved) throw unknownNameFailure(kind, name);
      indexes.reconcile();
    },
  };
};
