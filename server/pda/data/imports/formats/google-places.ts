import {
  instantOf,
  isoOf,
  nonEmptyList,
  type EntrySink,
  type ParsedJson,
  type ParsedObject,
  type Reader,
} from '../parsing/entries.ts';
import { createJsonItems } from '../parsing/json-items.ts';
import { fieldsOf, listOf, numberIn, placeAt, textIn, type Fields, type Place } from '../parsing/json-fields.ts';

/**
 * Reads Google's location history: the old `Records.json`, the monthly files of "Semantic Location History", and the `Timeline.json` that
 * phones write since 2024 (one form on Android, another on iOS).
 */

const E7 = 10_000_000;
const WRAP = 2 ** 32;

/** Converts degrees times ten million. Some values in older files overflowed 32 bits. */
const fromE7 = (value: unknown, max: number): number | undefined => {
  const number = numberIn(value);
  if (number === undefined) return undefined;
  return (number > max * E7 ? number - WRAP : number < -max * E7 ? number + WRAP : number) / E7;
};
const placeE7 = (fields: Fields): Place | undefined =>
  placeAt(fromE7(fields['latitudeE7'] ?? fields['latE7'], 90), fromE7(fields['longitudeE7'] ?? fields['lngE7'], 180));

/** Parses coordinates such as "52.5°, 13.4°" and "geo:52.5,13.4". */
const parsePlace = (value: unknown): Place | undefined => {
  const text = textIn(value);
  const match =
    text === undefined ? null : /^(?:geo:)?\s*(?<latitude>-?[\d.]+)°?\s*,\s*(?<longitude>-?[\d.]+)°?/u.exec(text);
  return match === null
    ? undefined
    : placeAt(numberIn(match.groups?.['latitude']), numberIn(match.groups?.['longitude']));
};

const timeIn = (fields: Fields, name: string): number | undefined => {
  const text = textIn(fields[name]);
  return text === undefined ? numberIn(fields[`${name}Ms`]) : instantOf(text);
};

const readableName = (value: unknown): string | undefined => textIn(value)?.toLowerCase().replaceAll('_', ' ');

const addLocation = (sink: EntrySink, at: number, place: Place, details: ParsedObject, filePosition: string): void =>
  sink.addEntry(
    {
      kind: 'google/locations',
      at,
      identity: `${place.latitude.toFixed(6)} ${place.longitude.toFixed(6)}`,
      data: { time: isoOf(at), latitude: place.latitude, longitude: place.longitude, ...details },
    },
    filePosition,
  );

/** Reads an entry of `{"locations": [{"timestamp", "latitudeE7", "longitudeE7", …}]}`. */
const readRecord = (sink: EntrySink, fields: Fields, filePosition: string): void => {
  const at = timeIn(fields, 'timestamp');
  const place = placeE7(fields);
  if (at === undefined || place === undefined)
    return sink.addProblem(filePosition, 'this location has no time or no position');
  const guesses = listOf(fieldsOf(listOf(fields['activity'])[0])['activity']).map(fieldsOf);
  const likely = guesses.toSorted((a, b) => (numberIn(b['confidence']) ?? 0) - (numberIn(a['confidence']) ?? 0))[0];
  addLocation(
    sink,
    at,
    place,
    {
      accuracy: numberIn(fields['accuracy']),
      altitude: numberIn(fields['altitude']),
      verticalAccuracy: numberIn(fields['verticalAccuracy']),
      speed: numberIn(fields['velocity']),
      heading: numberIn(fields['heading']),
      activity: readableName(likely?.['type']),
      source: readableName(fields['source']),
      device: textIn(numberIn(fields['deviceTag'])?.toString()),
    },
    filePosition,
  );
};

type Span = { start: number; end: number | undefined };

const addVisit = (
  sink: EntrySink,
  span: Span,
  level: number,
  place: Place | undefined,
  details: ParsedObject,
  filePosition: string,
): void =>
  sink.addEntry(
    {
      kind: 'google/visits',
      at: span.start,
      identity: `${level}`,
      data: {
        start: isoOf(span.start),
        end: span.end === undefined ? undefined : isoOf(span.end),
        ...place,
        ...details,
      },
    },
    filePosition,
  );

const addTrip = (
  sink: EntrySink,
  span: Span,
  from: Place | undefined,
  to: Place | undefined,
  details: ParsedObject,
  filePosition: string,
): void =>
  sink.addEntry(
    {
      kind: 'google/trips',
      at: span.start,
      identity: '',
      data: {
        start: isoOf(span.start),
        end: span.end === undefined ? undefined : isoOf(span.end),
        from,
        to,
        ...details,
      },
    },
    filePosition,
  );

