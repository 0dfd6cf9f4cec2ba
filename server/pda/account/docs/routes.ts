import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type RouteResponse, type Caller } from '../../../platform/http/route.ts';
import { DOCS_HEADERS } from '../../../platform/http/response/security-headers.ts';
import { createDocs, type DocsParts } from './service.ts';

const TAG = 'Guide';
const FIRST = 'README.html';
const MAX_PATH_CHARS = 300;

/** `~` and a pass may stand before the page: then everything that the page leads to has it, too. */
const PASSED = /^~([\w-]+)\/(.*)$/u;

/**
 * Serves the guide: on this machine without a sign-in (for owners who cannot sign in), elsewhere to the owner. It holds
 * nothing secret, but it reveals the exact version, which anonymous callers should not learn.
 */
export const docsRoutes = (parts: DocsParts) => {
  const docs = createDocs(parts);

  const mayRead = (caller: Caller, pass: string | undefined): boolean =>
    caller.local || caller.principal.kind === 'owner' || (pass !== undefined && docs.isPass(pass));

  const first = <const Path extends string>(path: Path) =>
    route({
      method: 'GET',
      path,
      tag: TAG,
      summary: 'Leads to the first page of the guide',
      access: publicAccess,
      beforeSetup: true,
      responses: { 302: { description: 'To its address' } },
      handler: (): RouteResponse => ({ status: 302, headers: { location: `/docs/${FIRST}` }, base: DOCS_HEADERS }),
    });

  return [
    first('/docs'),
    first('/docs/'),
    route({
      method: 'GET',
      path: '/docs/*page',
      tag: TAG,
      summary: 'A page or a picture of the guide',
      description:
        'For this machine and for the owner; for a browser that the owner gave the way, by `POST /api/v2.6/owner/docs-pass`.',
      access: publicAccess,
      beforeSetup: true,
      params: z.object({ page: z.string().max(MAX_PATH_CHARS) }),
      responses: { 200: { description: 'As it was built', contentType: '*/*' } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const [, pass, path = params.page] = PASSED.exec(params.page) ?? [];
        if (!mayRead(caller, pass))
          throw new Failure(
            'not_found',
            'The guide is shown at this machine, and to its owner: sign in, and choose Help.',
          );
        const file = await docs.file(path);
        if (file === undefined) throw new Failure('not_found', 'There is no such page in the guide.');
        return { status: 200, text: file.bytes, contentType: file.type, base: DOCS_HEADERS };
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/docs-pass',
      tag: TAG,
      summary: 'An address of the guide that opens without a token, for eight hours',
      access: ownerOnly,
      responses: {
        200: {
          description: 'Where its pages are, with a slash at the end',
          schema: z.strictObject({ base: z.string() }).meta({ id: 'DocsPass' }),
        },
      },
      handler: async () => json(200, { base: `/docs/~${docs.pass()}/` }),
    }),
  ] as const;
};
