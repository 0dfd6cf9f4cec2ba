import { NativeSelect } from '@mantine/core';
import { withoutBidiControls } from '../../../../server/wire/isolation.ts';
import { isObject } from '../../../../server/wire/values.ts';
import type { ColumnChoice, ImportPreview } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './preview-stage.module.css';

const texts = m.imports.preview;
export const MAX_SHOWN_ROWS = 10;
const MAX_CELL_CHARS = 120;
const CHOICES = [
  'text',
  'number',
  'decimal-comma',
  'boolean',
  'iso',
  'year-month-day',
  'month-name',
  'month-day',
  'day-month',
  'skip',
] as const satisfies readonly ColumnChoice[];
const UNCHANGED = 'unchanged';

type PreviewColumn = ImportPreview['columns'][number];
type Choice = ColumnChoice | typeof UNCHANGED;

/** Returns the choice for the inferred type of a CSV column: number for integers, and text for empty columns. */
function choiceOf(type: PreviewColumn['type']): ColumnChoice {
  if (type === 'integer') return 'number';
  return CHOICES.find((choice) => choice === type) ?? 'text';
}

function conversionsOf(type: PreviewColumn['type']): readonly ColumnChoice[] {
  switch (type) {
    case 'object':
    case 'array':
    case 'null':
      return ['skip'];
    case 'integer':
    case 'number':
    case 'boolean':
      return ['text', 'skip'];
    case 'mixed':
      return CHOICES;
    default:
      return CHOICES.filter((choice) => choice !== 'text' && choice !== 'iso');
  }
}

function choicesFor({ type }: PreviewColumn, isCsv: boolean): { value: Choice; label: string }[] {
  const types = isCsv ? CHOICES : conversionsOf(type);
  const choices = types.map((value) => ({ value, label: texts.types[value] }));
  return isCsv ? choices : [{ value: UNCHANGED, label: texts.unchanged[type] }, ...choices];
}

function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CELL_CHARS ? `${text.slice(0, MAX_CELL_CHARS).toWellFormed()}\u2026` : text;
}

interface RecordsTableProps {
  preview: ImportPreview;
  /** By column name. */
  types: Readonly<Record<string, ColumnChoice>>;
  /** @param type undefined restores the initial choice */
  change: (column: string, type: ColumnChoice | undefined) => void;
}

export function RecordsTable({ preview, types, change }: RecordsTableProps) {
  const { columns } = preview;
  const rows = preview.elements.slice(0, MAX_SHOWN_ROWS);
  if (columns.length === 0) return <ValuesTable rows={rows} />;
  return (
    <div className={classes.scroll} role="region" aria-label={texts.firstRecords} tabIndex={0}>
      <table className={classes.records}>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col" data-skipped={types[name] === 'skip' || undefined}>
                <UntrustedText>{name}</UntrustedText>
              </th>
            ))}
          </tr>
          <tr>
            {columns.map((column) => (
              <td key={column.name}>
                <TypeChoice
                  column={column}
                  isCsv={preview.format === 'csv'}
                  type={types[column.name]}
                  change={(type) => change(column.name, type)}
                />
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the first records have no other key
            <tr key={index}>
              {columns.map(({ name }) => (
                <Cell key={name} value={isObject(row) && Object.hasOwn(row, name) ? row[name] : undefined} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TypeChoiceProps {
  column: PreviewColumn;
  isCsv: boolean;
  type: ColumnChoice | undefined;
  change: (type: ColumnChoice | undefined) => void;
}

function TypeChoice({ column, isCsv, type, change }: TypeChoiceProps) {
  const choices = choicesFor(column, isCsv);
  const initialChoice: Choice = isCsv ? choiceOf(column.type) : UNCHANGED;
  return (
    <NativeSelect
      size="xs"
      aria-label={texts.typeLabel(withoutBidiControls(column.name))}
      value={type ?? initialChoice}
      data={choices}
      onChange={(event) => {
        const { value } = event.currentTarget;
        change(value === initialChoice ? undefined : CHOICES.find((choice) => choice === value));
      }}
    />
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === undefined) return <td />;
  return (
    <td data-type={value === null ? 'null' : typeof value}>
      <UntrustedText>{cellText(value)}</UntrustedText>
    </td>
  );
}

function ValuesTable({ rows }: { rows: readonly unknown[] }) {
  return (
    <table className={classes.records}>
      <thead>
        <tr>
          <th scope="col">{texts.value}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the first records have no other key
          <tr key={index}>
            <Cell value={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