/** Reads an entry of `{"timelineObjects": [{"placeVisit"} | {"activitySegment"}]}`. */
const readSemantic = (sink: EntrySink, fields: Fields, filePosition: string): void => {
  const visit = fields['placeVisit'] === undefined ? undefined : fieldsOf(fields['placeVisit']);
  const activity = fieldsOf(fields['activitySegment']);
  const duration = fieldsOf((visit ?? activity)['duration']);
  const start = timeIn(duration, 'startTimestamp');
  if (start === undefined) return sink.addProblem(filePosition, 'this entry has no start time');
  const span = { start, end: timeIn(duration, 'endTimestamp') };
  if (visit !== undefined) {
    const at = fieldsOf(visit['location']);
    const details = {
      name: textIn(at['name']),
      address: textIn(at['address']),
      placeId: textIn(at['placeId']),
      meaning: readableName(at['semanticType'])?.replace(/^type /u, ''),
      probability: fraction(numberIn(at['locationConfidence'])),
    };
    addVisit(sink, span, 0, placeE7(at), details, filePosition);
    return;
  }
  const points = listOf(
    fieldsOf(activity['simplifiedRawPath'])['points'] ?? fieldsOf(activity['waypointPath'])['waypoints'],
  );
  const path: ParsedJson[] = points.flatMap((point) => placeE7(fieldsOf(point)) ?? []);
  const details = {
    distance: numberIn(activity['distance']),
    mode: readableName(activity['activityType']),
    path: nonEmptyList(path),
  };
  addTrip(
    sink,
    span,
    placeE7(fieldsOf(activity['startLocation'])),
    placeE7(fieldsOf(activity['endLocation'])),
    details,
    filePosition,
  );
};

/** Converts percent to a fraction. */
const fraction = (percent: number | undefined): number | undefined =>
  percent === undefined ? undefined : percent / 100;

/** Reads one segment of `Timeline.json` in either form. */
const readSegment = (sink: EntrySink, fields: Fields, filePosition: string): void => {
  const start = timeIn(fields, 'startTime');
  if (start === undefined) return sink.addProblem(filePosition, 'this entry has no start time');
  const span = { start, end: timeIn(fields, 'endTime') };
  if (fields['visit'] !== undefined) {
    const visit = fieldsOf(fields['visit']);
    const best = fieldsOf(visit['topCandidate']);
    const at = best['placeLocation'];
    const details = {
      placeId: textIn(best['placeId']) ?? textIn(best['placeID']),
      meaning: readableName(best['semanticType']),
      probability: numberIn(visit['probability']),
    };
    const place = parsePlace(typeof at === 'string' ? at : fieldsOf(at)['latLng']);
    addVisit(sink, span, numberIn(visit['hierarchyLevel']) ?? 0, place, details, filePosition);
  } else if (fields['activity'] !== undefined) {
    const activity = fieldsOf(fields['activity']);
    const end = (name: string): Place | undefined =>
      parsePlace(typeof activity[name] === 'string' ? activity[name] : fieldsOf(activity[name])['latLng']);
    const best = fieldsOf(activity['topCandidate']);
    const details = {
      distance: numberIn(activity['distanceMeters']),
      mode: readableName(best['type']),
      probability: numberIn(best['probability']) ?? numberIn(activity['probability']),
    };
    addTrip(sink, span, end('start'), end('end'), details, filePosition);
  } else if (fields['timelinePath'] !== undefined) {
    for (const point of listOf(fields['timelinePath']).map(fieldsOf)) {
      const minutes = numberIn(point['durationMinutesOffsetFromStartTime']);
      const at = timeIn(point, 'time') ?? (minutes === undefined ? undefined : start + minutes * 60_000);
      const place = parsePlace(point['point']);
      if (at === undefined || place === undefined)
        sink.addProblem(filePosition, 'a point of this path has no time or no position');
      else addLocation(sink, at, place, {}, filePosition);
    }
  }
};

/** Reads an entry of Android's `rawSignals`. Only positions are imported, no networks or other signals. */
const readSignal = (sink: EntrySink, fields: Fields, filePosition: string): void => {
  if (fields['position'] === undefined) return;
  const position = fieldsOf(fields['position']);
  const at = timeIn(position, 'timestamp');
  const place = parsePlace(position['LatLng'] ?? position['latLng']);
  if (at === undefined || place === undefined)
    return sink.addProblem(filePosition, 'this location has no time or no position');
  addLocation(
    sink,
    at,
    place,
    {
      accuracy: numberIn(position['accuracyMeters']),
      altitude: numberIn(position['altitudeMeters']),
      speed: numberIn(position['speedMetersPerSecond']),
      source: readableName(position['source']),
    },
    filePosition,
  );
};

/** Reader of each list by its name. Other lists contain no locations. */
const LIST_READERS: Readonly<Record<string, (sink: EntrySink, fields: Fields, filePosition: string) => void>> = {
  locations: readRecord,
  timelineObjects: readSemantic,
  semanticSegments: readSegment,
  rawSignals: readSignal,
  '': readSegment,
};

export const createPlacesReader = (sink: EntrySink): Reader =>
  createJsonItems({
    onItem: (key, value, number) => LIST_READERS[key]?.(sink, fieldsOf(value), `entry ${number}`),
    onBrokenItem: (number, problem) => sink.addProblem(`entry ${number}`, problem),
  });

const TIMELINE_ARRAY = /^\s*\[\s*\{(?=[\s\S]*"startTime")(?=[\s\S]*"(?:visit|activity|timelinePath)"\s*:)/u;
const LOCATION_OBJECT = /^\s*\{[\s\S]{0,2000}?"(?:locations|timelineObjects|semanticSegments)"\s*:\s*\[/u;
const RAW = /^\s*\{\s*"rawSignals"\s*:\s*\[/u;

export const isPlaces = (head: string): boolean => {
  if (RAW.test(head) || TIMELINE_ARRAY.test(head)) return true;
  // Other programs also write lists named `locations`. Google's contain one of these two fields.
  return (
    LOCATION_OBJECT.test(head) &&
    (!/^\s*\{\s*"locations"/u.test(head) || /"latitudeE7"|"timestampMs"|"locations"\s*:\s*\[\s*\]/u.test(head))
  );
};
