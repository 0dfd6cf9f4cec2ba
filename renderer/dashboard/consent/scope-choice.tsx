import { Switch, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { SharingPreview } from '../../shared/api/contract.ts';
import { m } from '../../shared/messages/texts.ts';
import {
  type Choices,
  isEntryShared,
  isFieldShared,
  isKeepable,
  sharesFutureFields,
  setEntryShared,
  setFieldShared,
  setFutureFieldsShared,
} from './choices.ts';
import { fieldName } from '../../shared/components/program-names.ts';
import type { PlainEntry, PlainField, PlainProperty } from '../../shared/consent/bundle-text.ts';
import { wholeObjects } from './record-fields.ts';
import classes from './scope-choice.module.css';

const words = m.requests.leave;

interface ScopeChoiceProps {
  properties: readonly PlainProperty[];
  /** Tells which fields entire records have now. */
  seen: SharingPreview | undefined;
  choices: Choices;
  /** Without it the switches are read-only. */
  change?: ((choices: Choices) => void) | undefined;
}

export function previewFields(seen: SharingPreview | undefined, { property, entry }: PlainEntry): string[] {
  return seen?.properties.find((one) => one.property === property)?.entries[entry]?.fields ?? [];
}

function recordsOf(seen: SharingPreview | undefined, { property }: PlainEntry): readonly unknown[] {
  return seen?.properties.find((one) => one.property === property)?.records ?? [];
}

/** What leaves, field by field in plain words, with a switch each. */
export function ScopeChoice({ properties, seen, choices, change }: ScopeChoiceProps) {
  return (
    <div className={classes.scope}>
      {properties.map((property) => (
        <div key={property.property} role="group" aria-label={property.title}>
          {property.entries.map((entry) => (
            <Entry
              key={entry.key}
              entry={entry}
              seen={previewFields(seen, entry)}
              whole={wholeObjects(recordsOf(seen, entry), entry)}
              known={seen !== undefined}
              choices={choices}
              change={change}
            />
          ))}
          <p className={classes.amount}>
            {property.entries.length > 1 && <b>{words.together}: </b>}
            {property.amount}.
          </p>
        </div>
      ))}
    </div>
  );
}

interface EntryProps {
  entry: PlainEntry;
  seen: readonly string[];
  whole: ReadonlySet<string>;
  known: boolean;
  choices: Choices;
  change: ScopeChoiceProps['change'];
}

function Entry({ entry, seen, whole, known, choices, change }: EntryProps) {
  const on = isEntryShared(choices, entry);
  const entire = entry.fields === null;
  const fields: PlainField[] =
    entry.fields ?? seen.map((name) => ({ name, label: fieldName(name), source: name, sentAs: null, picked: false }));
  return (
    <div className={classes.entry}>
      <Row
        heading
        label={entry.title}
        small={entry.endpoint}
        name={words.all(entry.title)}
        on={on}
        change={change && ((next) => change(setEntryShared(choices, entry, next)))}
      />
      {entire && on && <Entire entry={entry} seen={seen} known={known} choices={choices} />}
      {fields.length + Number(entire) > 0 && (
        <ul className={classes.fields}>
          {fields.map((field) => (
            <li key={field.name}>
              <Row
                label={field.label}
                more={whole.has(field.name) ? words.everythingIn : undefined}
                small={field.sentAs === null ? field.source : `${field.source} · ${words.sentAs(field.sentAs)}`}
                note={
                  entire && !isKeepable(field.name) && !sharesFutureFields(choices, entry)
                    ? words.onlyEntire
                    : undefined
                }
                name={words.fieldOf(field.label, entry.title)}
                on={isFieldShared(choices, entry, field.name)}
                change={change && ((next) => change(setFieldShared(choices, entry, field.name, next, seen)))}
              />
            </li>
          ))}
          {entire && (
            <li>
              <Row
                label={words.later}
                small={words.laterText}
                prose
                name={words.fieldOf(words.later, entry.title)}
                on={sharesFutureFields(choices, entry)}
                change={change && ((next) => change(setFutureFieldsShared(choices, entry, next, seen)))}
              />
            </li>
          )}
        </ul>
      )}
      {entry.filters !== undefined && on && <p className={classes.amount}>{entry.filters}.</p>}
      {!on && <p className={classes.amount}>{words.off}</p>}
    </div>
  );
}

function Entire({
  entry,
  seen,
  known,
  choices,
}: {
  entry: PlainEntry;
  seen: readonly string[];
  known: boolean;
  choices: Choices;
}) {
  const kept = choices.keptFields.get(entry.key);
  if (kept !== undefined) return <p className={classes.narrowed}>{words.entireNarrowed(kept.size)}</p>;
  return (
    <div className={classes.entire}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden="true" />
      <div>
        <Text fw={600} size="sm">
          {words.entireTitle}
        </Text>
        <Text size="sm">
          {seen.length > 0 ? words.entire(seen.length) : known ? words.entireUnseen : words.entireAll}
        </Text>
      </div>
    </div>
  );
}

interface RowProps {
  label: string;
  small: string;
  /** What the switch is called where the rows around it are not seen. */
  name: string;
  on: boolean;
  change: ((on: boolean) => void) | undefined;
  heading?: boolean;
  prose?: boolean;
  /** What else leaves with it. */
  more?: string | undefined;
  /** Why it cannot be switched. */
  note?: string | undefined;
}

function Row({ label, small, name, on, change, more, heading = false, prose = false, note }: RowProps) {
  const content = (
    <span className={classes.words} data-heading={heading || undefined} data-off={!on || undefined}>
      <span>
        {label}
        {more !== undefined && <em>, {more}</em>}
      </span>
      <small data-prose={prose || undefined}>{small}</small>
      {note !== undefined && <small data-prose>{note}</small>}
    </span>
  );
  if (change === undefined) return <div className={classes.row}>{content}</div>;
  return (
    <Switch
      aria-label={name}
      label={content}
      labelPosition="left"
      size="sm"
      withThumbIndicator={false}
      checked={on}
      disabled={note !== undefined}
      classNames={{
        root: classes.row ?? '',
        body: classes.body ?? '',
        labelWrapper: classes.label ?? '',
        track: classes.track ?? '',
      }}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  );
}
