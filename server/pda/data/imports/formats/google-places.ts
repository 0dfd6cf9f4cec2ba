import {
  instantOf,
  isoOf,
  someOf,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type Reader,
} from '../parsing/entries.ts';
import { createJsonItems } from '../parsing/json-items.ts';
import { fieldsOf, listOf, numberIn, placeAt, textIn, type Fields, type Place } from '../parsing/json-fields.ts';

/**
 * Where one was, as Google hands it out: the old `Records.json` and the monthly files of "Semantic Location History", and the `Timeline.json`
 * that telephones write since 2024 (one form on Android, another on iOS).
 */

const E7 = 10_000_000;
const WRAP = 2 ** 32;

/** Degrees times ten million. Older files have some that ran over. */
const fromE7 = (value: unknown, most: number): number | undefined => {
  const number = numberIn(value);
  if (number === undefined) return undefined;
  return (number > most * E7 ? number - WRAP : number < -most * E7 ? number + WRAP : number) / E7;
};
const placeE7 = (fields: Fields): Place | undefined =>
  placeAt(fromE7(fields['latitudeE7'] ?? fields['latE7'], 90), fromE7(fields['longitudeE7'] ?? fields['lngE7'], 180));

/** "52.5°, 13.4°" and "geo:52.5,13.4". */
const placeOfText = (value: unknown): Place | undefined => {
  const text = textIn(value);
  const found =
    text === undefined ? null : /^(?:geo:)?\s*(?<latitude>-?[\d.]+)°?\s*,\s*(?<longitude>-?[\d.]+)°?/u.exec(text);
  return found === null
    ? undefined
    : placeAt(numberIn(found.groups?.['latitude']), numberIn(found.groups?.['longitude']));
};

const timeIn = (fields: Fields, name: string): number | undefined => {
  const text = textIn(fields[name]);
  return text === undefined ? numberIn(fields[`${name}Ms`]) : instantOf(text);
};

const words = (value: unknown): string | undefined => textIn(value)?.toLowerCase().replaceAll('_', ' ');

const location = (found: EntrySink, at: number, place: Place, more: ParsedObject, where: string): void =>
  found.entry(
    {
      kind: 'google/locations',
      at,
      identity: `${place.latitude.toFixed(6)} ${place.longitude.toFixed(6)}`,
      data: { time: isoOf(at), latitude: place.latitude, longitude: place.longitude, ...more },
    },
    where,
  );

/** `{"locations": [{"timestamp", "latitudeE7", "longitudeE7", …}]}`. */
const readRecord = (found: EntrySink, fields: Fields, where: string): void => {
  const at = timeIn(fields, 'timestamp');
  const place = placeE7(fields);
  if (at === undefined || place === undefined) return found.trouble(where, 'this place has no time or no position');
  const guesses = listOf(fieldsOf(listOf(fields['activity'])[0])['activity']).map(fieldsOf);
  const likely = guesses.toSorted((a, b) => (numberIn(b['confidence']) ?? 0) - (numberIn(a['confidence']) ?? 0))[0];
  location(
    found,
    at,
    place,
    {
      accuracy: numberIn(fields['accuracy']),
      altitude: numberIn(fields['altitude']),
      verticalAccuracy: numberIn(fields['verticalAccuracy']),
      speed: numberIn(fields['velocity']),
      heading: numberIn(fields['heading']),
      activity: words(likely?.['type']),
      source: words(fields['source']),
      device: textIn(numberIn(fields['deviceTag'])?.toString()),
    },
    where,
  );
};

type Span = { start: number; end: number | undefined };

const visit = (
  found: EntrySink,
  span: Span,
  level: number,
  place: Place | undefined,
  more: ParsedObject,
  where: string,
): void =>
  found.entry(
    {
      kind: 'google/visits',
      at: span.start,
      identity: `${level}`,
      data: { start: isoOf(span.start), end: span.end === undefined ? undefined : isoOf(span.end), ...place, ...more },
    },
    where,
  );

const trip = (
  found: EntrySink,
  span: Span,
  from: Place | undefined,
  to: Place | undefined,
  more: ParsedObject,
  where: string,
): void =>
  found.entry(
    {
      kind: 'google/trips',
      at: span.start,
      identity: '',
      data: { start: isoOf(span.start), end: span.end === undefined ? undefined : isoOf(span.end), from, to, ...more },
    },
    where,
  );

