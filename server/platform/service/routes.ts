import { z } from 'zod';
import { Failure } from '../failure.ts';
import { publicAccess } from '../auth/principal.ts';
import { json, jsonText, route } from '../http/route.ts';

/** What every service answers about itself. */

const TAG = 'System';

/** @param isReady whether calls get through to the database, and are still taken */
export const healthRoute = (isReady: () => Promise<boolean>) =>
  route({
    method: 'GET',
    path: '/healthz',
    tag: TAG,
    summary: 'Whether the server answers, and its database too',
    access: publicAccess,
    responses: {
      200: { description: 'It does', schema: z.strictObject({ Status: z.literal('OK') }).meta({ id: 'Health' }) },
    },
    handler: async () => {
      if (await isReady()) return json(200, { Status: 'OK' });
      throw new Failure('unavailable', 'The database cannot be reached.', { headers: { 'retry-after': '5' } });
    },
  });

export const openApiRoute = <const Path extends string>(path: Path, openApi: () => string) =>
  route({
    method: 'GET',
    path,
    tag: TAG,
    summary: 'This document',
    access: publicAccess,
    responses: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
    handler: () => jsonText(200, openApi()),
  });
