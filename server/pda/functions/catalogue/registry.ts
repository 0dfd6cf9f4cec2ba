import {
  functionManifestSchema,
  type FunctionManifest,
  type FunctionRegistration,
  type OwnerFunction,
} from '../../../wire/functions.ts';
import { MAX_FUNCTION_RUN_MS } from '../../../wire/limits.ts';
import { executionPlaceOf } from '../rules.ts';
import type { FunctionStore, PackageRow } from '../store.ts';

export type RegisteredFunction = {
  id: string;
  version: string;
  /** `sandbox:…` or the URL of the web service. */
  location: string;
  place: OwnerFunction['place'];
  /** The only endpoint to which the function may write. */
  endpoint: string;
  reads: 'new' | 'all';
  /** Null for remote functions and for packages that are not installed, whose memory limit is unknown. */
  memoryMb: number | null;
  timeoutMs: number;
  package: PackageRow | undefined;
  /** True if config.json names the function. It then stays registered when its package is removed. */
  isInConfig: boolean;
  /** Identifies the version, the location and the module. When it changes, the configuration is requested again. */
  edition: string;
  problem: string | undefined;
};

export type Registry = {
  list(): RegisteredFunction[];
  find(id: string): RegisteredFunction | undefined;
};

const SANDBOX_PREFIX = 'sandbox:';

const manifestOf = (row: PackageRow): FunctionManifest =>
  functionManifestSchema.parse(JSON.parse(row.manifest) as unknown);

const editionOf = (version: string, location: string, row: PackageRow | undefined): string =>
  `${version} ${location} ${row?.sha256 ?? ''}`;

export const functionOfPackage = (row: PackageRow): RegisteredFunction => {
  const { id, version, namespace, endpoint, reads, memoryMb, timeoutMs } = manifestOf(row);
  return {
    id,
    version,
    location: SANDBOX_PREFIX,
    place: executionPlaceOf(SANDBOX_PREFIX),
    endpoint: `${namespace}/${endpoint}`,
    reads,
    memoryMb,
    timeoutMs,
    package: row,
    isInConfig: false,
    edition: editionOf(version, SANDBOX_PREFIX, row),
    problem: undefined,
  };
};

export const createRegistry = (parts: {
  store: FunctionStore;
  /** Entries of config.json. They set location and output endpoint, even for installed packages. */
  registrations: readonly FunctionRegistration[];
  remoteTimeoutMs?: number | undefined;
}): Registry => {
  const { store, registrations, remoteTimeoutMs = MAX_FUNCTION_RUN_MS } = parts;

  const fromRegistration = ({
    id,
    version,
    baseUrl,
    namespace,
    endpoint,
  }: FunctionRegistration): RegisteredFunction => {
    const withoutPackage: RegisteredFunction = {
      id,
      version,
      location: baseUrl,
      place: executionPlaceOf(baseUrl),
      endpoint: `${namespace}/${endpoint}`,
      reads: 'new',
      memoryMb: null,
      timeoutMs: MAX_FUNCTION_RUN_MS,
      package: undefined,
      isInConfig: true,
      edition: editionOf(version, baseUrl, undefined),
      problem: undefined,
    };
    if (!baseUrl.startsWith(SANDBOX_PREFIX)) return { ...withoutPackage, timeoutMs: remoteTimeoutMs };
    const packageId = baseUrl.slice(SANDBOX_PREFIX.length);
    const row = store.findPackage(packageId === '' ? id : packageId);
    if (row === undefined)
      return { ...withoutPackage, problem: 'config.json names a package that is not installed. Install it.' };
    const manifest = manifestOf(row);
    return {
      ...withoutPackage,
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

  const list = (): RegisteredFunction[] => {
    const configuredFunctions = registrations.map(fromRegistration);
    const configuredIds = new Set(
      configuredFunctions.flatMap(({ id, package: row }) => (row === undefined ? [id] : [id, row.id])),
    );
    const installedFunctions = store
      .packages()
      .filter(({ id }) => !configuredIds.has(id))
      .map(functionOfPackage);
    return [...configuredFunctions, ...installedFunctions].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };

  return { list, find: (id) => list().find((registered) => registered.id === id) };
};
