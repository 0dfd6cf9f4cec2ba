import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import {
  createRouteDeclarer,
  json,
  messageResponse,
  type Caller,
  type RouteResponse,
} from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import {
  newShareLinkSchema,
  shareLinkChangeSchema,
  shareLinkSchema,
  shareLinksSchema,
  type ShareLink,
} from '../../../wire/share-links.ts';
import type { ShareLinkService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Share links', access: ownerOnly });
const OWNER_PATH = '/api/v2.6/owner/share-links';
const LINK_PATH = `${OWNER_PATH}/:linkId`;

const linkParams = z.strictObject({ linkId: z.uuid() });
const linkResponses = { 200: { description: 'The link', schema: shareLinkSchema } };

const respondToDecision = ({ trace }: Caller, link: ShareLink): RouteResponse => {
  trace.consent = { kind: 'link', name: link.linkId, detail: link.name };
  return json(200, link);
};

export const shareLinkOwnerRoutes = ({ links }: { links: ShareLinkService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: OWNER_PATH,
      summary: 'List share links',
      responses: { 200: { description: 'All links, the newest first', schema: shareLinksSchema } },
      handler: async () => json(200, { links: await links.list() }),
    }),
    ownerRoute({
      method: 'POST',
      path: OWNER_PATH,
      summary: 'Create a share link',
      description:
        'Anyone who knows the address of the link, and its password if it has one, can open its files until it ends or is revoked.',
      body: { as: 'json', schema: newShareLinkSchema },
      responses: linkResponses,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) => respondToDecision(caller, await links.create(body)),
    }),
    ownerRoute({
      method: 'PUT',
      path: LINK_PATH,
      summary: 'Change a share link',
      params: linkParams,
      body: { as: 'json', schema: shareLinkChangeSchema },
      responses: linkResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) => respondToDecision(caller, await links.change(params.linkId, body)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: LINK_PATH,
      summary: 'Revoke a share link',
      description: 'Ends the link and its running downloads immediately.',
      params: linkParams,
      responses: linkResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => respondToDecision(caller, await links.revoke(params.linkId)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: OWNER_PATH,
      summary: 'Revoke all share links',
      responses: { 200: { description: 'All links were revoked', schema: messageSchema } },
      ownerDecision: true,
      handler: async () => {
        const count = await links.revokeAll();
        return messageResponse(200, count === 1 ? 'One link was revoked.' : `${count} links were revoked.`);
      },
    }),
  ] as const;
