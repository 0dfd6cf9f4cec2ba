import { z } from 'zod';
import { publicAccess, anyToken, ownerOnly } from '../../platform/auth/principal.ts';
import { createRouteDeclarer, json, route, type Caller } from '../../platform/http/route.ts';
import { readRecorderOf } from '../../platform/auth/access-trace.ts';
import {
  contentQuery,
  fileChangeSchema,
  fileIdSchema,
  filePageQuery,
  fileRecordSchema,
  fileTemplateSchema,
  fileUploadSchema,
  type FileRecord,
} from '../../wire/files.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { userIdSchema } from '../../wire/users.ts';
import type { NonOwnerFileReader } from './search/listing.ts';
import { ledgerEndpoint } from './rules.ts';
import type { FileCaller, FileService, RecordFileAccess } from './service.ts';

const TAG = 'Files';
const ownerRoute = createRouteDeclarer({ tag: TAG, access: ownerOnly });
const tokenRoute = createRouteDeclarer({ tag: TAG, access: anyToken });
const PATH = '/api/v2.6/files';
const FILE_PATH = `${PATH}/file/:fileId`;

/** Principals with a right to some source; the right to each file's source is checked per file. */
const uploaders = { auth: 'anyScope', startsWith: 'files:' } as const;
const uploadRoute = createRouteDeclarer({ tag: TAG, access: uploaders });

const fileParams = z.strictObject({ fileId: fileIdSchema });
const userParams = z.strictObject({ userId: userIdSchema });
const fileUserParams = z.strictObject({ fileId: fileIdSchema, userId: userIdSchema });

const fileResponse = { 200: { description: 'The file record', schema: fileRecordSchema } };
const fileListResponse = { 200: { description: 'The file records', schema: z.array(fileRecordSchema) } };

