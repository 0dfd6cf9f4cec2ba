import { type ReactNode, useState } from 'react';
import { displayNameOf } from '../../../../../server/wire/display-name.ts';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import { isObject } from '../../../../../server/wire/values.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { ColourDot } from '../endpoints/endpoint-icon.tsx';
import { type ValueType, formatField, isPlainObject } from './field-format.ts';
import { nameWithoutUnit } from './field-name.ts';
import { FieldValue } from './field-value.tsx';
import classes from './record-form.module.css';

const texts = m.data;
const VALUE_MAX_CHARS = 2000;
/** Limit per object or list. The JSON view shows all members. */
const MAX_ROWS = 100;
/** Larger objects and lists are initially collapsed. */
const MAX_EXPANDED_MEMBERS = 6;

type FieldsByPath = ReadonlyMap<string, Field>;

interface Row {
  path: string;
  label: string;
  value: unknown;
  field: ValueType;
}

export function guessType(value: unknown): Field['type'] {
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'rawJSON' in value ? 'number' : 'object';
  if (typeof value === 'string') return /^https?:\/\//iu.test(value) && URL.canParse(value) ? 'link' : 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' ? 'number' : 'text';
}

function isNested(value: unknown, field: ValueType): value is Record<string, unknown> | unknown[] {
  if (Array.isArray(value)) return value.length > 0;
  return isPlainObject(value) && field.type !== 'geoJson' && Object.keys(value).length > 0;
}

function rowsOf(data: Record<string, unknown> | unknown[], path: string, fields: FieldsByPath): Row[] {
  const entries: [string, unknown][] = Array.isArray(data)
    ? data.slice(0, MAX_ROWS).map((item, index) => [String(index), item])
    : Object.entries(data).slice(0, MAX_ROWS);
  return entries.map(([name, value]) => {
    const innerPath = path === '' ? name : `${path}.${name}`;
    const knownField = Array.isArray(data) ? undefined : fields.get(innerPath);
    return {
      path: innerPath,
      label: Array.isArray(data)
        ? number(Number(name) + 1)
        : knownField === undefined
          ? displayNameOf(name)
          : nameWithoutUnit(knownField),
      value,
      field: knownField ?? { path: innerPath, type: guessType(value), unit: '' },
    };
  });
}

export function RecordForm({ data, fields }: { data: unknown; fields: readonly Field[] }) {
  const byPath: FieldsByPath = new Map(fields.map((field) => [field.path, field]));
  const rootField = byPath.get('') ?? { path: '', type: guessType(data), unit: '' };
  if (!isNested(data, rootField))
    return (
      <p className={classes.singleValue}>
        <RecordValue value={data} field={rootField} />
      </p>
    );
  return <Rows data={data} path="" fields={byPath} depth={0} />;
}

interface RowsProps {
  data: Record<string, unknown> | unknown[];
  path: string;
  fields: FieldsByPath;
  depth: number;
}

function Rows({ data, path, fields, depth }: RowsProps) {
  const total = Array.isArray(data) ? data.length : Object.keys(data).length;
  const rows = rowsOf(data, path, fields);
  return (
    <>
      <dl className={classes.rows} data-depth={Math.min(depth, 2)}>
        {rows.map((row) => (
          <div key={row.path}>
            <dt title={withoutBidiControls(row.path)}>
              <ColourDot colour={row.field.colour} />
              <bdi>{withoutBidiControls(row.label)}</bdi>
            </dt>
            <dd>
              {isNested(row.value, row.field) ? (
                <NestedValue data={row.value} path={row.path} fields={fields} depth={depth + 1} />
              ) : (
                <RecordValue value={row.value} field={row.field} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {total > rows.length && <p className={classes.hiddenCount}>{texts.record.moreInJson(total - rows.length)}</p>}
    </>
  );
}

function NestedValue(props: RowsProps) {
  const { data } = props;
  const size = Array.isArray(data) ? data.length : Object.keys(data).length;
  const [isOpen, setIsOpen] = useState(size <= MAX_EXPANDED_MEMBERS);
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)} className={classes.nestedValue}>
      <summary>{Array.isArray(data) ? texts.values.items(size) : texts.values.members(size)}</summary>
      {isOpen && <Rows {...props} />}
    </details>
  );
}

export function RecordValue({ value, field }: { value: unknown; field: ValueType }): ReactNode {
  const formatted = formatField(value, field, VALUE_MAX_CHARS);
  if (formatted.kind === 'empty') return <span className={classes.emptyValue}>{texts.values.empty}</span>;
  const hasUnit = field.type === 'number' && field.unit !== '' && formatted.kind === 'number';
  return <FieldValue value={formatted}>{hasUnit ? `${formatted.text}\u00A0${field.unit}` : formatted.text}</FieldValue>;
}