/** `{"timelineObjects": [{"placeVisit"} | {"activitySegment"}]}`. */
const readSemantic = (found: EntrySink, fields: Fields, where: string): void => {
  const visited = fields['placeVisit'] === undefined ? undefined : fieldsOf(fields['placeVisit']);
  const moved = fieldsOf(fields['activitySegment']);
  const duration = fieldsOf((visited ?? moved)['duration']);
  const start = timeIn(duration, 'startTimestamp');
  if (start === undefined) return found.trouble(where, 'this entry has no time at which it begins');
  const span = { start, end: timeIn(duration, 'endTimestamp') };
  if (visited !== undefined) {
    const at = fieldsOf(visited['location']);
    const more = {
      name: textIn(at['name']),
      address: textIn(at['address']),
      placeId: textIn(at['placeId']),
      meaning: words(at['semanticType'])?.replace(/^type /u, ''),
      probability: share(numberIn(at['locationConfidence'])),
    };
    visit(found, span, 0, placeE7(at), more, where);
    return;
  }
  const way = listOf(fieldsOf(moved['simplifiedRawPath'])['points'] ?? fieldsOf(moved['waypointPath'])['waypoints']);
  const path: ParsedJson[] = way.flatMap((point) => placeE7(fieldsOf(point)) ?? []);
  const more = {
    distance: numberIn(moved['distance']),
    mode: words(moved['activityType']),
    path: someOf(path),
  };
  trip(found, span, placeE7(fieldsOf(moved['startLocation'])), placeE7(fieldsOf(moved['endLocation'])), more, where);
};

/** Percent as a share of one. */
const share = (percent: number | undefined): number | undefined => (percent === undefined ? undefined : percent / 100);

/** One segment of `Timeline.json`, of either form. */
const readSegment = (found: EntrySink, fields: Fields, where: string): void => {
  const start = timeIn(fields, 'startTime');
  if (start === undefined) return found.trouble(where, 'this entry has no time at which it begins');
  const span = { start, end: timeIn(fields, 'endTime') };
  if (fields['visit'] !== undefined) {
    const visited = fieldsOf(fields['visit']);
    const best = fieldsOf(visited['topCandidate']);
    const at = best['placeLocation'];
    const more = {
      placeId: textIn(best['placeId']) ?? textIn(best['placeID']),
      meaning: words(best['semanticType']),
      probability: numberIn(visited['probability']),
    };
    const place = placeOfText(typeof at === 'string' ? at : fieldsOf(at)['latLng']);
    visit(found, span, numberIn(visited['hierarchyLevel']) ?? 0, place, more, where);
  } else if (fields['activity'] !== undefined) {
    const moved = fieldsOf(fields['activity']);
    const end = (name: string): Place | undefined =>
      placeOfText(typeof moved[name] === 'string' ? moved[name] : fieldsOf(moved[name])['latLng']);
    const best = fieldsOf(moved['topCandidate']);
    const more = {
      distance: numberIn(moved['distanceMeters']),
      mode: words(best['type']),
      probability: numberIn(best['probability']) ?? numberIn(moved['probability']),
    };
    trip(found, span, end('start'), end('end'), more, where);
  } else if (fields['timelinePath'] !== undefined) {
    for (const one of listOf(fields['timelinePath']).map(fieldsOf)) {
      const minutes = numberIn(one['durationMinutesOffsetFromStartTime']);
      const at = timeIn(one, 'time') ?? (minutes === undefined ? undefined : start + minutes * 60_000);
      const place = placeOfText(one['point']);
      if (at === undefined || place === undefined)
        found.trouble(where, 'a point of this path has no time or no position');
      else location(found, at, place, {}, where);
    }
  }
};

/** `rawSignals` of Android: positions; networks and the like are left out. */
const readSignal = (found: EntrySink, fields: Fields, where: string): void => {
  if (fields['position'] === undefined) return;
  const position = fieldsOf(fields['position']);
  const at = timeIn(position, 'timestamp');
  const place = placeOfText(position['LatLng'] ?? position['latLng']);
  if (at === undefined || place === undefined) return found.trouble(where, 'this place has no time or no position');
  location(
    found,
    at,
    place,
    {
      accuracy: numberIn(position['accuracyMeters']),
      altitude: numberIn(position['altitudeMeters']),
      speed: numberIn(position['speedMetersPerSecond']),
      source: words(position['source']),
    },
    where,
  );
};

/** What lists of these files are called, and what reads their entries. Other lists say nothing about where one was. */
const LISTS: Readonly<Record<string, (found: EntrySink, fields: Fields, where: string) => void>> = {
  locations: readRecord,
  timelineObjects: readSemantic,
  semanticSegments: readSegment,
  rawSignals: readSignal,
  '': readSegment,
};

export const createPlacesReader = (found: EntrySink): Reader =>
  createJsonItems({
    item: (key, value, number) => LISTS[key]?.(found, fieldsOf(value), `entry ${number}`),
    broken: (number, problem) => found.trouble(`entry ${number}`, problem),
  });

const IN_A_LIST = /^\s*\[\s*\{(?=[\s\S]*"startTime")(?=[\s\S]*"(?:visit|activity|timelinePath)"\s*:)/u;
const IN_AN_OBJECT = /^\s*\{[\s\S]{0,2000}?"(?:locations|timelineObjects|semanticSegments)"\s*:\s*\[/u;
const RAW = /^\s*\{\s*"rawSignals"\s*:\s*\[/u;

export const isPlaces = (head: string): boolean => {
  if (RAW.test(head) || IN_A_LIST.test(head)) return true;
  // Other programs have lists of locations, too: these have them in one of two notations.
  return (
    IN_AN_OBJECT.test(head) &&
    (!/^\s*\{\s*"locations"/u.test(head) || /"latitudeE7"|"timestampMs"|"locations"\s*:\s*\[\s*\]/u.test(head))
  );
};
