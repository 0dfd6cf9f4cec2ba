import type { Principal } from '../../../platform/auth/principal.ts';
import type { FileTemplate } from '../../../wire/files.ts';
import type { FileSearchStore, Reach } from './store.ts';
import type { FileRow, FileStore } from '../store.ts';
import type { View } from '../access/view.ts';

/** Many files at once, a page at a time: the event loop is let go in between. */

/** Who calls, and the scheme and host through which. */
export type FileCaller = { principal: Principal; base: string };
/** Receives the files that a request accessed. */
export type SeenFiles = (source: string, seqs: readonly number[]) => void;
/** Who searches, when it is not the owner. `longRead` throws when too many are under way. */
export type FileGuest = { seen: SeenFiles; longRead: () => void };

/** Files that are read at once. */
const PAGE = 500;

const reachOf = (principal: Principal): Reach => {
  if (principal.kind === 'owner') return { kind: 'all' };
  if (principal.kind === 'user') return { kind: 'user', userId: principal.userId };
  const scopes = principal.kind === 'application' ? [...principal.scopes] : [];
  const sources = scopes.flatMap((scope) => (scope.startsWith('files:') ? [scope.slice('files:'.length)] : []));
  return { kind: 'sources', sources };
};

export const createListing = (parts: {
  store: Pick<FileStore, 'bySeq'>;
  searchStore: Pick<FileSearchStore, 'byTemplate'>;
  view: Pick<View, 'record'>;
}) => {
  const { store, searchStore, view } = parts;

  /** Files that match a template, within the principal's rights. */
  async function* matching(template: FileTemplate, reach: Reach, page: { skip: number; take: number }) {
    let { skip, take: left } = page;
    let after = 0;
    while (left > 0) {
      const take = Math.min(PAGE, left);
      const rows = searchStore.byTemplate(template, reach, { after, skip, take });
      if (rows.length > 0) yield rows;
      if (rows.length < take) return;
      left -= rows.length;
      skip = 0;
      after = rows.at(-1)?.seq ?? after;
      await new Promise(setImmediate);
    }
  }

  /** The files of some places, those that are still here. */
  async function* rowsAt(seqs: readonly number[]): AsyncGenerator<FileRow[]> {
    for (let at = 0; at < seqs.length; at += PAGE) {
      yield seqs.slice(at, at + PAGE).flatMap((seq) => store.bySeq(seq) ?? []);
      await new Promise(setImmediate);
    }
  }

  /** The text of an answer with their records. */
  async function* recordsOf(
    pages: AsyncIterable<FileRow[]>,
    { principal, base }: FileCaller,
    counts: (row: FileRow) => boolean = () => true,
  ): AsyncGenerator<string> {
    let first = true;
    for await (const page of pages) {
      const rows = page.filter(counts);
      if (rows.length === 0) continue;
      const text = rows.map((row) => JSON.stringify(view.record(row, principal, base))).join(',');
      yield `${first ? '[' : ','}${text}`;
      first = false;
    }
    yield first ? '[]' : ']';
  }

  return {
    /** The places of all files that a template names, for the owner. */
    async placesOf(template: FileTemplate): Promise<number[]> {
      const seqs: number[] = [];
      for await (const rows of matching(template, { kind: 'all' }, { skip: 0, take: Number.MAX_SAFE_INTEGER }))
        for (const { seq } of rows) seqs.push(seq);
      return seqs;
    },

    recordsAt: (seqs: readonly number[], caller: FileCaller) => recordsOf(rowsAt(seqs), caller),

    async search(
      template: FileTemplate,
      page: { skip: number; take: number },
      caller: FileCaller,
      guest?: FileGuest,
    ): Promise<AsyncGenerator<string>> {
      const reach = reachOf(caller.principal);
      if (guest === undefined) return recordsOf(matching(template, reach, page), caller);
      // The record of the call is made before the answer begins, and names every file that it tells of.
      const named = new Set<number>();
      for await (const rows of matching(template, reach, page)) {
        if (named.size > 0) guest.longRead();
        for (const { source, seq } of rows) {
          named.add(seq);
          guest.seen(source, [seq]);
        }
      }
      return recordsOf(matching(template, reach, page), caller, ({ seq }) => named.has(seq));
    },
  };
};
