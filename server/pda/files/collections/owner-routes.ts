import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import {
  collectionFilesSchema,
  collectionNameSchema,
  collectionSchema,
  collectionsSchema,
  newSharedCollectionSchema,
  sharedCollectionSchema,
  sharedCollectionsSchema,
  type SharedCollection,
} from '../../../wire/collections.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { GrantService } from '../grants/service.ts';
import type { TargetGrantRow } from '../grants/store.ts';
import type { ChangedCollection, CollectionService } from './service.ts';
import type { CollectionStore } from './store.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Collections', access: ownerOnly });
const PATH = '/api/v2.6/owner/collections';
const COLLECTION_PATH = `${PATH}/:collectionId`;
const SHARED_PATH = '/api/v2.6/owner/shared-collections';

const collectionParams = z.strictObject({ collectionId: z.uuid() });
const sharedParams = z.strictObject({ sharedCollectionId: z.uuid() });
const collectionResponses = { 200: { description: 'The collection', schema: collectionSchema } };
const sharedResponses = { 200: { description: 'The collection and the user', schema: sharedCollectionSchema } };
const fileList = { as: 'json', schema: collectionFilesSchema, maxBytes: DEFINITION_BODY_MAX_BYTES } as const;

/** Changes of the files of a collection, and its deletion, are logged only while the collection is shared. */
const respondToChange = ({ trace }: Caller, { collection, wasShared }: ChangedCollection): RouteResponse => {
  trace.isUnrecorded = !wasShared;
  trace.consent = { kind: 'collection', name: collection.name, detail: '' };
  return json(200, collection);
};

const respondToDecision = ({ trace }: Caller, shared: SharedCollection): RouteResponse => {
  trace.consent = { kind: 'collection', name: shared.collection, detail: shared.name };
  return json(200, shared);
};

export const collectionRoutes = (parts: {
  collections: CollectionService;
  store: Pick<CollectionStore, 'findById'>;
  shares: GrantService;
  users: Pick<UserService, 'nameOf'>;
}) => {
  const { collections, store, shares, users } = parts;

  const toShared = ({ id, target, user_id: userId, created }: TargetGrantRow): SharedCollection => ({
    sharedCollectionId: id,
    collectionId: target,
    collection: store.findById(target)?.name ?? '',
    userId,
    name: users.nameOf(userId),
    created,
  });

  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List collections',
      description: 'To list the files of a collection, use the parameter `collection` of the list of files.',
      responses: { 200: { description: 'All collections, ordered by name', schema: collectionsSchema } },
      handler: () => json(200, { collections: collections.list() }),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Create a collection',
      body: { as: 'json', schema: collectionNameSchema },
      responses: collectionResponses,
      errors: ['already_exists', 'wrong_state'],
      handler: async ({ body }) => json(200, await collections.create(body.name)),
    }),
    ownerRoute({
      method: 'PUT',
      path: COLLECTION_PATH,
      summary: 'Rename a collection',
      params: collectionParams,
      body: { as: 'json', schema: collectionNameSchema },
      responses: collectionResponses,
      errors: ['not_found', 'already_exists'],
      handler: async ({ params, body }) =>
        json(200, (await collections.rename(params.collectionId, body.name)).collection),
    }),
    ownerRoute({
      method: 'DELETE',
      path: COLLECTION_PATH,
      summary: 'Delete a collection',
      description:
        'Its files are not deleted. Users lose access to the collection immediately, and its share links are deleted.',
      params: collectionParams,
      responses: collectionResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => respondToChange(caller, await collections.remove(params.collectionId)),
    }),
    ownerRoute({
      method: 'POST',
      path: `${COLLECTION_PATH}/files`,
      summary: 'Add files to a collection',
      description: 'Adds all files or none. Users and links with access to the collection can open them immediately.',
      params: collectionParams,
      body: fileList,
      responses: collectionResponses,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) =>
        respondToChange(caller, await collections.addFiles(params.collectionId, body.fileIds)),
    }),
    ownerRoute({
      method: 'POST',
      path: `${COLLECTION_PATH}/files/remove`,
      summary: 'Remove files from a collection',
      description: 'The files themselves stay.',
      params: collectionParams,
      body: fileList,
      responses: collectionResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) =>
        respondToChange(caller, await collections.removeFiles(params.collectionId, body.fileIds)),
    }),
    ownerRoute({
      method: 'GET',
      path: SHARED_PATH,
      summary: 'List collections that are shared with users',
      responses: { 200: { description: 'The shared collections and their users', schema: sharedCollectionsSchema } },
      handler: () => json(200, { collections: shares.list().map(toShared) }),
    }),
    ownerRoute({
      method: 'POST',
      path: SHARED_PATH,
      summary: 'Share a collection with a user',
      description: 'The user can read all files of the collection, including files that are added later.',
      body: { as: 'json', schema: newSharedCollectionSchema },
      responses: sharedResponses,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) =>
        respondToDecision(caller, toShared(await shares.share(body.collectionId, body.userId))),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${SHARED_PATH}/:sharedCollectionId`,
      summary: 'Stop sharing a collection with a user',
      description:
        'Access ends immediately. Running downloads are aborted. Files that are shared in other ways stay shared.',
      params: sharedParams,
      responses: sharedResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(caller, toShared(await shares.unshare(params.sharedCollectionId))),
    }),
  ] as const;
};
