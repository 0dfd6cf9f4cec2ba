import type { NamedBundle } from '../../../wire/query.ts';

/** Bundles that another room stores. */
export type BundleSource = {
  /** Bundles that are read often; indexes are built for them as for registered ones. */
  bundles(): readonly NamedBundle[];
  /** Whether a name is taken by a bundle of this source, so that none can be registered under it. */
  holdsName(name: string): boolean;
};

/** The bundles of all sources together. */
export type BundleSources = BundleSource & { add(source: BundleSource): void };

export const createBundleSources = (): BundleSources => {
  const sources: BundleSource[] = [];
  return {
    add: (source) => void sources.push(source),
    bundles: () => sources.flatMap((source) => source.bundles()),
    holdsName: (name) => sources.some((source) => source.holdsName(name)),
  };
};
