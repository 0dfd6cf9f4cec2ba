import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer } from '../../../platform/http/route.ts';
import { fileIdSchema, storageQuery } from '../../../wire/files.ts';
import { MAX_FILE_BYTES } from '../../../wire/limits.ts';
import type { DownloadLog } from './download-log.ts';
import { contentResponse } from '../content/download.ts';
import type { ShareLinkService } from '../links/service.ts';
import type { FileService } from '../service.ts';

const publicRoute = createRouteDeclarer({ tag: 'Files', access: publicAccess });
const PATH = '/storage/:fileId';
const ENCRYPTION_HEADER = /^x-[a-z0-9]+-server-side-encryption$/u;

const fileParams = z.strictObject({ fileId: fileIdSchema });
const downloadHeaders = z.object({
  range: z.string().optional(),
  'if-range': z.string().optional(),
  'if-none-match': z.string().optional(),
});
/** Allows other headers, because the handler searches for the encryption header by its pattern. */
const uploadHeaders = z.looseObject({
  'x-local-server-side-encryption': z
    .string()
    .optional()
    .meta({ description: '`AES256`; any `x-<word>-server-side-encryption` is accepted' }),
});

export const storageRoutes = (parts: {
  files: FileService;
  links: Pick<ShareLinkService, 'countOpen'>;
  downloads: DownloadLog;
}) => {
  const { files, links, downloads } = parts;
  return [
    publicRoute({
      method: 'GET',
      path: PATH,
      summary: 'Download the content of a file',
      description:
        'Reads the content through a `contentUrl`. Supports ranges, `ETag` and `If-None-Match`. Only raster images, audio, video, plain text and PDF are served inline.',
      params: fileParams,
      query: storageQuery,
      headers: downloadHeaders,
      responses: {
        200: { description: 'The content', contentType: 'application/octet-stream' },
        206: { description: 'The requested range', contentType: 'application/octet-stream' },
        304: { description: 'The content has not changed' },
        416: { description: 'The range is outside the content' },
      },
      errors: ['forbidden', 'not_found', 'out_of_disk'],
      handler: async ({ params, query, headers, caller }) => {
        const { row, bearer } = files.openSignedUrl({ fileId: params.fileId, method: 'GET', query });
        // Checked before the response starts: a file that differs from its record is not served.
        await (await files.disk.open(row)).close();
        await links.countOpen(bearer, row);
        const download = await downloads.begin({ row, bearer, signature: query.signature, address: caller.address });
        return contentResponse(row, headers, {
          open: () => files.disk.open(row),
          isAllowed: () => files.mayDownload(row.seq, bearer),
          count: download.count,
        });
      },
    }),
    publicRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Upload the content of a file',
      description:
        'PUT the content to the `contentUrl` of a new file record, once. The header `x-<any word>-server-side-encryption: AES256` is required.',
      params: fileParams,
      query: storageQuery,
      headers: uploadHeaders,
      body: { as: 'bytes', maxBytes: MAX_FILE_BYTES, contentType: 'application/octet-stream' },
      responses: { 200: { description: 'The content is stored' } },
      errors: ['forbidden', 'not_found', 'wrong_state'],
      handler: async ({ params, query, headers, body }) => {
        const { row, bearer } = files.openSignedUrl({ fileId: params.fileId, method: 'PUT', query });
        const hasEncryptionHeader = Object.entries(headers).some(
          ([name, value]) => ENCRYPTION_HEADER.test(name) && value === 'AES256',
        );
        if (!hasEncryptionHeader) {
          throw new Failure(
            'invalid_input',
            'Send the header x-<word>-server-side-encryption: AES256. Nothing was stored.',
          );
        }
        const bytes = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
        await files.receive(row, { stream: body, bytes }, bearer);
        return { status: 200 };
      },
    }),
  ] as const;
};
