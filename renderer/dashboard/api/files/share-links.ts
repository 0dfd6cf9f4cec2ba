import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { ShareLinkChange } from '../../../shared/api/contract.ts';
import { type PreviewedPage, previewQuery } from '../sharing/preview-query.ts';
import { refreshFiles, type SharedContent } from './queries.ts';

/** The query key begins with `files`, the topic under which changes are announced. */
export const shareLinks = queryOptions({
  queryKey: ['files', 'share-links'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/share-links', {}, signal)).links,
});

/** Query of the link's page as recipients see it. @param after cursor in the page's URL; empty for the first page */
export const shareLinkPreview = (linkId: string, after: string) =>
  queryOptions<PreviewedPage>({
    ...previewQuery('share link', linkId, after),
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/share-links/:linkId/preview', { params: { linkId }, query: { after } }, signal),
  });

/** `undefined` leaves a setting unchanged, `null` removes it. For a new link, both mean no setting. */
export interface LinkSettings {
  name: string;
  /** Unix milliseconds. */
  expires: number | null | undefined;
  password: string | null | undefined;
  opensMax: number | null;
  viewOnly: boolean;
}

export async function createShareLink(
  content: SharedContent,
  { name, viewOnly, expires, password, opensMax }: LinkSettings,
): Promise<void> {
  const body = {
    ...content,
    name,
    viewOnly,
    ...(typeof expires === 'number' ? { expires } : {}),
    ...(typeof password === 'string' ? { password } : {}),
    ...(opensMax === null ? {} : { opensMax }),
  };
  await call('POST /api/v2.6/owner/share-links', { body });
  await refreshFiles();
}

export async function changeShareLink(linkId: string, body: ShareLinkChange): Promise<void> {
  await call('PUT /api/v2.6/owner/share-links/:linkId', { params: { linkId }, body });
  await refreshFiles();
}

export async function revokeShareLink(linkId: string): Promise<void> {
  await call('DELETE /api/v2.6/owner/share-links/:linkId', { params: { linkId } });
  await refreshFiles();
}

export async function revokeAllShareLinks(): Promise<void> {
  await call('DELETE /api/v2.6/owner/share-links', {});
  await refreshFiles();
}
