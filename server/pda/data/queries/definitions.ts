import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Writer } from '../../storage/index.ts';
import type { BundleSources } from './bundle-sources.ts';
import type { EarnedIndexes } from './indexes/manager.ts';
import type { QueryStore } from './store.ts';

export type DefinitionKind = 'combinators' | 'bundles';

/** Combinators and bundles by their names. */
export type Definitions = {
  /** @throws Failure not_found */
  find(kind: DefinitionKind, name: string): unknown;
  list(kind: DefinitionKind): { name: string; created: string }[];
  /** @throws Failure already_exists unless `replace` */
  register(kind: DefinitionKind, name: string, definition: unknown, replace: boolean): Promise<void>;
  /** @throws Failure not_found | already_exists */
  remove(kind: DefinitionKind, name: string): Promise<void>;
};

const MAX_REMEMBERED = 500;

const unknownName = (kind: DefinitionKind, name: string): Failure =>
  new Failure('not_found', `There is no ${kind.slice(0, -1)} with the name ${name}.`);

export const createDefinitions = (parts: {
  store: QueryStore;
  writer: Writer;
  indexes: EarnedIndexes;
  clock: Clock;
  sources: BundleSources;
}): Definitions => {
  const { store, writer, indexes, clock } = parts;

  /** A bundle that belongs to a Data Debit is not changed here: what the owner agreed to would be another thing. */
  const refuseForeign = (kind: DefinitionKind, name: string): void => {
    if (kind === 'bundles' && parts.sources.holdsName(name))
      throw new Failure('already_exists', `The bundle ${name} belongs to a Data Debit. Nothing was changed.`);
  };

  /** Definitions by name, as they are on the disk. Forgotten at each change. */
  const known = { combinators: new Map<string, unknown>(), bundles: new Map<string, unknown>() };

  return {
    find(kind, name) {
      const remembered = known[kind].get(name);
      if (remembered !== undefined) return remembered;
      const row = store[kind].find(name);
      if (row === undefined) throw unknownName(kind, name);
      const value: unknown = JSON.parse(row.definition);
      setBounded(known[kind], name, value, MAX_REMEMBERED);
      return value;
    },

    list: (kind) => store[kind].list().map(({ name, created }) => ({ name, created: isoTime(created) })),

    async register(kind, name, definition, replace) {
      const row = { name, definition: JSON.stringify(definition), created: clock.now() };
      await writer.write((tx) => {
        tx.afterCommit(() => known[kind].delete(name));
        refuseForeign(kind, name);
        if (replace) store[kind].replace(tx, row);
        else if (store[kind].find(name) === undefined) store[kind].insert(tx, row);
        else
          throw new Failure(
            'already_exists',
            `There is a ${kind.slice(0, -1)} with the name ${name} already. Nothing was changed.`,
          );
      });
      indexes.settle();
    },

    async remove(kind, name) {
      const removed = await writer.write((tx) => {
        refuseForeign(kind, name);
        tx.afterCommit(() => known[kind].delete(name));
        return store[kind].remove(tx, name);
      });
      if (!removed) throw unknownName(kind, name);
      indexes.settle();
    },
  };
};
