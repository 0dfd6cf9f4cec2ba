import {
  functionManifestSchema,
  type FunctionManifest,
  type FunctionRegistration,
  type OwnerFunction,
} from '../../../wire/functions.ts';
import { MAX_FUNCTION_RUN_MS } from '../../../wire/limits.ts';
import { placeOfLocation } from '../rules.ts';
import type { FunctionStore, PackageRow } from '../store.ts';

/** A function that can be asked, by what config.json says and what is installed. */
export type Registered = {
  id: string;
  version: string;
  /** `sandbox:…`, or the address of its gateway. */
  location: string;
  place: OwnerFunction['place'];
  /** The one endpoint at which it may store. */
  endpoint: string;
  reads: 'new' | 'all';
  /** null: unknown, for remote functions. */
  memoryMb: number | null;
  timeoutMs: number;
  package: PackageRow | undefined;
  /** Named in config.json, so that it cannot be removed here. */
  configured: boolean;
  /** Changes with everything that could make it publish something else. */
  edition: string;
  /** Why it cannot be run, for a person. */
  problem: string | undefined;
};

export type Registry = {
  list(): Registered[];
  find(id: string): Registered | undefined;
};

const HERE = 'sandbox:';

/** The manifest is kept as it was checked at the installation. */
export const manifestOf = (row: PackageRow): FunctionManifest =>
  functionManifestSchema.parse(JSON.parse(row.manifest) as unknown);

const editionOf = (version: string, location: string, row: PackageRow | undefined): string =>
  `${version} ${location} ${row?.sha256 ?? ''}`;

/** An installed one. */
export const ofPackage = (row: PackageRow): Registered => {
  const { id, version, namespace, endpoint, reads, memoryMb, timeoutMs } = manifestOf(row);
  return {
    id,
    version,
    location: HERE,
    place: placeOfLocation(HERE),
    endpoint: `${namespace}/${endpoint}`,
    reads,
    memoryMb,
    timeoutMs,
    package: row,
    configured: false,
    edition: editionOf(version, HERE, row),
    problem: undefined,
  };
};

/** @param registrations those of config.json: what they name is where the function is and where it stores, installed or not */
export const createRegistry = (parts: {
  store: FunctionStore;
  registrations: readonly FunctionRegistration[];
  /** How long one elsewhere may take, in ms. */
  elsewhereMs?: number | undefined;
}): Registry => {
  const { store, registrations, elsewhereMs = MAX_FUNCTION_RUN_MS } = parts;

  const ofRegistration = ({ id, version, baseUrl, namespace, endpoint }: FunctionRegistration): Registered => {
    const common = {
      id,
      version,
      location: baseUrl,
      place: placeOfLocation(baseUrl),
      endpoint: `${namespace}/${endpoint}`,
      configured: true,
    };
    if (!baseUrl.startsWith(HERE)) {
      return {
        ...common,
        reads: 'new',
        memoryMb: null,
        timeoutMs: elsewhereMs,
        package: undefined,
        edition: editionOf(version, baseUrl, undefined),
        problem: undefined,
      };
    }
    const named = baseUrl.slice(HERE.length);
    const row = store.findPackage(named === '' ? id : named);
    if (row === undefined) {
      return {
        ...common,
        reads: 'new',
        memoryMb: null,
        timeoutMs: MAX_FUNCTION_RUN_MS,
        package: undefined,
        edition: editionOf(version, baseUrl, undefined),
        problem: 'config.json names a package that is not installed.',
      };
    }
    const manifest = manifestOf(row);
    return {
      ...common,
      reads: manifest.reads,
      memoryMb: manifest.memoryMb,
      timeoutMs: manifest.timeoutMs,
      package: row,
      edition: editionOf(version, baseUrl, row),
      problem:
        manifest.version === version
          ? undefined
          : `config.json names version ${version}; version ${manifest.version} is installed.`,
    };
  };

  const list = (): Registered[] => {
    const configured = registrations.map(ofRegistration);
    const taken = new Set(configured.flatMap(({ id, package: row }) => (row === undefined ? [id] : [id, row.id])));
    const installed = store
      .packages()
      .filter(({ id }) => !taken.has(id))
      .map(ofPackage);
    return [...configured, ...installed].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };

  return { list, find: (id) => list().find((one) => one.id === id) };
};