export const fileRoutes = (parts: {
  files: FileService;
  baseOf: (host: string) => string;
  userNameOf: (userId: string) => string;
}) => {
  const { files, baseOf, userNameOf } = parts;
  const toFileCaller = ({ principal, host }: Caller): FileCaller => ({ principal, base: baseOf(host) });
  /** Returns undefined for the owner. */
  const recorderOf = (caller: Caller): RecordFileAccess | undefined => {
    const record = readRecorderOf(caller);
    return record === undefined ? undefined : (source, seqs) => record(ledgerEndpoint(source), seqs);
  };
  const readerOf = (caller: Caller): NonOwnerFileReader | undefined => {
    const recordAccess = recorderOf(caller);
    return recordAccess === undefined ? undefined : { recordAccess, admitLongRead: caller.admitLongRead };
  };
  const traceUser = ({ trace }: Caller, userId: string): void => {
    trace.consent = { kind: 'user', name: userId, detail: userNameOf(userId) };
  };
  /** Responds with the file, and names it and the user in the access log entry. */
  const respondToDecision = (caller: Caller, file: FileRecord, userId?: string) => {
    const seq = files.seqOf(file.fileId);
    caller.trace.records.set(ledgerEndpoint(file.source), seq === undefined ? [] : [seq]);
    if (userId !== undefined) traceUser(caller, userId);
    return json(200, file);
  };
  return [
    uploadRoute({
      method: 'POST',
      path: `${PATH}/upload`,
      summary: 'Create a file record and get the URL for its content',
      description: 'PUT the content to `contentUrl` within five minutes, once, then complete the file.',
      body: { as: 'json', schema: fileUploadSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Status New', schema: fileRecordSchema } },
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => json(200, await files.create(body, toFileCaller(caller))),
    }),
    uploadRoute({
      method: 'PUT',
      path: `${FILE_PATH}/complete`,
      summary: 'Mark an upload as complete',
      params: fileParams,
      responses: { 200: { description: 'Status Completed, with the size of the file', schema: fileRecordSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await files.complete(params.fileId, toFileCaller(caller))),
    }),
    tokenRoute({
      method: 'GET',
      path: FILE_PATH,
      summary: 'Get a file record',
      params: fileParams,
      responses: fileResponse,
      errors: ['not_found'],
      handler: ({ params, caller }) => json(200, files.find(params.fileId, toFileCaller(caller), recorderOf(caller))),
    }),
    uploadRoute({
      method: 'PUT',
      path: FILE_PATH,
      summary: 'Change the name, tags, title, description or times of a file',
      params: fileParams,
      body: { as: 'json', schema: fileChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: fileResponse,
      errors: ['not_found'],
      handler: async ({ params, body, caller }) =>
        json(200, await files.describe(params.fileId, body, toFileCaller(caller))),
    }),
    ownerRoute({
      method: 'DELETE',
      path: FILE_PATH,
      summary: 'Delete a file',
      description: 'Its content becomes unavailable immediately. The owner can restore a complete file for a day.',
      params: fileParams,
      responses: { 200: { description: 'Status Deleted', schema: fileRecordSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await files.remove(params.fileId, toFileCaller(caller))),
    }),
    route({
      method: 'GET',
      path: `${PATH}/content/:fileId`,
      tag: TAG,
      summary: 'Get the content of a file',
      description: 'Redirects to a signed URL. Public files need no token.',
      access: publicAccess,
      params: fileParams,
      responses: { 303: { description: '`Location` is the signed URL' } },
      errors: ['not_found'],
      handler: ({ params, caller }) => ({
        status: 303,
        headers: { location: files.contentUrl(params.fileId, toFileCaller(caller), recorderOf(caller)) },
      }),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/allowAccess/:fileId/:userId`,
      summary: 'Let a user see a file, and with `content=true` open it',
      description:
        'Replaces an earlier grant of the file: without `content=true`, the grant no longer lets the user open the file. For the owner, who always has access, nothing changes.',
      params: fileUserParams,
      query: contentQuery,
      responses: fileResponse,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, query, caller }) =>
        respondToDecision(
          caller,
          await files.grant(params.fileId, params.userId, query.content === 'true', toFileCaller(caller)),
          params.userId,
        ),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/restrictAccess/:fileId/:userId`,
      summary: "Revoke a user's access to a file",
      description:
        "The owner's access cannot be revoked. Refused while a folder or collection that contains the file is shared with the user.",
      params: fileUserParams,
      responses: fileResponse,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(
          caller,
          await files.revoke(params.fileId, params.userId, toFileCaller(caller)),
          params.userId,
        ),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/allowAccess/:userId`,
      summary: 'Let a user see all files that match a template, and with `content=true` open them',
      description:
        'Replaces earlier grants of the files: without `content=true`, the grants no longer let the user open the files. For the owner, who always has access, nothing changes.',
      params: userParams,
      query: contentQuery,
      body: { as: 'json', schema: fileTemplateSchema },
      responses: fileListResponse,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, query, body, caller }) => {
        traceUser(caller, params.userId);
        return {
          status: 200,
          stream: await files.grantAll(body, params.userId, query.content === 'true', toFileCaller(caller)),
        };
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/restrictAccess/:userId`,
      summary: "Revoke a user's access to all files that match a template",
      description:
        "The owner's access cannot be revoked. Refused while a folder or collection with one of the files is shared with the user.",
      params: userParams,
      body: { as: 'json', schema: fileTemplateSchema },
      responses: fileListResponse,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) => {
        traceUser(caller, params.userId);
        return { status: 200, stream: await files.revokeAll(body, params.userId, toFileCaller(caller)) };
      },
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/allowAccessPublic/:fileId`,
      summary: 'Make a file public',
      params: fileParams,
      responses: fileResponse,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(caller, await files.setPublic(params.fileId, true, toFileCaller(caller))),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/restrictAccessPublic/:fileId`,
      summary: 'Make a file private again',
      params: fileParams,
      responses: fileResponse,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(caller, await files.setPublic(params.fileId, false, toFileCaller(caller))),
    }),
    tokenRoute({
      method: 'POST',
      path: `${PATH}/search`,
      summary: 'Find files that match a template and that the caller may see',
      query: filePageQuery,
      body: { as: 'json', schema: fileTemplateSchema },
      responses: fileListResponse,
      handler: async ({ query, body, caller }) => ({
        status: 200,
        stream: await files.search(body, query, toFileCaller(caller), readerOf(caller)),
      }),
    }),
  ] as const;
};
