import type { NamedBundle } from '../../../wire/query.ts';

/** Source of bundles that another module stores. */
export type BundleSource = {
  /** Returns bundles that are read often. Indexes are built for them as for registered ones. */
  bundles(): readonly NamedBundle[];
  /** Returns true if a bundle of this source has the name, so that no other bundle can be registered under it. */
  hasName(name: string): boolean;
};

/** Combines the bundles of all sources. */
export type BundleSources = BundleSource & { add(source: BundleSource): void };

export const createBundleSources = (): BundleSources => {
  const sources: BundleSource[] = [];
  return {
    add: (source) => void sources.push(source),
    bundles: () => sources.flatMap((source) => source.bundles()),
    hasName: (name) => sources.some((source) => source.hasName(name)),
  };
};
