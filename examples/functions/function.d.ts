/** What a function package is given and gives. `docs/functions.md` says it in words. */

/** A record as a function sees it. */
export interface InputRecord<Data = unknown> {
  /** Where it is stored: `<namespace>/<path>`. */
  endpoint: string;
  recordId: string;
  /** As it is stored, or as the bundle's `mapping` made it. */
  data: Data;
}

export interface ProcessRequest<Data = unknown> {
  /** As the PDA knows the function now, with `status.lastExecution` of the last run that succeeded. */
  functionConfiguration: Configuration & {
    status: { available?: boolean; enabled?: boolean; lastExecution?: string; executionStarted?: string };
  };
  request: {
    /** The records by the properties of the bundle. */
    data: Record<string, InputRecord<Data>[]>;
  };
}

/** Records to store. Both names must be those of the manifest; anything else fails the run, and nothing is stored. */
export interface Output {
  namespace: string;
  endpoint: string;
  /** Each a record of its own: any JSON value. */
  data: unknown[];
}

/** ISO 8601 with time zone. Without `fromDate` it never ran: everything is new. */
export interface Window {
  fromDate?: string;
  untilDate: string;
}

export type Filter =
  | { operator: 'in' | 'contains'; value: unknown }
  /** Both ends are left out. */
  | { operator: 'between'; lower: unknown; upper: unknown }
  | { operator: 'find'; search: unknown };

/** What is done to a field before it is compared. `searchable` goes with `find`, and only with it. */
export type Transformation =
  | { transformation: 'identity' | 'searchable' }
  | { transformation: 'datetimeExtract' | 'timestampExtract'; part: string };

export interface Mapping {
  [field: string]: string | { source: string; mappings: Mapping };
}

export interface BundleEntry {
  endpoint: string;
  /** The new name of a field, and the path of the field it comes from. Without it, entire records. */
  mapping?: Mapping;
  filters?: { field: string; transformation?: Transformation; operator: Filter }[];
}

/** What is read, by properties of the function's own choice. */
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
    /** ISO 8601 period, or milliseconds. */
    | { triggerType: 'periodic'; period: string | number };
  dataBundle: NamedBundle;
}

/** One entry of the owner's timeline: records of this shape are shown there. */
export interface FeedItem {
  source: string;
  /** `unix` in seconds. */
  date: { iso: string; unix: number };
  types: string[];
  title?: { text: string; subtitle?: string; action?: string };
  content?: {
    text?: string;
    nestedStructure?: Record<string, { content: string; badge?: string; types?: string[] }[]>;
  };
}

/** The global `scratch`: a flat folder of at most 512 MB, empty at the start of a run and gone after it. */
export interface Scratch {
  write(name: string, data: string | ArrayBuffer | ArrayBufferView): void;
  append(name: string, data: string | ArrayBuffer | ArrayBufferView): void;
  read(name: string): string;
  readBytes(name: string): Uint8Array;
  list(): { name: string; bytes: number }[];
  remove(name: string): void;
}
