import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller } from '../../../platform/http/route.ts';
import { mapFileChoiceSchema, mapFileSchema } from '../../../wire/map-file.ts';
import type { FileView } from '../access/view.ts';
import type { FileRow } from '../store.ts';
import type { MapFileService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your files', access: ownerOnly });
const PATH = '/api/v2.6/owner/map-file';

export const mapFileRoutes = (parts: {
  mapFile: MapFileService;
  view: Pick<FileView, 'ownerFile'>;
  baseOf: (host: string) => string;
}) => {
  const { mapFile, view, baseOf } = parts;
  const respond = (row: FileRow | undefined, { principal, host }: Caller) =>
    json(200, { file: row === undefined ? null : view.ownerFile(row, principal, baseOf(host)) });
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the file with the street detail of maps',
      responses: { 200: { description: 'The chosen file, if any', schema: mapFileSchema } },
      handler: ({ caller }) => respond(mapFile.find(), caller),
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Choose the file with the street detail of maps',
      description:
        "A PMTiles file among the owner's files. The server does not check its content; the dashboard reports files that it cannot draw.",
      body: { as: 'json', schema: mapFileChoiceSchema },
      responses: { 200: { description: 'The chosen file, if any', schema: mapFileSchema } },
      errors: ['not_found'],
      handler: async ({ body, caller }) => respond(await mapFile.choose(body.fileId), caller),
    }),
  ] as const;
};
