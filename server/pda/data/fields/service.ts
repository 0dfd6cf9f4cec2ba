import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { Failure } from '../../../platform/failure.ts';
import { mapReadErrors } from '../../../platform/workers/read-limit-failure.ts';
import { endpointNameOf, namespaceOf } from '../../../wire/display-name.ts';
import {
  type EndpointDisplay,
  endpointFieldsSchema,
  type EndpointFields,
  type Field,
  type FieldCorrections,
  type NamespaceCorrections,
  type NamespaceDisplay,
} from '../../../wire/fields.ts';
import {
  LARGE_SAMPLED_RECORD_MAX_BYTES,
  MAX_LARGE_SAMPLED_RECORDS,
  MAX_SAMPLED_RECORDS,
  SAMPLE_MAX_BYTES,
  SAMPLED_RECORD_MAX_BYTES,
} from '../../../wire/limits.ts';
import type { EndpointSummary } from '../../../wire/owner.ts';
import { FIELD_RESAMPLE_INTERVAL_MS } from '../../../wire/work-limits.ts';
import type { EndpointRow, EndpointStore } from '../../core/endpoint-store.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { type InferredField, inferFields } from './rules.ts';
import type { CorrectionRow, FieldStore } from './store.ts';

export type FieldService = {
  /**
   * Returns the fields of an endpoint with the owner's corrections. @throws Failure not_found | query_limit_exceeded
   */
  fields(endpoint: string): Promise<EndpointFields>;
  /** Returns the display of an endpoint, which inherits icon and colour from its namespace. */
  displayOf(endpoint: string, namespaceDisplay?: NamespaceDisplay): EndpointDisplay;
  namespaceDisplayOf(namespace: string): NamespaceDisplay | undefined;
  /** Returns the names and colours of fields that the owner chose, by endpoint. */
  ownFieldChoices(): Map<string, OwnFieldChoices>;
  /** Stores corrections, and returns the fields with them. @throws Failure not_found | query_limit_exceeded */
  correct(endpoint: string, corrections: FieldCorrections): Promise<EndpointFields>;
  /** @throws Failure not_found */
  correctNamespace(namespace: string, corrections: NamespaceCorrections): Promise<NamespaceDisplay>;
  /** Returns how often `correct` has stored corrections since the server started. */
  correctionCount(): number;
  /** Makes the next request infer the fields of an endpoint again, however little it has changed. */
  evict(endpoint: string): void;
};

type OwnFieldChoices = Pick<EndpointSummary, 'fieldNames' | 'fieldColours'>;

const MAX_CACHED_ENDPOINTS = 200;

/** Stored path of a correction to an endpoint or a namespace. */
const ENDPOINT_PATH = '$';
const FIELD_PREFIX = '$.';

/**
 * Growth factor at which the fields of a changed endpoint are inferred again before FIELD_RESAMPLE_INTERVAL_MS has
 * passed. Applies to endpoints with at least MAX_SAMPLED_RECORDS records.
 */
const RESAMPLE_GROWTH = 1.1;

const FIELDS_PER_TURN = 10;

type InferredFields = {
  endpoint: EndpointRow;
  /** Unix milliseconds. */
  time: number;
  sampled: number;
  fields: InferredField[];
};

type CorrectionChanges = Pick<CorrectionRow, 'endpoint' | 'path'> & {
  [Column in keyof CorrectionRow]?: CorrectionRow[Column] | undefined;
};

const correctField = ({ field, possibleTimeFormat, ownPictures }: InferredField, correction: CorrectionRow): Field => {
  const type = correction.type ?? field.type;
  const isTime = type === 'date' || type === 'dateTime';
  const timeFormat = field.timeFormat ?? (isTime ? possibleTimeFormat : undefined);
  return {
    ...field,
    name: correction.name ?? field.name,
    type,
    unit: correction.unit ?? field.unit,
    ...(timeFormat === undefined ? {} : { timeFormat }),
    ...(correction.colour == null ? {} : { colour: correction.colour }),
    ownPictures: type === 'image' ? ownPictures : undefined,
    corrected: (correction.name ?? correction.type ?? correction.unit) !== null,
  };
};

const choicesIn = (correction: CorrectionRow | undefined): NamespaceDisplay => ({
  ...(correction?.name == null ? {} : { name: correction.name }),
  ...(correction?.icon == null ? {} : { icon: correction.icon }),
  ...(correction?.colour == null ? {} : { colour: correction.colour }),
});

const toDisplay = (endpoint: string, correction: CorrectionRow | undefined): EndpointDisplay => ({
  ...choicesIn(correction),
  name: correction?.name ?? endpointNameOf(endpoint),
});

