import { SHARE_PATH } from '../../../wire/guest-paths.ts';
import { isInline } from '../content/types.ts';
import type { FileRow } from '../store.ts';
import type { SharePageContent } from './page-rules.ts';
import type { SharedFilesPage } from './service.ts';
import type { ShareLinkRow } from './store.ts';

export const pagePath = ({ token }: Pick<ShareLinkRow, 'token'>): string => `${SHARE_PATH}/${token}`;

export const withQuery = (path: string, query: Record<string, string>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

/** @param after cursor of the page; empty for the first page */
export const filesContent = (
  link: Pick<ShareLinkRow, 'name' | 'view_only' | 'expires' | 'opens_max' | 'opens'>,
  after: string,
  { rows, next }: SharedFilesPage,
  urls: {
    file: (row: FileRow) => string;
    archive: Extract<SharePageContent, { kind: 'files' }>['archive'];
    next: (after: string) => string;
  },
): SharePageContent => ({
  kind: 'files',
  name: link.name,
  files: rows.map((row) => ({
    name: row.name,
    bytes: row.size ?? 0,
    isInline: isInline(row.type),
    url: urls.file(row),
  })),
  viewOnly: link.view_only === 1,
  expires: link.expires,
  opensLeft: link.opens_max === null ? null : link.opens_max - link.opens,
  archive: urls.archive,
  isLaterPage: after !== '',
  next: next === undefined ? undefined : urls.next(next),
});
