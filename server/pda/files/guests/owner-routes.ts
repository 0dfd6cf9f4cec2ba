import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller } from '../../../platform/http/route.ts';
import {
  invitationRenewalSchema,
  invitationSchema,
  invitationsSchema,
  issuedInvitationSchema,
  newInvitationSchema,
  newPasswordLinkSchema,
  type Invitation,
} from '../../../wire/invitations.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { InvitationService } from './invitations.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Invitations', access: ownerOnly });
const PATH = '/api/v2.6/owner/invitations';
const ONE_INVITATION_PATH = `${PATH}/:invitationId`;

const invitationParams = z.strictObject({ invitationId: z.uuid() });
const issuedResponse = { description: 'The invitation and its address', schema: issuedInvitationSchema };

/** The person has no user id before accepting the invitation. */
const tracePerson = ({ trace }: Caller, { user, name }: Invitation): void => {
  trace.consent = { kind: 'user', name: user?.userId ?? '', detail: name };
};

export const invitationOwnerRoutes = ({ invitations }: { invitations: InvitationService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List invitations',
      responses: { 200: { description: 'All invitations, the newest first', schema: invitationsSchema } },
      handler: () => json(200, { invitations: invitations.list() }),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Invite a person',
      description:
        'Anyone who has the address can create one user with it, until it expires or is revoked. The files, the folder and the collection of the invitation are shared with that user.',
      body: { as: 'json', schema: newInvitationSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: issuedResponse },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) => {
        const newInvitation = await invitations.create(body);
        tracePerson(caller, newInvitation.invitation);
        return json(201, newInvitation);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/password`,
      summary: 'Create a link for a new password',
      description:
        'Anyone who has the address can set the password of this user with it, once, until it expires or is revoked. Earlier links of the user are revoked.',
      body: { as: 'json', schema: newPasswordLinkSchema },
      responses: { 201: issuedResponse },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) => {
        const link = await invitations.createPasswordLink(body);
        tracePerson(caller, link.invitation);
        return json(201, link);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${ONE_INVITATION_PATH}/renew`,
      summary: 'Replace the address and the expiry time of an invitation',
      description: 'The previous address stops working. An expired invitation is open again.',
      params: invitationParams,
      body: { as: 'json', schema: invitationRenewalSchema },
      responses: { 200: issuedResponse },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) => {
        const renewedInvitation = await invitations.renew(params.invitationId, body);
        tracePerson(caller, renewedInvitation.invitation);
        return json(200, renewedInvitation);
      },
    }),
    ownerRoute({
      method: 'DELETE',
      path: ONE_INVITATION_PATH,
      summary: 'Revoke or remove an invitation',
      description:
        'Revokes an open or expired invitation. Removes an invitation that was already accepted or revoked, but not the user who accepted it.',
      params: invitationParams,
      responses: { 200: { description: 'The invitation before the change', schema: invitationSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => {
        const { invitation, wasPending } = await invitations.revoke(params.invitationId);
        tracePerson(caller, invitation);
        caller.trace.isUnrecorded = !wasPending;
        return json(200, invitation);
      },
    }),
  ] as const;
