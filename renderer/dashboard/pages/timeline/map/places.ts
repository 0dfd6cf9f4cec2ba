import { geometryLines } from '../../../../../server/wire/geometry.ts';
import type { Field, TimelineItem } from '../../../../shared/api/contract.ts';
import { positionFields, type PositionFields } from '../../data/charts/map/position-fields.ts';
import { valueAt } from '../../data/records/columns.ts';

/** In degrees. */
export interface Place {
  latitude: number;
  longitude: number;
}

/** Limit per day and endpoint. More places would not be distinguishable on a small map. */
const MAX_PLACES = 2000;

/** Returns a number, or the value of a numeric string; NaN for other values. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

/** Returns no place if the position is invalid. */
function placesAt(latitude: number, longitude: number): Place[] {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [{ latitude, longitude }] : [];
}

function* geometryPlaces(value: unknown): Generator<Place> {
  for (const line of geometryLines(value)) for (const [longitude, latitude] of line) yield { latitude, longitude };
}

function recordPlaces(data: unknown, { field, second }: PositionFields): Iterable<Place> {
  const value = valueAt(data, field.path);
  return second === undefined ? geometryPlaces(value) : placesAt(toNumber(value), toNumber(valueAt(data, second.path)));
}

function itemPlaces(item: TimelineItem, position: PositionFields | undefined): Iterable<Place> {
  if (item.kind !== 'record') return [];
  const geo = item.entry?.location?.geo;
  if (geo != null) return placesAt(geo.latitude, geo.longitude);
  return position === undefined ? [] : recordPlaces(item.data, position);
}

/** Returns the positions of the records, up to a limit. @param fields fields of the items' common endpoint */
export function placesOfItems(items: readonly TimelineItem[], fields: readonly Field[]): Place[] {
  const [position] = positionFields(fields);
  const places: Place[] = [];
  for (const item of items) {
    for (const place of itemPlaces(item, position)) {
      if (places.length === MAX_PLACES) return places;
      places.push(place);
    }
  }
  return places;
}
