import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { route } from '../../../platform/http/route.ts';
import { fileIdSchema, storageQuery } from '../../../wire/files.ts';
import { MAX_FILE_BYTES } from '../../../wire/limits.ts';
import type { FetchNotes } from './download-log.ts';
import { contentAnswer } from '../content/download.ts';
import type { FileService } from '../service.ts';

const TAG = 'Files';
const PATH = '/storage/:fileId';
const ENCRYPTION_HEADER = /^x-[a-z0-9]+-server-side-encryption$/u;

const fileParams = z.strictObject({ fileId: fileIdSchema });
const readHeaders = z.object({
  range: z.string().optional(),
  'if-range': z.string().optional(),
  'if-none-match': z.string().optional(),
});
/** The one that counts is looked for by its pattern. */
const sendHeaders = z.looseObject({
  'x-local-server-side-encryption': z
    .string()
    .optional()
    .meta({ description: '`AES256`; any `x-<word>-server-side-encryption` will do' }),
});

/** The storage that signed addresses lead to. The address itself is the permission. */
export const storageRoutes = (parts: { files: FileService; fetches: FetchNotes }) => {
  const { files, fetches } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'The content of a file',
      description:
        'By a `contentUrl`. Ranges, `ETag` and `If-None-Match` work. Shown in place only when it is a plain image, audio, video, text or PDF.',
      access: publicAccess,
      params: fileParams,
      query: storageQuery,
      headers: readHeaders,
      responses: {
        200: { description: 'The content', contentType: 'application/octet-stream' },
        206: { description: 'The part that was asked for', contentType: 'application/octet-stream' },
        304: { description: 'It is the one that the caller has' },
        416: { description: 'There is nothing at that range' },
      },
      errors: ['forbidden', 'not_found', 'out_of_disk'],
      handler: async ({ params, query, headers, caller }) => {
        const { row, by } = files.signed({ fileId: params.fileId, method: 'GET', query });
        // Checked before the response starts: a file that differs from its record is not served.
        await (await files.disk.open(row)).close();
        const fetch = await fetches.begin({ row, by, signature: query.signature, address: caller.address });
        return contentAnswer(row, headers, {
          open: () => files.disk.open(row),
          still: () => files.mayFetch(row.seq, by),
          count: fetch.count,
        });
      },
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Send the content of a file',
      description:
        'To the `contentUrl` of a new file record, once. A header `x-<any word>-server-side-encryption: AES256` is mandatory.',
      access: publicAccess,
      params: fileParams,
      query: storageQuery,
      headers: sendHeaders,
      body: { as: 'bytes', maxBytes: MAX_FILE_BYTES, contentType: 'application/octet-stream' },
      responses: { 200: { description: 'All of it is on the disk' } },
      errors: ['forbidden', 'not_found', 'wrong_state'],
      handler: async ({ params, query, headers, body }) => {
        const { row, by } = files.signed({ fileId: params.fileId, method: 'PUT', query });
        const encrypted = Object.entries(headers).some(
          ([name, value]) => ENCRYPTION_HEADER.test(name) && value === 'AES256',
        );
        if (!encrypted) {
          throw new Failure(
            'invalid_input',
            'Send the header x-<word>-server-side-encryption: AES256. Nothing was kept.',
          );
        }
        const bytes = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
        await files.receive(row, { stream: body, bytes }, by);
        return { status: 200 };
      },
    }),
  ] as const;
};
