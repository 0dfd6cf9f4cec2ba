import { z } from 'zod';
import { publicAccess, ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, jsonText, route } from '../../../platform/http/route.ts';
import type { SystemService } from './service.ts';

const TAG = 'System';
const publicRoute = createRouteDeclarer({ tag: TAG, access: publicAccess });

const healthSchema = z.strictObject({ Status: z.literal('OK') }).meta({ id: 'Health' });

const statusSchema = z
  .array(
    z.strictObject({
      title: z.string(),
      kind: z.strictObject({
        kind: z.enum(['Numeric', 'Text']),
        metric: z.union([z.string(), z.number()]),
        units: z.string().optional(),
      }),
    }),
  )
  .meta({ id: 'SystemStatus' });

const healthRoute = <const Path extends string>(path: Path) =>
  publicRoute({
    method: 'GET',
    path,
    summary: 'Check the health of the server',
    beforeSetup: true,
    responses: { 200: { description: 'The server is running', schema: healthSchema } },
    handler: () => json(200, { Status: 'OK' }),
  });

export const systemRoutes = (parts: { system: SystemService; version: string; openApi: () => string }) =>
  [
    healthRoute('/healthz'),
    healthRoute('/api/v2.6/healthz'),
    publicRoute({
      method: 'GET',
      path: '/api/v2.6/version',
      summary: 'Get the version of this server',
      beforeSetup: true,
      responses: {
        200: {
          description: 'Three numbers, such as 1.2.3',
          schema: z.strictObject({ Version: z.string() }).meta({ id: 'Version' }),
        },
      },
      handler: () => json(200, { Version: parts.version }),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/system/status',
      tag: TAG,
      summary: 'Get the storage usage, the previous sign-in and the email address of the owner',
      access: ownerOnly,
      responses: { 200: { description: 'Figures with titles', schema: statusSchema } },
      handler: async ({ caller: { principal } }) =>
        json(200, await parts.system.status(ownerSessionOf(principal) ?? '')),
    }),
    publicRoute({
      method: 'GET',
      path: '/api/v2.6/openapi.json',
      summary: 'Get the OpenAPI document',
      beforeSetup: true,
      responses: {
        200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' }) },
      },
      handler: () => jsonText(200, parts.openApi()),
    }),
  ] as const;
