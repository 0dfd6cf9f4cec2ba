import type { NamedBundle } from '../../../wire/query.ts';

/** Source of bundles that another module stores. */
export type BundleSource = {
  /** Returns the bundles of this source that need indexes, as registered bundles do. */
  bundles(): readonly NamedBundle[];
  /** Returns true if this source reserves the name, which is then not available for registration. */
  hasName(name: string): boolean;
};

export type BundleSources = BundleSource & { add(source: BundleSource): void };

export const createBundleSources = (): BundleSources => {
  const sources: BundleSource[] = [];
  return {
    add: (source) => void sources.push(source),
    bundles: () => sources.flatMap((source) => source.bundles()),
    hasName: (name) => sources.some((source) => source.hasName(name)),
  };
};
