import { createHash } from 'node:crypto';
import type {
  BankOptions,
  ColumnChoice,
  DetectedExport,
  ImportFormat,
  ImportPreview,
} from '../../../../wire/imports.ts';
import type { EntryKind } from '../parsing/entries.ts';
import type { Source } from '../archives/source.ts';
import type { ElementBatch, ElementProblem } from '../tabular/element-source.ts';

/** An entry of an export. `entry`: its number among the entries that the reader of the member begins, from 1. */
export type EntryPosition = { readonly source: number; readonly member: number; readonly entry: number };

/** Memory that a reader thread shares with the server: source, member and number of the entry that is being read. */
export type SharedPosition = Int32Array;

/** Position of a reader in an export. All selected entries before it have been delivered. */
export type ExportCursor = {
  readonly source: number;
  /** Index of the member of an archive; 0 if the source is not an archive. */
  readonly member: number;
  /** Number of entries, of any kind, and problems of the member before this position. */
  readonly entry: number;
  /** Number of archives and members that have been reported as broken. */
  readonly broken: number;
  /** Entries that are left out, because reading them took too long. */
  readonly abandoned?: readonly EntryPosition[];
};

export const START_CURSOR: ExportCursor = { source: 0, member: 0, entry: 0, broken: 0 };

export const CONTENT_HASH_BYTES = 8;
/** Hashes the JSON text of an entry. One character of the result is one byte of the hash. */
export const contentHashOf = (text: string): string =>
  createHash('sha256').update(text).digest().toString('latin1', 0, CONTENT_HASH_BYTES);

export type ImportedEntry = {
  readonly kind: EntryKind;
  /** Key of 16 bytes, one character each. The same entry has the same key in every export. */
  readonly key: string;
  /** Hash of `text`, from `contentHashOf`. */
  readonly content: string;
  /** JSON text of the record. */
  readonly text: string;
};

export type ElementPreview = Pick<ImportPreview, 'columns' | 'rows' | 'lists' | 'elements' | 'error'> & {
  readonly format: ImportFormat;
};

export type ImportThreadTask =
  | {
      readonly task: 'read';
      readonly sources: readonly Source[];
      readonly kinds: readonly EntryKind[];
      readonly bank: BankOptions | undefined;
      readonly from: ExportCursor;
    }
  | {
      readonly task: 'summarise';
      readonly sources: readonly Source[];
      readonly bank: BankOptions | undefined;
      readonly maxMs: number;
      readonly abandoned?: readonly EntryPosition[];
    }
  | {
      readonly task: 'preview';
      readonly path: string;
      readonly size: number;
      readonly format: ImportFormat;
      /** If false and there is no `list`, a JSON file with features is read as GeoJSON, and a topology as TopoJSON. */
      readonly isFormatChosen: boolean;
      /** Names that lead to the list of records; undefined to choose a list. */
      readonly list: readonly string[] | undefined;
      readonly columnTypes: Readonly<Record<string, ColumnChoice>> | undefined;
      /** Number of elements to return. */
      readonly count: number;
      readonly listsMaxMs: number;
      readonly countMaxMs: number;
    }
  | {
      readonly task: 'topology';
      readonly path: string;
      /** Index of the first element to return. */
      readonly from: number;
      /** `objects` and the name of an object; undefined for the one with the most geometries. */
      readonly list: readonly string[] | undefined;
      readonly columnTypes: Readonly<Record<string, ColumnChoice>> | undefined;
    };

export type ImportThreadData = { readonly task: ImportThreadTask; readonly position: SharedPosition };

export type ImportThreadMessage =
  | {
      readonly type: 'batch';
      readonly entries: readonly ImportedEntry[];
      readonly problems: readonly ElementProblem[];
      readonly cursor: ExportCursor;
      readonly bytesRead: number;
    }
  | ({ readonly type: 'elements' } & ElementBatch)
  | { readonly type: 'progress'; readonly bytesRead: number }
  | { readonly type: 'summary'; readonly summary: DetectedExport }
  | { readonly type: 'preview'; readonly preview: ElementPreview }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly line: number | null; readonly problem: string };

/** Acknowledges a batch. */
export type ImportThreadRequest = { readonly type: 'next' };
