import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { languageOf } from '../../../platform/http/request/accept-language.ts';
import { json, route, type RouteResponse } from '../../../platform/http/route.ts';
import { shareLinkPreviewSchema } from '../../../wire/share-links.ts';
import { bearerOf, type FileView } from '../access/view.ts';
import { filesContent, pagePath, withQuery } from './files-page.ts';
import { sharePage, type SharePageContent } from './page-rules.ts';
import type { ShareLinkService } from './service.ts';

const previewParams = z.strictObject({ linkId: z.uuid() });
const previewQuery = z.object({
  after: z
    .string()
    .max(4000)
    .default('')
    .meta({ description: 'Cursor of the page, as in the link on the previous page; empty for the first page' }),
});
const previewHeaders = z.object({ 'accept-language': z.string().optional() });

export const shareLinkPreviewRoutes = ({
  links,
  view,
  publicHost,
}: {
  links: Pick<ShareLinkService, 'requireById' | 'listFiles' | 'offersArchive'>;
  view: Pick<FileView, 'contentUrl'>;
  publicHost: (host: string) => string;
}) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/share-links/:linkId/preview',
      tag: 'Share links',
      summary: 'Preview the page of a share link as others see it',
      description:
        'The page, as HTML, that an anonymous reader would get now after entering the password, if there is one. Files open with the rights of the owner and are not counted; the archive has no link. The access log does not record the preview.',
      access: ownerOnly,
      params: previewParams,
      query: previewQuery,
      headers: previewHeaders,
      responses: {
        200: {
          description: 'The page; for a link that has ended, the page that says so',
          schema: shareLinkPreviewSchema,
        },
      },
      errors: ['not_found'],
      handler: ({ params, query, headers, caller }) => {
        const { link, state } = links.requireById(params.linkId);
        const respond = (content: SharePageContent): RouteResponse =>
          json(200, {
            html: sharePage({
              host: publicHost(caller.host),
              language: languageOf(headers['accept-language']),
              content,
            }),
          });
        if (state !== 'active') return respond({ kind: state });
        const page = links.listFiles(link, query.after);
        const bearer = bearerOf(caller.principal);
        return respond(
          filesContent(link, query.after, page, {
            file: (row) => view.contentUrl(row, bearer, ''),
            archive: links.offersArchive(link) ? { url: undefined } : undefined,
            next: (after) => withQuery(pagePath(link), { after }),
          }),
        );
      },
    }),
  ] as const;
