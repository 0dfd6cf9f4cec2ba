import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { route } from '../../../platform/http/route.ts';
import { MAX_URL_CHARS } from '../../../wire/limits.ts';
import type { PictureService } from './service.ts';

/** Fetches logos on the server, so that third parties do not learn the IP address of the owner's browser. */
export const logoRoutes = (parts: { pictures: PictureService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/picture',
      tag: 'Owner',
      summary: 'Get a picture from a third-party URL',
      access: ownerOnly,
      query: z.object({ url: z.string().min(1).max(MAX_URL_CHARS) }),
      responses: { 200: { description: 'PNG, JPEG, GIF, WebP, AVIF, ICO, BMP or SVG', contentType: 'image/*' } },
      errors: ['not_found'],
      handler: async ({ query }) => {
        const picture = await parts.pictures.fetch(query.url);
        if (picture === undefined) throw new Failure('not_found', 'No picture was found at this address.');
        return {
          status: 200,
          text: picture.bytes,
          contentType: picture.type,
          headers: {
            // Restricts the default policy, so that an SVG file that is opened as a page runs no scripts.
            'content-security-policy': "default-src 'none'; sandbox",
            'content-disposition': 'attachment',
          },
        };
      },
    }),
  ] as const;
