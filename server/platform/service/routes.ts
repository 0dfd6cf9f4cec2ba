import { z } from 'zod';
import { Failure } from '../failure.ts';
import { publicAccess } from '../auth/principal.ts';
import { json, jsonText, route } from '../http/route.ts';

const TAG = 'System';

export const healthRoute = (isReady: () => Promise<boolean>) =>
  route({
    method: 'GET',
    path: '/healthz',
    tag: TAG,
    summary: 'Check whether the server and its database respond',
    access: publicAccess,
    responses: {
      200: { description: 'Both respond', schema: z.strictObject({ Status: z.literal('OK') }).meta({ id: 'Health' }) },
    },
    handler: async () => {
      if (await isReady()) return json(200, { Status: 'OK' });
      throw new Failure('unavailable', 'The database does not respond, or the server is shutting down.', {
        headers: { 'retry-after': '5' },
      });
    },
  });

export const openApiRoute = <const Path extends string>(path: Path, openApi: () => string) =>
  route({
    method: 'GET',
    path,
    tag: TAG,
    summary: 'Get the OpenAPI document',
    access: publicAccess,
    responses: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
    handler: () => jsonText(200, openApi()),
  });
