import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, route, type RouteResponse } from '../../../platform/http/route.ts';
import { DOCS_HEADERS } from '../../../platform/http/response/security-headers.ts';
import { createDocs } from './service.ts';

const TAG = 'Guide';
const publicRoute = createRouteDeclarer({ tag: TAG, access: publicAccess });
const START_PAGE = 'README.html';
const MAX_PATH_CHARS = 300;

/** Matches `~<pass>/<path>`. Relative links of a page with this prefix also contain the pass. */
const PASS_PREFIX = /^~([\w-]+)\/(.*)$/u;

/**
 * Routes of the guide. Requests from this machine need no sign-in, so that owners who cannot sign in can read the
 * guide. Other requests need a sign-in or a pass, because the guide reveals the exact version of the program.
 */
export const docsRoutes = (parts: Parameters<typeof createDocs>[0]) => {
  const docs = createDocs(parts);

  const redirectToStartPage = <const Path extends string>(path: Path) =>
    publicRoute({
      method: 'GET',
      path,
      summary: 'Redirect to the first page of the guide',
      beforeSetup: true,
      responses: { 302: { description: 'Redirect' } },
      handler: (): RouteResponse => ({ status: 302, headers: { location: `/docs/${START_PAGE}` }, base: DOCS_HEADERS }),
    });

  return [
    redirectToStartPage('/docs'),
    redirectToStartPage('/docs/'),
    publicRoute({
      method: 'GET',
      path: '/docs/*page',
      summary: 'Get a page or a picture of the guide',
      description: 'Available on this machine, to the owner, and with a pass from `POST /api/v2.6/owner/docs-pass`.',
      beforeSetup: true,
      params: z.object({ page: z.string().max(MAX_PATH_CHARS) }),
      responses: { 200: { description: 'The file', contentType: '*/*' } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const [, pass, path = params.page] = PASS_PREFIX.exec(params.page) ?? [];
        const mayRead = caller.local || caller.principal.kind === 'owner' || (pass !== undefined && docs.isPass(pass));
        if (!mayRead)
          throw new Failure(
            'not_found',
            'The guide is available on this machine and to the owner. Sign in and choose Help.',
          );
        const file = await docs.find(path);
        if (file === undefined) throw new Failure('not_found', 'The guide does not contain this page.');
        return { status: 200, text: file.bytes, contentType: file.type, base: DOCS_HEADERS };
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/docs-pass',
      tag: TAG,
      summary: 'Create an address of the guide that works without a token for eight hours',
      access: ownerOnly,
      responses: {
        200: {
          description: 'Base address of the pages, with a trailing slash',
          schema: z.strictObject({ base: z.string() }).meta({ id: 'DocsPass' }),
        },
      },
      handler: () => json(200, { base: `/docs/~${docs.createPass()}/` }),
    }),
  ] as const;
};
