import type { Principal } from '../../../platform/auth/principal.ts';
import type { FileTemplate } from '../../../wire/files.ts';
import type { SearchReach } from './criteria.ts';
import type { FileSearchStore } from './store.ts';
import type { FileRow, FileStore } from '../store.ts';
import type { FileView } from '../access/view.ts';

// Streams file records in pages and yields to the event loop between them.

export type FileCaller = { principal: Principal; base: string };
export type RecordFileAccess = (source: string, seqs: readonly number[]) => void;
/** A principal other than the owner. Its searches are logged. */
export type NonOwnerFileReader = {
  recordAccess: RecordFileAccess;
  /** @throws Failure rate_limited if too many long reads are in progress */
  admitLongRead: () => void;
};

const PAGE_FILES = 500;

const reachOf = (principal: Principal): SearchReach => {
  if (principal.kind === 'owner') return { kind: 'all' };
  if (principal.kind === 'user') return { kind: 'user', userId: principal.userId };
  const scopes = principal.kind === 'application' ? [...principal.scopes] : [];
  const sources = scopes.flatMap((scope) => (scope.startsWith('files:') ? [scope.slice('files:'.length)] : []));
  return { kind: 'sources', sources };
};

export const createFileListing = (parts: {
  store: Pick<FileStore, 'findBySeq'>;
  searchStore: Pick<FileSearchStore, 'listByTemplate'>;
  view: Pick<FileView, 'record'>;
}) => {
  const { store, searchStore, view } = parts;

  async function* matchingPages(template: FileTemplate, reach: SearchReach, page: { skip: number; take: number }) {
    let { skip, take: remaining } = page;
    let after = 0;
    while (remaining > 0) {
      const take = Math.min(PAGE_FILES, remaining);
      const rows = searchStore.listByTemplate(template, reach, { after, skip, take });
      if (rows.length > 0) yield rows;
      if (rows.length < take) return;
      remaining -= rows.length;
      skip = 0;
      after = rows.at(-1)?.seq ?? after;
      await new Promise(setImmediate);
    }
  }

  async function* pagesAt(seqs: readonly number[]): AsyncGenerator<FileRow[]> {
    for (let start = 0; start < seqs.length; start += PAGE_FILES) {
      yield seqs.slice(start, start + PAGE_FILES).flatMap((seq) => store.findBySeq(seq) ?? []);
      await new Promise(setImmediate);
    }
  }

  async function* streamRecords(
    pages: AsyncIterable<FileRow[]>,
    { principal, base }: FileCaller,
    isIncluded: (row: FileRow) => boolean = () => true,
  ): AsyncGenerator<string> {
    let isFirst = true;
    for await (const page of pages) {
      const rows = page.filter(isIncluded);
      if (rows.length === 0) continue;
      const text = rows.map((row) => JSON.stringify(view.record(row, principal, base))).join(',');
      yield `${isFirst ? '[' : ','}${text}`;
      isFirst = false;
    }
    yield isFirst ? '[]' : ']';
  }

  return {
    async seqsOf(template: FileTemplate): Promise<number[]> {
      const seqs: number[] = [];
      for await (const rows of matchingPages(template, { kind: 'all' }, { skip: 0, take: Number.MAX_SAFE_INTEGER }))
        for (const { seq } of rows) seqs.push(seq);
      return seqs;
    },

    recordsAt: (seqs: readonly number[], caller: FileCaller) => streamRecords(pagesAt(seqs), caller),

    async search(
      template: FileTemplate,
      page: { skip: number; take: number },
      caller: FileCaller,
      reader?: NonOwnerFileReader,
    ): Promise<AsyncGenerator<string>> {
      const reach = reachOf(caller.principal);
      if (reader === undefined) return streamRecords(matchingPages(template, reach, page), caller);
      // The access log entry is written before the response starts and names every file in it.
      const loggedSeqs = new Set<number>();
      for await (const rows of matchingPages(template, reach, page)) {
        if (loggedSeqs.size > 0) reader.admitLongRead();
        for (const { source, seq } of rows) {
          loggedSeqs.add(seq);
          reader.recordAccess(source, [seq]);
        }
      }
      return streamRecords(matchingPages(template, reach, page), caller, ({ seq }) => loggedSeqs.has(seq));
    },
  };
};
