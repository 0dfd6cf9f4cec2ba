import { z } from 'zod';
import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, jsonText } from '../../../../platform/http/route.ts';
import {
  recordVersionDataSchema,
  recordVersionListSchema,
  recordVersionParams,
  versionRestoreSchema,
  versionRetentionChangeSchema,
  versionRetentionSchema,
} from '../../../../wire/record-versions.ts';
import { originOf } from '../handlers.ts';
import type { RecordVersionService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/records/:recordId/versions';
const RETENTION_PATH = '/api/v2.6/owner/record-versions';

export const recordVersionRoutes = ({ versions }: { versions: RecordVersionService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List the earlier versions of a record',
      params: z.strictObject({ recordId: z.uuid() }),
      responses: {
        200: { description: 'The versions and moves, with their authors and times', schema: recordVersionListSchema },
      },
      errors: ['not_found'],
      handler: ({ params }) => json(200, versions.list(params.recordId)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/:versionId`,
      summary: 'Read an earlier version of a record',
      params: recordVersionParams,
      responses: { 200: { description: 'The version with its data', schema: recordVersionDataSchema } },
      errors: ['not_found'],
      handler: ({ params }) => jsonText(200, versions.read(params.recordId, Number(params.versionId))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/:versionId/restore`,
      summary: 'Restore an earlier version of a record',
      description:
        'Updates the record, unless it already has this data. The replaced data is kept as a version, so that the update can be undone.',
      params: recordVersionParams,
      responses: { 200: { description: 'The record has the data of the version', schema: versionRestoreSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) =>
        json(200, await versions.restore(params.recordId, Number(params.versionId), originOf(caller.principal))),
    }),
    ownerRoute({
      method: 'GET',
      path: RETENTION_PATH,
      summary: 'Get the retention time and the size of earlier versions',
      responses: { 200: { description: 'The setting and the size', schema: versionRetentionSchema } },
      handler: () => json(200, versions.retention()),
    }),
    ownerRoute({
      method: 'PUT',
      path: RETENTION_PATH,
      summary: 'Set for how many days earlier versions are kept',
      body: { as: 'json', schema: versionRetentionChangeSchema },
      responses: { 200: { description: 'Older versions are deleted', schema: versionRetentionSchema } },
      handler: async ({ body }) => json(200, await versions.setDays(body.days)),
    }),
  ] as const;
