import {
  instantOf,
  isoOf,
  nonEmptyList,
  type EntrySink,
  type ParsedEntry,
  type ParsedJson,
  type ParsedObject,
  type FormatReader,
} from '../parsing/entries.ts';
import { createJsonItemReader } from '../parsing/json-items.ts';
import {
  fieldsOf,
  listOf,
  numberIn,
  coordinatesOf,
  textIn,
  type Fields,
  type Coordinates,
} from '../parsing/json-fields.ts';

/*
 * Reads Google's location history: the former `Records.json`, the monthly files of "Semantic Location History", and the
 * `Timeline.json` that phones have written since 2024.
 */

const E7_FACTOR = 10_000_000;
const UINT32_MODULUS = 2 ** 32;

/** Converts degrees times ten million to degrees. Some values in older files overflowed 32 bits. */
const fromE7 = (value: unknown, max: number): number | undefined => {
  const number = numberIn(value);
  if (number === undefined) return undefined;
  return (
    (number > max * E7_FACTOR
      ? number - UINT32_MODULUS
      : number < -max * E7_FACTOR
        ? number + UINT32_MODULUS
        : number) / E7_FACTOR
  );
};
const coordinatesFromE7 = (fields: Fields): Coordinates | undefined =>
  coordinatesOf(
    fromE7(fields['latitudeE7'] ?? fields['latE7'], 90),
    fromE7(fields['longitudeE7'] ?? fields['lngE7'], 180),
  );

/** Parses coordinates such as "52.5°, 13.4°" and "geo:52.5,13.4". */
const parseCoordinates = (value: unknown): Coordinates | undefined => {
  const text = textIn(value);
  const match =
    text === undefined ? null : /^(?:geo:)?\s*(?<latitude>-?[\d.]+)°?\s*,\s*(?<longitude>-?[\d.]+)°?/u.exec(text);
  return match === null
    ? undefined
    : coordinatesOf(numberIn(match.groups?.['latitude']), numberIn(match.groups?.['longitude']));
};

const timeIn = (fields: Fields, name: string): number | undefined => {
  const text = textIn(fields[name]);
  return text === undefined ? numberIn(fields[`${name}Ms`]) : instantOf(text);
};

const readableNameOf = (value: unknown): string | undefined => textIn(value)?.toLowerCase().replaceAll('_', ' ');

/** Receives the entries and problems of one object of a file. */
type ItemSink = { add(entry: ParsedEntry): void; reject(problem: string): void };

const locationOf = (at: number, coordinates: Coordinates, details: ParsedObject = {}): ParsedEntry => ({
  kind: 'google/locations',
  at,
  identity: `${coordinates.latitude.toFixed(6)} ${coordinates.longitude.toFixed(6)}`,
  data: { time: isoOf(at), ...coordinates, ...details },
});

/** Reads an entry of `{"locations": [{"timestamp", "latitudeE7", "longitudeE7", …}]}`. */
const readLocation = (fields: Fields, { add, reject }: ItemSink): void => {
  const at = timeIn(fields, 'timestamp');
  const coordinates = coordinatesFromE7(fields);
  if (at === undefined || coordinates === undefined) return reject('this location has no time or no position');
  const guesses = listOf(fieldsOf(listOf(fields['activity'])[0])['activity']).map(fieldsOf);
  const likeliest = guesses.toSorted((a, b) => (numberIn(b['confidence']) ?? 0) - (numberIn(a['confidence']) ?? 0))[0];
  const details = {
    accuracy: numberIn(fields['accuracy']),
    altitude: numberIn(fields['altitude']),
    verticalAccuracy: numberIn(fields['verticalAccuracy']),
    speed: numberIn(fields['velocity']),
    heading: numberIn(fields['heading']),
    activity: readableNameOf(likeliest?.['type']),
    source: readableNameOf(fields['source']),
    device: textIn(numberIn(fields['deviceTag'])?.toString()),
  };
  add(locationOf(at, coordinates, details));
};

type Span = { start: number; end: number | undefined };

const isoSpan = ({ start, end }: Span): ParsedObject => ({
  start: isoOf(start),
  end: end === undefined ? undefined : isoOf(end),
});

const visitOf = (span: Span, level: number, data: ParsedObject): ParsedEntry => ({
  kind: 'google/visits',
  at: span.start,
  identity: `${level}`,
  data: { ...isoSpan(span), ...data },
});

const tripOf = (span: Span, data: ParsedObject): ParsedEntry => ({
  kind: 'google/trips',
  at: span.start,
  identity: '',
  data: { ...isoSpan(span), ...data },
});

/** Reads an entry of `{"timelineObjects": [{"placeVisit"} | {"activitySegment"}]}`. */
const readTimelineObject = (fields: Fields, { add, reject }: ItemSink): void => {
  const visit = fields['placeVisit'] === undefined ? undefined : fieldsOf(fields['placeVisit']);
  const activity = fieldsOf(fields['activitySegment']);
  const duration = fieldsOf((visit ?? activity)['duration']);
  const start = timeIn(duration, 'startTimestamp');
  if (start === undefined) return reject('this entry has no start time');
  const span = { start, end: timeIn(duration, 'endTimestamp') };
  if (visit !== undefined) {
    const location = fieldsOf(visit['location']);
    const percent = numberIn(location['locationConfidence']);
    const data = {
      ...coordinatesFromE7(location),
      name: textIn(location['name']),
      address: textIn(location['address']),
      placeId: textIn(location['placeId']),
      meaning: readableNameOf(location['semanticType'])?.replace(/^type /u, ''),
      probability: percent === undefined ? undefined : percent / 100,
    };
    return add(visitOf(span, 0, data));
  }
  const points = listOf(
    fieldsOf(activity['simplifiedRawPath'])['points'] ?? fieldsOf(activity['waypointPath'])['waypoints'],
  );
  const path: ParsedJson[] = points.flatMap((point) => coordinatesFromE7(fieldsOf(point)) ?? []);
  const data = {
    from: coordinatesFromE7(fieldsOf(activity['startLocation'])),
    to: coordinatesFromE7(fieldsOf(activity['endLocation'])),
    distance: numberIn(activity['distance']),
    mode: readableNameOf(activity['activityType']),
    path: nonEmptyList(path),
  };
  add(tripOf(span, data));
};

