import { ownerOnly } from '../../../platform/auth/principal.ts';
import type { Clock } from '../../../platform/clock.ts';
import { json, route } from '../../../platform/http/route.ts';
import {
  fileMonthsQuery,
  fileMonthsSchema,
  placeCountInputSchema,
  placeCountsSchema,
  takenPicturesQuery,
  takenPicturesSchema,
} from '../../../wire/files.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { FileView } from '../access/view.ts';
import type { PictureStore } from './store.ts';

const TAG = 'Your files';
const PATH = '/api/v2.6/owner/files';
/** Maximum number of pictures per page. */
const PAGE_PICTURES_MAX = 200;
/** Dates taken after this time are those of a camera whose clock is wrong. The same applies to entries of the feed. */
const FUTURE_DAYS = 30;
const DAY_MS = 86_400_000;

/** Routes of pictures by the date on which they were taken, and of the places that they contain. */
export const pictureRoutes = (parts: {
  pictures: Pick<PictureStore, 'months' | 'takenUntil' | 'countPlaces'>;
  view: Pick<FileView, 'ownerFile'>;
  clock: Clock;
  baseOf: (host: string) => string;
}) => {
  const { pictures, view, clock, baseOf } = parts;
  return [
    route({
      method: 'GET',
      path: `${PATH}/months`,
      tag: TAG,
      summary: 'Count files by the month in which they were taken',
      access: ownerOnly,
      query: fileMonthsQuery,
      responses: { 200: { description: 'In the order of a list that is sorted by `taken`', schema: fileMonthsSchema } },
      handler: ({ query }) => json(200, pictures.months(query)),
    }),
    route({
      method: 'GET',
      path: `${PATH}/taken`,
      tag: TAG,
      summary: 'List pictures by the time when they were taken',
      access: ownerOnly,
      query: takenPicturesQuery,
      responses: {
        200: { description: `At most ${PAGE_PICTURES_MAX} pictures with a date taken`, schema: takenPicturesSchema },
      },
      handler: ({ query: { until = clock.now() + FUTURE_DAYS * DAY_MS, skip, take }, caller: { principal, host } }) => {
        const count = Math.min(take, PAGE_PICTURES_MAX);
        const rows = pictures.takenUntil(until, { skip, take: count + 1 });
        return json(200, {
          pictures: rows.slice(0, count).map((row) => view.ownerFile(row, principal, baseOf(host))),
          more: rows.length > count,
        });
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/place-counts`,
      tag: TAG,
      summary: 'Count the pictures that contain the place where they were taken',
      access: ownerOnly,
      body: { as: 'json', schema: placeCountInputSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'Pictures among the files, or in the folder or collection', schema: placeCountsSchema },
      },
      handler: ({ body }) => json(200, pictures.countPlaces(body)),
    }),
  ] as const;
};
