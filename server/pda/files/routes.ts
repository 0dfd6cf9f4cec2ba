import { z } from 'zod';
import { publicAccess, anyToken, ownerOnly } from '../../platform/auth/principal.ts';
import { json, route, type Caller } from '../../platform/http/route.ts';
import { readRecorderOf } from '../../platform/auth/access-trace.ts';
import {
  contentQuery,
  fileChangeSchema,
  fileIdSchema,
  filePageQuery,
  fileRecordSchema,
  fileTemplateSchema,
  fileUploadSchema,
} from '../../wire/files.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { FileGuest } from './search/listing.ts';
import { ledgerEndpoint, type FileCaller, type FileService, type SeenFiles } from './service.ts';

const TAG = 'Files';
const PATH = '/api/v2.6/files';
const ONE = `${PATH}/file/:fileId`;

/** Principals with a right to some source; the right to each file's source is checked per file. */
const uploaders = { auth: 'anyScope', startsWith: 'files:' } as const;

const fileParams = z.strictObject({ fileId: fileIdSchema });
const userParams = z.strictObject({ userId: z.uuid() });
const bothParams = z.strictObject({ fileId: fileIdSchema, userId: z.uuid() });

const oneFile = { 200: { description: 'The file record', schema: fileRecordSchema } };
const someFiles = { 200: { description: 'The file records', schema: z.array(fileRecordSchema) } };

/** Files as the interface has them. */
export const fileRoutes = (parts: {
  files: FileService;
  /** Scheme and host that lead to this PDA, for a host through which a call came. */
  baseOf: (host: string) => string;
}) => {
  const { files, baseOf } = parts;
  const from = ({ principal, host }: Caller): FileCaller => ({ principal, base: baseOf(host) });
  const seen = (caller: Caller): SeenFiles | undefined => {
    const note = readRecorderOf(caller);
    return note === undefined ? undefined : (source, seqs) => note(ledgerEndpoint(source), seqs);
  };
  const guest = (caller: Caller): FileGuest | undefined => {
    const note = seen(caller);
    return note === undefined ? undefined : { seen: note, longRead: caller.longRead };
  };
  return [
    route({
      method: 'POST',
      path: `${PATH}/upload`,
      tag: TAG,
      summary: 'Make a file record and get the address for its content',
      description: 'PUT the content to `contentUrl` within five minutes, once, then complete the file.',
      access: uploaders,
      body: { as: 'json', schema: fileUploadSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Status New', schema: fileRecordSchema } },
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => json(200, await files.create(body, from(caller))),
    }),
    route({
      method: 'PUT',
      path: `${ONE}/complete`,
      tag: TAG,
      summary: 'Say that the content was uploaded',
      access: uploaders,
      params: fileParams,
      responses: { 200: { description: 'Status Completed, with its size', schema: fileRecordSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await files.complete(params.fileId, from(caller))),
    }),
    route({
      method: 'GET',
      path: ONE,
      tag: TAG,
      summary: 'What is known of a file',
      access: anyToken,
      params: fileParams,
      responses: oneFile,
      errors: ['not_found'],
      handler: ({ params, caller }) => json(200, files.find(params.fileId, from(caller), seen(caller))),
    }),
    route({
      method: 'PUT',
      path: ONE,
      tag: TAG,
      summary: 'Change name, tags, title or description',
      access: uploaders,
      params: fileParams,
      body: { as: 'json', schema: fileChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: oneFile,
      errors: ['not_found'],
      handler: async ({ params, body, caller }) => json(200, await files.describe(params.fileId, body, from(caller))),
    }),
    route({
      method: 'DELETE',
      path: ONE,
      tag: TAG,
      summary: 'Delete a file',
      description: 'Its content is gone for everybody at once; the owner can bring it back for a day.',
      access: ownerOnly,
      params: fileParams,
      responses: { 200: { description: 'Status Deleted', schema: fileRecordSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await files.remove(params.fileId, from(caller))),
    }),
    route({
      method: 'GET',
      path: `${PATH}/content/:fileId`,
      tag: TAG,
      summary: 'Where the content is',
      description: 'A redirect to a signed address, for a public file without a token too.',
      access: publicAccess,
      params: fileParams,
      responses: { 303: { description: '`Location` is the signed address' } },
      errors: ['not_found'],
      handler: ({ params, caller }) => ({
        status: 303,
        headers: { location: files.contentUrl(params.fileId, from(caller), seen(caller)) },
      }),
    }),
    route({
      method: 'GET',
      path: `${PATH}/allowAccess/:fileId/:userId`,
      tag: TAG,
      summary: 'Let a user see a file, and with `content=true` open it',
      description: 'The owner has it already: nothing changes.',
      access: ownerOnly,
      params: bothParams,
      query: contentQuery,
      responses: oneFile,
      errors: ['not_found'],
      handler: async ({ params, query, caller }) =>
        json(200, await files.grant(params.fileId, params.userId, query.content === 'true', from(caller))),
    }),
    route({
      method: 'GET',
      path: `${PATH}/restrictAccess/:fileId/:userId`,
      tag: TAG,
      summary: 'Take back what a user was given of a file',
      description: 'Of the owner nothing can be taken back.',
      access: ownerOnly,
      params: bothParams,
      responses: oneFile,
      errors: ['not_found'],
      handler: async ({ params, caller }) => json(200, await files.revoke(params.fileId, params.userId, from(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/allowAccess/:userId`,
      tag: TAG,
      summary: 'Let a user see all files that a template names, and with `content=true` open them',
      description: 'The owner has them already: nothing changes.',
      access: ownerOnly,
      params: userParams,
      query: contentQuery,
      body: { as: 'json', schema: fileTemplateSchema },
      responses: someFiles,
      errors: ['not_found'],
      handler: async ({ params, query, body, caller }) => ({
        status: 200,
        stream: await files.grantAll(body, params.userId, query.content === 'true', from(caller)),
      }),
    }),
    route({
      method: 'POST',
      path: `${PATH}/restrictAccess/:userId`,
      tag: TAG,
      summary: 'Take back what a user was given of all files that a template names',
      description: 'Of the owner nothing can be taken back.',
      access: ownerOnly,
      params: userParams,
      body: { as: 'json', schema: fileTemplateSchema },
      responses: someFiles,
      errors: ['not_found'],
      handler: async ({ params, body, caller }) => ({
        status: 200,
        stream: await files.revokeAll(body, params.userId, from(caller)),
      }),
    }),
    route({
      method: 'GET',
      path: `${PATH}/allowAccessPublic/:fileId`,
      tag: TAG,
      summary: 'Let anybody read a file',
      access: ownerOnly,
      params: fileParams,
      responses: oneFile,
      errors: ['not_found'],
      handler: async ({ params, caller }) => json(200, await files.setPublic(params.fileId, true, from(caller))),
    }),
    route({
      method: 'GET',
      path: `${PATH}/restrictAccessPublic/:fileId`,
      tag: TAG,
      summary: 'Make a file private again',
      access: ownerOnly,
      params: fileParams,
      responses: oneFile,
      errors: ['not_found'],
      handler: async ({ params, caller }) => json(200, await files.setPublic(params.fileId, false, from(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/search`,
      tag: TAG,
      summary: 'Files by a template, those that the caller may know of',
      access: anyToken,
      query: filePageQuery,
      body: { as: 'json', schema: fileTemplateSchema },
      responses: someFiles,
      errors: ['rate_limited'],
      handler: async ({ query, body, caller }) => ({
        status: 200,
        stream: await files.search(body, query, from(caller), guest(caller)),
      }),
    }),
  ] as const;
};
