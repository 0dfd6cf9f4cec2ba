import { toSingleLine } from '../../../platform/outbound/foreign-text.ts';
import { MAX_CAMERA_CHARS } from '../../../wire/limits.ts';

// Exif metadata (CIPA DC-008). The file can contain anything, so every value is checked.

/** Null for missing and invalid details. */
export type PictureDetails = {
  /** Unix milliseconds. */
  taken: number | null;
  /** Time on the camera's clock, `2024-03-01T12:34:56`. */
  taken_local: string | null;
  /** Degrees. */
  latitude: number | null;
  longitude: number | null;
  camera: string | null;
};

export const NO_DETAILS: PictureDetails = {
  taken: null,
  taken_local: null,
  latitude: null,
  longitude: null,
  camera: null,
};

/** Unchecked values of the Exif tags. */
type PictureTags = {
  /** Time on the camera's clock, `2024:03:01 12:34:56`. */
  time?: unknown;
  /** UTC offset of that time, `+01:00`. */
  offset?: unknown;
  /** Degrees, negative in the south and west. */
  latitude?: unknown;
  longitude?: unknown;
  maker?: unknown;
  model?: unknown;
};

/** Year of the oldest photograph. Earlier dates come from clocks that were not set. */
const FIRST_YEAR = 1826;
const MAX_OFFSET_MINUTES = 14 * 60;
/** Six decimal places of a degree are about 0.1 m. */
const DEGREE_DIGITS = 6;

/** Returns milliseconds as if the local time were in UTC; undefined for an invalid or missing time. */
const localMsOf = (text: unknown): number | undefined => {
  const match = /^(\d{4})[:-](\d{2})[:-](\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?/u.exec(
    typeof text === 'string' ? text : '',
  );
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? '0'));
  const isTime = hour < 24 && minute < 60 && second < 60;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isDate = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isTime && isDate && year >= FIRST_YEAR ? date.getTime() : undefined;
};

const offsetMsOf = (text: unknown): number | undefined => {
  const match = /^([+-])(\d{2}):(\d{2})/u.exec(typeof text === 'string' ? text : '');
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return minutes > MAX_OFFSET_MINUTES ? undefined : (match[1] === '-' ? -1 : 1) * minutes * 60_000;
};

/** Interprets the local time in this computer's time zone. */
export const localTimeToInstant = (localMs: number): number =>
  // `Date.parse` interprets a text without the Z as local time.
  Date.parse(new Date(localMs).toISOString().slice(0, -1));

const coordinate = (value: unknown, max: number): number | undefined =>
  typeof value === 'number' && Math.abs(value) <= max ? Number(value.toFixed(DEGREE_DIGITS)) : undefined;

const cameraOf = (maker: unknown, model: unknown): string | null => {
  const [makerText, modelText] = [maker, model].map((text) => (typeof text === 'string' ? toSingleLine(text) : ''));
  const name = modelText?.toLowerCase().startsWith(makerText?.toLowerCase() ?? '')
    ? modelText
    : `${makerText} ${modelText}`.trim();
  return name === '' ? null : name.slice(0, MAX_CAMERA_CHARS);
};

/**
 * @param toInstant converts a local time without an offset, in milliseconds as if it were in UTC, to Unix milliseconds
 */
export const detailsOf = (
  tags: PictureTags,
  toInstant: (localMs: number) => number = localTimeToInstant,
): PictureDetails => {
  const localMs = localMsOf(tags.time);
  const offsetMs = offsetMsOf(tags.offset);
  const latitude = coordinate(tags.latitude, 90);
  const longitude = coordinate(tags.longitude, 180);
  // Some cameras without GPS reception write 0° N, 0° E.
  const hasPlace = latitude !== undefined && longitude !== undefined && (latitude !== 0 || longitude !== 0);
  return {
    taken: localMs === undefined ? null : offsetMs === undefined ? toInstant(localMs) : localMs - offsetMs,
    taken_local: localMs === undefined ? null : new Date(localMs).toISOString().slice(0, 19),
    latitude: hasPlace ? latitude : null,
    longitude: hasPlace ? longitude : null,
    camera: cameraOf(tags.maker, tags.model),
  };
};
