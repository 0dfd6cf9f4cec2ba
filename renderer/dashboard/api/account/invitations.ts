import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { InvitationValidity, IssuedInvitation } from '../../../shared/api/contract.ts';
import { refreshFiles } from '../files/queries.ts';

/** The query key begins with `files`, the topic that announces changes. */
export const invitations = queryOptions({
  queryKey: ['files', 'invitations'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/invitations', {}, signal)).invitations,
});

/** The server returns the path of the invitation's page only once, because it stores only a hash of the token. */
export async function createInvitation(
  body: InvitationValidity & { name: string; fileIds: string[]; folder?: string; collectionId?: string },
): Promise<IssuedInvitation> {
  const issuedInvitation = await call('POST /api/v2.6/owner/invitations', { body });
  await refreshFiles();
  return issuedInvitation;
}

export async function createPasswordLink(userId: string, validity: InvitationValidity): Promise<IssuedInvitation> {
  const issuedInvitation = await call('POST /api/v2.6/owner/invitations/password', { body: { userId, ...validity } });
  await refreshFiles();
  return issuedInvitation;
}

/** Replaces the path of the invitation's page. The previous path no longer works. */
export async function renewInvitation(invitationId: string, validity: InvitationValidity): Promise<IssuedInvitation> {
  const issuedInvitation = await call('POST /api/v2.6/owner/invitations/:invitationId/renew', {
    params: { invitationId },
    body: validity,
  });
  await refreshFiles();
  return issuedInvitation;
}

/** Revokes an open or expired invitation, or removes one that was accepted or revoked. */
export async function revokeInvitation(invitationId: string): Promise<void> {
  await call('DELETE /api/v2.6/owner/invitations/:invitationId', { params: { invitationId } });
  await refreshFiles();
}
