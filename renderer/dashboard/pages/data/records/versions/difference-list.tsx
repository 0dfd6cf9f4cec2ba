import { Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { displayNameOf } from '../../../../../../server/wire/display-name.ts';
import { withoutBidiControls } from '../../../../../../server/wire/isolation.ts';
import type { Field } from '../../../../../shared/api/contract.ts';
import { number } from '../../../../../shared/format/format.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { truncateText, type ValueType } from '../field-format.ts';
import { nameWithoutUnit } from '../field-name.ts';
import { guessType, RecordValue } from '../record-form.tsx';
import { compareTexts, compareVersions, lastChars, type ValueDifference, type ValuePath } from './compare.ts';
import classes from './versions.module.css';

const texts = m.data.versions;
const MAX_DIFFERENCES = 100;
/** If the old and the new string are both shorter, they are shown as a whole, without marked words. */
const COMPARED_TEXT_MIN_CHARS = 60;
/** Displayed characters of a changed part, and of the equal text on either side of it. */
const CHANGED_TEXT_MAX_CHARS = 2000;
const EQUAL_TEXT_MAX_CHARS = 60;

type FieldsByPath = ReadonlyMap<string, Field>;

const fieldPathOf = (path: ValuePath): string => path.join('.');

function findField(path: ValuePath, fields: FieldsByPath): Field | undefined {
  return path.every((step) => typeof step === 'string') ? fields.get(fieldPathOf(path)) : undefined;
}

/** Returns a name such as "Address › City" or "Tags › 2". */
function nameOf(path: ValuePath, fields: FieldsByPath): string {
  const names = path.map((step, index) => {
    const field = findField(path.slice(0, index + 1), fields);
    if (field !== undefined) return nameWithoutUnit(field);
    return typeof step === 'number' ? number(step + 1) : displayNameOf(step);
  });
  return names.length === 0 ? m.data.endpoint.value : withoutBidiControls(names.join(' › '));
}

export function DifferenceList({
  before,
  after,
  fields,
}: {
  before: unknown;
  after: unknown;
  fields: readonly Field[];
}) {
  const { differences, total } = useMemo(() => compareVersions(before, after, MAX_DIFFERENCES), [before, after]);
  const byPath: FieldsByPath = useMemo(() => new Map(fields.map((field) => [field.path, field])), [fields]);
  if (total === 0) return <Text py="0.625rem">{texts.noDifferences}</Text>;
  return (
    <div>
      <dl className={classes.differences}>
        {differences.map((difference) => (
          <DifferenceRow
            key={JSON.stringify([difference.kind, difference.path])}
            difference={difference}
            fields={byPath}
          />
        ))}
      </dl>
      {total > differences.length && (
        <Text size="xs" c="dimmed" mt="xs">
          {texts.moreDifferences(total - differences.length)}
        </Text>
      )}
    </div>
  );
}

function DifferenceRow({ difference, fields }: { difference: ValueDifference; fields: FieldsByPath }) {
  const { path, kind } = difference;
  const field = findField(path, fields);
  const valueTypeOf = (value: unknown): ValueType =>
    field ?? { path: fieldPathOf(path), type: guessType(value), unit: '' };
  const { before, after } = valuesOf(difference, valueTypeOf);
  return (
    <div>
      <dt>
        <bdi>{nameOf(path, fields)}</bdi> <span className={classes.kind}>{texts.kinds[kind]}</span>
      </dt>
      {before !== undefined && (
        <dd data-side="before">
          <VisuallyHidden>{texts.before}</VisuallyHidden>
          <del>{before}</del>
        </dd>
      )}
      {after !== undefined && (
        <dd data-side="after">
          <VisuallyHidden>{texts.after}</VisuallyHidden>
          <ins>{after}</ins>
        </dd>
      )}
    </div>
  );
}

function valuesOf(
  difference: ValueDifference,
  valueTypeOf: (value: unknown) => ValueType,
): { before?: ReactNode; after?: ReactNode } {
  const show = (value: unknown) => <RecordValue value={value} field={valueTypeOf(value)} />;
  if (difference.kind === 'added') return { after: show(difference.after) };
  if (difference.kind === 'removed') return { before: show(difference.before) };
  const { before, after } = difference;
  const isComparedText =
    typeof before === 'string' &&
    typeof after === 'string' &&
    Math.max(before.length, after.length) >= COMPARED_TEXT_MIN_CHARS &&
    valueTypeOf(before).type === 'text' &&
    valueTypeOf(after).type === 'text';
  if (!isComparedText) return { before: show(before), after: show(after) };
  const { start, end, ...changedTexts } = compareTexts(before, after);
  const mark = (text: string) => (
    <bdi>
      {withoutBidiControls(lastChars(start, EQUAL_TEXT_MAX_CHARS))}
      {text !== '' && <mark>{withoutBidiControls(truncateText(text, CHANGED_TEXT_MAX_CHARS))}</mark>}
      {withoutBidiControls(truncateText(end, EQUAL_TEXT_MAX_CHARS))}
    </bdi>
  );
  return { before: mark(changedTexts.before), after: mark(changedTexts.after) };
}
