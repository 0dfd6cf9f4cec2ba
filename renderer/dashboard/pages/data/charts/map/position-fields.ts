import type { Field } from '../../../../../../server/wire/fields.ts';

export interface PositionFields {
  /** Contains the latitude, or GeoJSON. */
  field: Field;
  /** Contains the longitude; undefined for GeoJSON. */
  second: Field | undefined;
}

/** Words that name a coordinate, as in `startLat` and `home_longitude`. */
const COORDINATE_NAME = /latitude|longitude|lat|lng|long|lon/giu;

/** Removes coordinate names from a path, so that the latitude and longitude of one position have equal paths. */
const stemOf = ({ path }: Field): string => path.replaceAll(COORDINATE_NAME, '').toLowerCase();

/**
 * Returns GeoJSON fields, and each latitude with the longitude of an otherwise equal path, or else with the only
 * longitude. Sorts them by the share of records that have the field, highest first.
 */
export const positionFields = (fields: readonly Field[]): PositionFields[] => {
  const longitudes = fields.filter(({ type }) => type === 'longitude');
  const pairs = fields
    .filter(({ type }) => type === 'latitude')
    .flatMap((field): PositionFields[] => {
      const second =
        longitudes.find((candidate) => stemOf(candidate) === stemOf(field)) ??
        (longitudes.length === 1 ? longitudes[0] : undefined);
      return second === undefined ? [] : [{ field, second }];
    });
  const geometries = fields
    .filter(({ type }) => type === 'geoJson')
    .map((field): PositionFields => ({ field, second: undefined }));
  return [...pairs, ...geometries].toSorted((a, b) => b.field.filled - a.field.filled);
};

const TITLE_NAME = /^(?:name|title|label|place|city|summary|subject|description|address)$/u;

/** Returns the first text field named like a title, else the text field found in the most records, if there is any. */
export const titleField = (fields: readonly Field[]): Field | undefined => {
  const texts = fields.filter(({ type }) => type === 'text');
  return (
    texts.find(({ path }) => TITLE_NAME.test(path.slice(path.lastIndexOf('.') + 1).toLowerCase())) ??
    texts.toSorted((a, b) => b.filled - a.filled)[0]
  );
};
