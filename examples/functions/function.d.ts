// Types of the input and the output of a function package. See `docs/functions.md`.

/** A record as a function receives it. */
export interface InputRecord<Data = unknown> {
  /** `<namespace>/<path>`. */
  endpoint: string;
  recordId: string;
  /** The stored value, or the result of the bundle's `mapping`. */
  data: Data;
}

export interface ProcessRequest<Data = unknown> {
  /** The current configuration. `status.lastExecution` is the time of the last successful run. */
  functionConfiguration: Configuration & {
    status: { available?: boolean; enabled?: boolean; lastExecution?: string; executionStarted?: string };
  };
  request: {
    /** Records by property of the bundle. */
    data: Record<string, InputRecord<Data>[]>;
  };
}

/** Records to store. If the namespace or endpoint differs from the manifest, the run fails and stores nothing. */
export interface Output {
  namespace: string;
  endpoint: string;
  /** Any JSON values. Each becomes one record. */
  data: unknown[];
}

/** Period from the last successful run until now, in ISO 8601 with time zone. The first run has no `fromDate`. */
export interface Window {
  fromDate?: string;
  untilDate: string;
}

/** Comparison of a field with a value. */
export type Operator =
  | { operator: 'in' | 'contains'; value: unknown }
  /** Excludes both bounds. */
  | { operator: 'between'; lower: unknown; upper: unknown }
  | { operator: 'find'; search: unknown };

/** Applied to a field before the comparison. `searchable` and `find` are valid only together. */
export type Transformation =
  | { transformation: 'identity' | 'searchable' }
  | { transformation: 'datetimeExtract' | 'timestampExtract'; part: string };

export interface Mapping {
  [field: string]: string | { source: string; mappings: Mapping };
}

export interface BundleEntry {
  endpoint: string;
  /** Output field name to path in the stored record. Without a mapping, the function receives entire records. */
  mapping?: Mapping;
  filters?: { field: string; transformation?: Transformation; operator: Operator }[];
}

/** Queries by property name. The function chooses the names. */
export type Bundle = Record<
  string,
  { endpoints: BundleEntry[]; orderBy?: string; ordering?: 'ascending' | 'descending'; limit?: number }
>;

export interface NamedBundle {
  name: string;
  bundle: Bundle;
}

export interface Configuration {
  id: string;
  info: {
    version: string;
    versionReleaseDate?: string;
    updateNodes?: { header: string; notes?: string[] };
    name: string;
    headline: string;
    description: { text: string; markdown?: string; html?: string };
    termsUrl?: string;
    supportContact?: string;
    graphics?: { banner?: { normal: string }; logo?: { normal: string }; screenshots?: { normal: string }[] };
    dataPreviewEndpoint?: string;
  };
  developer?: { id: string; name: string; url?: string };
  trigger:
    | { triggerType: 'individual' | 'manual' }
    /** ISO 8601 duration, or milliseconds. */
    | { triggerType: 'periodic'; period: string | number };
  dataBundle: NamedBundle;
}

/** An entry of the owner's timeline. The timeline shows every record of this shape. */
export interface FeedItem {
  source: string;
  /** `unix` is in seconds. */
  date: { iso: string; unix: number };
  types: string[];
  title?: { text: string; subtitle?: string; action?: string };
  content?: {
    text?: string;
    nestedStructure?: Record<string, { content: string; badge?: string; types?: string[] }[]>;
  };
}

/** The global `scratch`: a flat folder of up to 512 MB. It is empty when a run starts and deleted when the run ends. */
export interface Scratch {
  write(name: string, data: string | ArrayBuffer | ArrayBufferView): void;
  append(name: string, data: string | ArrayBuffer | ArrayBufferView): void;
  read(name: string): string;
  readBytes(name: string): Uint8Array;
  list(): { name: string; bytes: number }[];
  remove(name: string): void;
}
