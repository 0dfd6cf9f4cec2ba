import { createHash } from 'node:crypto';
import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';
import type { Kind } from '../parsing/entries.ts';
import type { Source } from '../archives/source.ts';

/** What the server and the thread that reads exports say to each other. */

/** Where in an export a reader is: all before it has been handed over. */
export type Cursor = {
  readonly source: number;
  readonly member: number;
  /** Entries and troubles of the member that are done. */
  readonly entry: number;
  /** Archives and members told as broken. */
  readonly broken: number;
};

export const FROM_THE_START: Cursor = { source: 0, member: 0, entry: 0, broken: 0 };

/** Bytes of a hash that tells whether an entry says the same. */
export const CONTENT_BYTES = 8;
export const contentOf = (text: string): string =>
  createHash('sha256').update(text).digest().toString('latin1', 0, CONTENT_BYTES);

export type ImportedEntry = {
  readonly kind: Kind;
  /** 16 bytes, each a character; the same thing has the same in every export. */
  readonly key: string;
  /** 8 bytes likewise: whether it says the same. */
  readonly content: string;
  /** JSON */
  readonly text: string;
};
export type Trouble = { readonly place: string; readonly problem: string };

export type ThreadWork =
  | {
      readonly what: 'read';
      readonly sources: readonly Source[];
      readonly kinds: readonly Kind[];
      readonly bank: BankOptions | undefined;
      readonly from: Cursor;
    }
  | {
      readonly what: 'look';
      readonly sources: readonly Source[];
      readonly bank: BankOptions | undefined;
      readonly forMs: number;
    };

export type FromThread =
  | {
      readonly say: 'batch';
      readonly entries: readonly ImportedEntry[];
      readonly troubles: readonly Trouble[];
      readonly cursor: Cursor;
      readonly bytesRead: number;
    }
  | { readonly say: 'alive'; readonly bytesRead: number }
  | { readonly say: 'found'; readonly found: DetectedExport }
  | { readonly say: 'end' }
  | { readonly say: 'failed'; readonly problem: string };

/** Taken: the thread may hand over the next. */
export type ToThread = { readonly say: 'next' };
