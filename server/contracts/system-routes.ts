import { z } from 'zod';
import { Failure } from '../platform/failure.ts';
import { anyone } from '../platform/principal.ts';
import { json, jsonText, route } from '../platform/route.ts';

export const systemRoutes = (parts: {
  /** Whether calls get through to the database, and are still taken. */
  isReady: () => Promise<boolean>;
  openApi: () => Promise<string>;
}) =>
  [
    route({
      method: 'GET',
      path: '/healthz',
      tag: 'System',
      summary: 'Whether the server answers, and its database too',
      access: anyone,
      responses: {
        200: { description: 'It does', schema: z.strictObject({ Status: z.literal('OK') }).meta({ id: 'Health' }) },
      },
      handler: async () => {
        if (await parts.isReady()) return json(200, { Status: 'OK' });
        throw new Failure('unavailable', 'The database cannot be reached.', { headers: { 'retry-after': '5' } });
      },
    }),
    route({
      method: 'GET',
      path: '/openapi.json',
      tag: 'System',
      summary: 'This document',
      access: anyone,
      responses: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
      handler: async () => jsonText(200, await parts.openApi()),
    }),
  ] as const;
