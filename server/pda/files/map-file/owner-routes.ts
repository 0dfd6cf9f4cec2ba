import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type Caller } from '../../../platform/http/route.ts';
import { mapFileChoiceSchema, mapFileSchema } from '../../../wire/map-file.ts';
import type { FileView } from '../access/view.ts';
import type { FileRow } from '../store.ts';
import type { MapFileService } from './service.ts';

const TAG = 'Your files';
const PATH = '/api/v2.6/owner/map-file';

/** Owner routes for the file that contains the street detail of the dashboard's maps. */
export const mapFileRoutes = (parts: {
  mapFile: MapFileService;
  view: Pick<FileView, 'ownerFile'>;
  baseOf: (host: string) => string;
}) => {
  const { mapFile, view, baseOf } = parts;
  const respond = (row: FileRow | undefined, { principal, host }: Caller) =>
    json(200, { file: row === undefined ? null : view.ownerFile(row, principal, baseOf(host)) });
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Get the file with the street detail of maps',
      access: ownerOnly,
      responses: { 200: { description: 'The chosen file', schema: mapFileSchema } },
      handler: ({ caller }) => respond(mapFile.current(), caller),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Choose the file with the street detail of maps',
      description:
        'A PMTiles file among the owner’s files. The server does not read its content; the dashboard reports files that it cannot draw.',
      access: ownerOnly,
      body: { as: 'json', schema: mapFileChoiceSchema },
      responses: { 200: { description: 'The chosen file', schema: mapFileSchema } },
      errors: ['not_found'],
      handler: async ({ body, caller }) => respond(await mapFile.choose(body.fileId), caller),
    }),
  ] as const;
};
