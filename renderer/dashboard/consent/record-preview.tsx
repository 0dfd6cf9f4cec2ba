import { Text } from '@mantine/core';
import { Fragment } from 'react';
import { isObject } from '../../../server/wire/values.ts';
import { JsonText } from '../../shared/components/json-text.tsx';
import { m } from '../../shared/messages/texts.ts';
import { ColourDot } from '../pages/data/endpoints/endpoint-icon.tsx';
import { formatField } from '../pages/data/records/field-format.ts';
import type { PreviewField } from './preview-fields.ts';
import classes from './data-preview.module.css';

/** Deeper levels are shown as JSON. */
const MAX_DEPTH = 3;
const MAX_TEXT_CHARS = 400;

interface Leaf {
  path: string;
  value: unknown;
}

function collectLeaves(value: Record<string, unknown>, prefix: string, depth: number): Leaf[] {
  return Object.entries(value).flatMap(([name, innerValue]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return isObject(innerValue) && depth < MAX_DEPTH && Object.keys(innerValue).length > 0
      ? collectLeaves(innerValue, path, depth + 1)
      : [{ path, value: innerValue }];
  });
}

function valueText(value: unknown): string {
  const fullText = typeof value === 'string' ? value : JSON.stringify(value);
  return fullText.length > MAX_TEXT_CHARS ? `${fullText.slice(0, MAX_TEXT_CHARS)}…` : fullText;
}

/** Types whose values are shown exactly as shared. */
const EXACT_TYPES: ReadonlySet<string> = new Set(['latitude', 'longitude', 'money']);

/**
 * Formats the value by type, with the shared value as a tooltip. Does not format latitudes, longitudes,
 * money, lists, objects or values that do not match their type. Truncates long values.
 */
function PreviewValue({ value, type }: { value: unknown; type: PreviewField['type'] }) {
  if (value === '')
    return (
      <Text span c="dimmed">
        {m.consent.filter.empty}
      </Text>
    );
  const exactText = valueText(value);
  if (type === undefined || value === null || EXACT_TYPES.has(type.type)) return exactText;
  const { text, kind } = formatField(value, type, MAX_TEXT_CHARS);
  if (kind === 'inner' || kind === 'exception') return exactText;
  return <span title={text === exactText ? undefined : exactText}>{text}</span>;
}

function PreviewName({ label, type, path }: PreviewField & { path: string }) {
  return (
    <dt title={path}>
      <ColourDot colour={type?.colour} />
      {label}
      {label.toLowerCase() !== path.toLowerCase() && <small>{path}</small>}
    </dt>
  );
}

interface RecordPreviewProps {
  record: unknown;
  isJsonShown: boolean;
  /** Without this lookup, fields are named by their paths, and values are shown unformatted. */
  fieldOf?: (endpoint: string, path: string) => PreviewField;
}

/** @param first index of the first record in the whole list */
export function RecordPreviewList({
  records,
  first = 0,
  ...props
}: Omit<RecordPreviewProps, 'record'> & { records: readonly unknown[]; first?: number }) {
  return (
    <ol className={classes.records} start={first + 1}>
      {records.map((record, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- records can lack an id or repeat; their previews have no state
        <RecordPreview key={first + index} record={record} {...props} />
      ))}
    </ol>
  );
}

function RecordPreview({ record, isJsonShown, fieldOf }: RecordPreviewProps) {
  if (isJsonShown || !isObject(record) || !('data' in record)) {
    return (
      <li className={classes.record}>
        <JsonText value={record} />
      </li>
    );
  }
  const { data, ...metadata } = record;
  const fields = isObject(data) ? collectLeaves(data, '', 1) : [{ path: '', value: data }];
  const endpoint = typeof metadata['endpoint'] === 'string' ? metadata['endpoint'] : '';
  return (
    <li className={classes.record}>
      {fields.length === 0 && (
        <Text span c="dimmed">
          {m.requests.sharedNow.nothing}
        </Text>
      )}
      <dl>
        {fields.map(({ path, value }) => {
          const field = fieldOf?.(endpoint, path);
          return (
            <Fragment key={path}>
              {path === '' || field === undefined ? (
                <dt>{path === '' ? m.consent.value : path}</dt>
              ) : (
                <PreviewName {...field} path={path} />
              )}
              <dd>
                <PreviewValue value={value} type={field?.type} />
              </dd>
            </Fragment>
          );
        })}
      </dl>
      <p className={classes.id}>{Object.values(metadata).map(valueText).join(' · ')}</p>
    </li>
  );
}