export const createFieldService = (parts: {
  store: FieldStore;
  endpoints: Pick<EndpointStore, 'list' | 'summary'>;
  writer: Writer;
  clock: Clock;
}): FieldService => {
  const { store, endpoints, writer, clock } = parts;
  const cache = new Map<string, Promise<InferredFields>>();
  let correctionCount = 0;

  const sampleOf = async (id: number): Promise<string[]> => {
    const texts = await store.sample(id, { records: MAX_SAMPLED_RECORDS, recordBytes: SAMPLED_RECORD_MAX_BYTES });
    if (texts.length > 0) return texts;
    return store.sample(id, { records: MAX_LARGE_SAMPLED_RECORDS, recordBytes: LARGE_SAMPLED_RECORD_MAX_BYTES });
  };

  const infer = async (endpoint: EndpointRow): Promise<InferredFields> => {
    const time = clock.now();
    const texts = await mapReadErrors(sampleOf(endpoint.id));
    const sample: unknown[] = [];
    let bytes = 0;
    for (const text of texts) {
      bytes += Buffer.byteLength(text);
      if (bytes > SAMPLE_MAX_BYTES) break;
      sample.push(JSON.parse(text) as unknown);
    }
    const fields: InferredField[] = [];
    for (const field of inferFields(sample)) {
      fields.push(field);
      if (fields.length % FIELDS_PER_TURN === 0) await nextTurn();
    }
    return { endpoint, time, sampled: sample.length, fields };
  };

  const isFresh = ({ endpoint: previous, time }: InferredFields, current: EndpointRow): boolean => {
    if (previous.id !== current.id) return false;
    if (
      previous.last_change === current.last_change &&
      previous.records === current.records &&
      previous.bytes === current.bytes
    )
      return true;
    // Avoids sampling a large endpoint at each request while its records change.
    return (
      previous.records >= MAX_SAMPLED_RECORDS &&
      current.records >= previous.records &&
      current.records < previous.records * RESAMPLE_GROWTH &&
      Math.abs(clock.now() - time) < FIELD_RESAMPLE_INTERVAL_MS
    );
  };

  const inferredFieldsOf = async (row: EndpointRow): Promise<InferredFields> => {
    const cached = await cache.get(row.path);
    if (cached !== undefined && isFresh(cached, row)) return cached;
    const load = infer(row);
    setBounded(cache, row.path, load, MAX_CACHED_ENDPOINTS);
    load.catch(() => cache.delete(row.path));
    return load;
  };

  const summaryOf = (endpoint: string): EndpointRow => {
    const row = endpoints.summary(endpoint);
    if (row === undefined) throw new Failure('not_found', 'There are no records at this endpoint.');
    return row;
  };

  const fields = async (endpoint: string): Promise<EndpointFields> => {
    const inferredFields = await inferredFieldsOf(summaryOf(endpoint));
    const corrections = new Map(store.corrections(endpoint).map((row) => [row.path, row]));
    const endpointCorrection = corrections.get(ENDPOINT_PATH);
    return endpointFieldsSchema.parse({
      endpoint,
      ...toDisplay(endpoint, endpointCorrection),
      ...(endpointCorrection?.chart == null ? {} : { chart: endpointCorrection.chart }),
      corrected:
        endpointCorrection !== undefined &&
        (endpointCorrection.name ?? endpointCorrection.icon ?? endpointCorrection.colour) !== null,
      sampled: inferredFields.sampled,
      fields: inferredFields.fields.map((inferredField) => {
        const correction = corrections.get(FIELD_PREFIX + inferredField.field.path);
        return correction === undefined ? inferredField.field : correctField(inferredField, correction);
      }),
    });
  };

  /** Stores the changes of a correction. Columns that are undefined keep their value. */
  const merge = (tx: Transaction, { endpoint, path, ...changes }: CorrectionChanges): void => {
    const existing = store.correction(endpoint, path);
    const previousRow = existing ?? { name: null, type: null, unit: null, icon: null, colour: null, chart: null };
    const changedValues = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    store.save(tx, { ...previousRow, ...changedValues, endpoint, path });
  };

  const namespaceDisplayOf = (namespace: string): NamespaceDisplay | undefined => {
    const correction = store.correction(namespace, ENDPOINT_PATH);
    return correction === undefined ? undefined : choicesIn(correction);
  };

  return {
    fields,

    displayOf: (endpoint, namespaceDisplay = namespaceDisplayOf(namespaceOf(endpoint)) ?? {}) => ({
      ...namespaceDisplay,
      ...toDisplay(endpoint, store.correction(endpoint, ENDPOINT_PATH)),
    }),

    namespaceDisplayOf,

    ownFieldChoices() {
      const choices = new Map<string, OwnFieldChoices>();
      for (const { endpoint, path: storedPath, name, colour } of store.choices()) {
        if (storedPath === ENDPOINT_PATH) continue;
        const path = storedPath.slice(FIELD_PREFIX.length);
        const fieldChoices = choices.get(endpoint) ?? {};
        choices.set(endpoint, fieldChoices);
        if (name !== null) (fieldChoices.fieldNames ??= []).push({ path, name });
        if (colour !== null) (fieldChoices.fieldColours ??= []).push({ path, colour });
      }
      return choices;
    },

    async correct(endpoint, corrections) {
      summaryOf(endpoint);
      await writer.write((tx) => {
        const { fields: fieldCorrections, ...endpointCorrections } = corrections;
        if (Object.keys(endpointCorrections).length > 0)
          merge(tx, { endpoint, path: ENDPOINT_PATH, ...endpointCorrections });
        for (const { path, ...changes } of fieldCorrections)
          merge(tx, { endpoint, path: FIELD_PREFIX + path, ...changes });
      });
      correctionCount += 1;
      return fields(endpoint);
    },

    async correctNamespace(namespace, corrections) {
      if (!endpoints.list().some(({ path }) => namespaceOf(path) === namespace))
        throw new Failure('not_found', 'There are no records in this namespace.');
      await writer.write((tx) => merge(tx, { endpoint: namespace, path: ENDPOINT_PATH, ...corrections }));
      return namespaceDisplayOf(namespace) ?? {};
    },

    correctionCount: () => correctionCount,
    evict: (endpoint) => void cache.delete(endpoint),
  };
};
