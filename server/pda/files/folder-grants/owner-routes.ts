import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import {
  newSharedFolderSchema,
  sharedFolderSchema,
  sharedFoldersSchema,
  type SharedFolder,
} from '../../../wire/shared-folders.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { GrantService } from '../grants/service.ts';
import type { TargetGrantRow } from '../grants/store.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Shared folders', access: ownerOnly });
const PATH = '/api/v2.6/owner/shared-folders';

const folderParams = z.strictObject({ sharedFolderId: z.uuid() });
const folderResponses = { 200: { description: 'The folder and the user', schema: sharedFolderSchema } };

const respondToDecision = ({ trace }: Caller, sharedFolder: SharedFolder): RouteResponse => {
  trace.consent = { kind: 'folder', name: sharedFolder.folder, detail: sharedFolder.name };
  return json(200, sharedFolder);
};

export const sharedFolderRoutes = (parts: { grants: GrantService; users: Pick<UserService, 'nameOf'> }) => {
  const { grants, users } = parts;

  const toShared = ({ id, target, user_id: userId, created }: TargetGrantRow): SharedFolder => ({
    sharedFolderId: id,
    folder: target,
    userId,
    name: users.nameOf(userId),
    created,
  });

  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List folders that are shared with users',
      responses: {
        200: { description: 'Shared folders and their users, ordered by path', schema: sharedFoldersSchema },
      },
      handler: () => json(200, { folders: grants.list().map(toShared) }),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Share a folder with a user',
      description: 'The user can read everything in the folder and below it, including files that are added later.',
      body: { as: 'json', schema: newSharedFolderSchema },
      responses: folderResponses,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) =>
        respondToDecision(caller, toShared(await grants.share(body.folder, body.userId))),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${PATH}/:sharedFolderId`,
      summary: 'Stop sharing a folder with a user',
      description:
        'Access ends immediately. Running downloads are aborted. Files that are shared in other ways stay shared.',
      params: folderParams,
      responses: folderResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(caller, toShared(await grants.unshare(params.sharedFolderId))),
    }),
  ] as const;
};