/** Reads a segment of `Timeline.json` from Android or iOS. */
const readSegment = (fields: Fields, { add, reject }: ItemSink): void => {
  const start = timeIn(fields, 'startTime');
  if (start === undefined) return reject('this entry has no start time');
  const span = { start, end: timeIn(fields, 'endTime') };
  if (fields['visit'] !== undefined) {
    const visit = fieldsOf(fields['visit']);
    const candidate = fieldsOf(visit['topCandidate']);
    const location = candidate['placeLocation'];
    const data = {
      ...parseCoordinates(typeof location === 'string' ? location : fieldsOf(location)['latLng']),
      placeId: textIn(candidate['placeId']) ?? textIn(candidate['placeID']),
      meaning: readableNameOf(candidate['semanticType']),
      probability: numberIn(visit['probability']),
    };
    add(visitOf(span, numberIn(visit['hierarchyLevel']) ?? 0, data));
  } else if (fields['activity'] !== undefined) {
    const activity = fieldsOf(fields['activity']);
    const coordinatesIn = (name: string): Coordinates | undefined =>
      parseCoordinates(typeof activity[name] === 'string' ? activity[name] : fieldsOf(activity[name])['latLng']);
    const candidate = fieldsOf(activity['topCandidate']);
    const data = {
      from: coordinatesIn('start'),
      to: coordinatesIn('end'),
      distance: numberIn(activity['distanceMeters']),
      mode: readableNameOf(candidate['type']),
      probability: numberIn(candidate['probability']) ?? numberIn(activity['probability']),
    };
    add(tripOf(span, data));
  } else if (fields['timelinePath'] !== undefined) {
    for (const point of listOf(fields['timelinePath']).map(fieldsOf)) {
      const minutes = numberIn(point['durationMinutesOffsetFromStartTime']);
      const at = timeIn(point, 'time') ?? (minutes === undefined ? undefined : start + minutes * 60_000);
      const coordinates = parseCoordinates(point['point']);
      if (at === undefined || coordinates === undefined) reject('a point of this path has no time or no position');
      else add(locationOf(at, coordinates));
    }
  }
};

/** Reads the position of an entry of Android's `rawSignals`. */
const readSignal = (fields: Fields, { add, reject }: ItemSink): void => {
  if (fields['position'] === undefined) return;
  const position = fieldsOf(fields['position']);
  const at = timeIn(position, 'timestamp');
  const coordinates = parseCoordinates(position['LatLng'] ?? position['latLng']);
  if (at === undefined || coordinates === undefined) return reject('this location has no time or no position');
  const details = {
    accuracy: numberIn(position['accuracyMeters']),
    altitude: numberIn(position['altitudeMeters']),
    speed: numberIn(position['speedMetersPerSecond']),
    source: readableNameOf(position['source']),
  };
  add(locationOf(at, coordinates, details));
};

/** Readers of the objects in a list, by the name of the list. An iOS file is one list without a name. */
const LIST_READERS = new Map<string, (fields: Fields, sink: ItemSink) => void>([
  ['locations', readLocation],
  ['timelineObjects', readTimelineObject],
  ['semanticSegments', readSegment],
  ['rawSignals', readSignal],
  ['', readSegment],
]);

export const createLocationHistoryReader = (sink: EntrySink): FormatReader =>
  createJsonItemReader({
    onItem(key, value, number) {
      const filePosition = `entry ${number}`;
      if (!sink.beginEntry(filePosition)) return;
      LIST_READERS.get(key)?.(fieldsOf(value), {
        add: (entry) => sink.addEntry(entry, filePosition),
        reject: (problem) => sink.addProblem(filePosition, problem),
      });
    },
    onBrokenItem: (number, problem) => sink.addProblem(`entry ${number}`, problem),
  });

const TIMELINE_ARRAY = /^\s*\[\s*\{(?=[\s\S]*"startTime")(?=[\s\S]*"(?:visit|activity|timelinePath)"\s*:)/u;
const LOCATION_OBJECT = /^\s*\{[\s\S]{0,2000}?"(?:locations|timelineObjects|semanticSegments)"\s*:\s*\[/u;
const RAW_SIGNALS_OBJECT = /^\s*\{\s*"rawSignals"\s*:\s*\[/u;

export const isLocationHistory = (head: string): boolean => {
  if (RAW_SIGNALS_OBJECT.test(head) || TIMELINE_ARRAY.test(head)) return true;
  // Other programs also write lists named `locations`. Google's lists contain `latitudeE7` or `timestampMs`.
  return (
    LOCATION_OBJECT.test(head) &&
    (!/^\s*\{\s*"locations"/u.test(head) || /"latitudeE7"|"timestampMs"|"locations"\s*:\s*\[\s*\]/u.test(head))
  );
};
