import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { NewShareLink, ShareLink, ShareLinkChange } from '../../../shared/api/contract.ts';
import { refreshFiles } from './queries.ts';

/** Share links. The key begins with `files`, the topic of their change events. */
export const shareLinks = queryOptions({
  queryKey: ['files', 'share-links'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/share-links', {}, signal)).links,
});

export async function createShareLink(body: NewShareLink): Promise<ShareLink> {
  const link = await call('POST /api/v2.6/owner/share-links', { body });
  await refreshFiles();
  return link;
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
