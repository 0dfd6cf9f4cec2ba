import { Fragment, memo } from 'react';
import { isObject } from '../../../server/wire/values.ts';
import { JsonText } from '../../shared/components/json-text.tsx';
import { m } from '../../shared/messages/texts.ts';
import classes from './data-preview.module.css';

/** Levels of objects that are laid out; deeper ones are shown as JSON. */
const MAX_DEPTH = 3;
const MAX_TEXT_CHARS = 400;

interface Leaf {
  path: string;
  value: unknown;
}

function collectLeaves(value: Record<string, unknown>, prefix: string, depth: number): Leaf[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return isObject(inner) && depth < MAX_DEPTH && Object.keys(inner).length > 0
      ? collectLeaves(inner, path, depth + 1)
      : [{ path, value: inner }];
  });
}

function valueText(value: unknown): string {
  const fullText = typeof value === 'string' ? value : JSON.stringify(value);
  return fullText.length > MAX_TEXT_CHARS ? `${fullText.slice(0, MAX_TEXT_CHARS)}…` : fullText;
}

/** One record as the requester receives it: the fields under their output names, the record's id and endpoint. */
export const RecordPreview = memo(function RecordPreview({ record, asJson }: { record: unknown; asJson: boolean }) {
  if (asJson || !isObject(record) || !('data' in record)) {
    return (
      <li className={classes.record}>
        <JsonText value={record} />
      </li>
    );
  }
  const { data, ...metadata } = record;
  const fields = isObject(data) ? collectLeaves(data, '', 1) : [{ path: '', value: data }];
  return (
    <li className={classes.record}>
      {fields.length === 0 && <span className={classes.soft}>{m.requests.sharedNow.nothing}</span>}
      <dl>
        {fields.map(({ path, value }) => (
          <Fragment key={path}>
            <dt>{path === '' ? m.consent.value : path}</dt>
            <dd>{value === '' ? <span className={classes.soft}>{m.consent.filter.empty}</span> : valueText(value)}</dd>
          </Fragment>
        ))}
      </dl>
      <p className={classes.id}>{Object.values(metadata).map(valueText).join(' · ')}</p>
    </li>
  );
});
