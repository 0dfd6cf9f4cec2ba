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
  /** Preview that supplies the current fields of entire records. */
  preview: SharingPreview | undefined;
  choices: Choices;
  /** Applies a change. Without it the switches are read-only. */
  change?: ((choices: Choices) => void) | undefined;
}

export function previewFields(preview: SharingPreview | undefined, { property, entry }: PlainEntry): string[] {
  return preview?.properties.find((candidate) => candidate.property === property)?.entries[entry]?.fields ?? [];
}

function previewRecords(preview: SharingPreview | undefined, { property }: PlainEntry): readonly unknown[] {
  return preview?.properties.find((candidate) => candidate.property === property)?.records ?? [];
}

/** List of the requested fields in plain language, each with a switch. */
export function ScopeChoice({ properties, preview, choices, change }: ScopeChoiceProps) {
  return (
    <div className={classes.scope}>
      {properties.map((property) => (
        <div key={property.property} role="group" aria-label={property.title}>
          {property.entries.map((entry) => (
            <ScopeEntry
              key={entry.key}
              entry={entry}
              knownFields={previewFields(preview, entry)}
              objectFields={wholeObjects(previewRecords(preview, entry), entry)}
              isLoaded={preview !== undefined}
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
  knownFields: readonly string[];
  objectFields: ReadonlySet<string>;
  isLoaded: boolean;
  choices: Choices;
  change: ScopeChoiceProps['change'];
}

function ScopeEntry({ entry, knownFields, objectFields, isLoaded, choices, change }: EntryProps) {
  const isOn = isEntryShared(choices, entry);
  const entire = entry.fields === null;
  const fields: PlainField[] =
    entry.fields ??
    knownFields.map((name) => ({ name, label: fieldName(name), source: name, sentAs: null, picked: false }));
  return (
    <div className={classes.entry}>
      <ScopeSwitch
        heading
        label={entry.title}
        small={entry.endpoint}
        name={words.all(entry.title)}
        isOn={isOn}
        change={change && ((isShared) => change(setEntryShared(choices, entry, isShared)))}
      />
      {entire && isOn && (
        <EntireRecordsNotice entry={entry} knownFields={knownFields} isLoaded={isLoaded} choices={choices} />
      )}
      {fields.length + Number(entire) > 0 && (
        <ul className={classes.fields}>
          {fields.map((field) => (
            <li key={field.name}>
              <ScopeSwitch
                label={field.label}
                more={objectFields.has(field.name) ? words.everythingIn : undefined}
                small={field.sentAs === null ? field.source : `${field.source} · ${words.sentAs(field.sentAs)}`}
                note={
                  entire && !isKeepable(field.name) && !sharesFutureFields(choices, entry)
                    ? words.onlyEntire
                    : undefined
                }
                name={words.fieldOf(field.label, entry.title)}
                isOn={isFieldShared(choices, entry, field.name)}
                change={change && ((next) => change(setFieldShared(choices, entry, field.name, next, knownFields)))}
              />
            </li>
          ))}
          {entire && (
            <li>
              <ScopeSwitch
                label={words.later}
                small={words.laterText}
                prose
                name={words.fieldOf(words.later, entry.title)}
                isOn={sharesFutureFields(choices, entry)}
                change={change && ((next) => change(setFutureFieldsShared(choices, entry, next, knownFields)))}
              />
            </li>
          )}
        </ul>
      )}
      {entry.filters !== undefined && isOn && <p className={classes.amount}>{entry.filters}.</p>}
      {!isOn && <p className={classes.amount}>{words.off}</p>}
    </div>
  );
}

function EntireRecordsNotice({
  entry,
  knownFields,
  isLoaded,
  choices,
}: {
  entry: PlainEntry;
  knownFields: readonly string[];
  isLoaded: boolean;
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
          {knownFields.length > 0 ? words.entire(knownFields.length) : isLoaded ? words.entireUnseen : words.entireAll}
        </Text>
      </div>
    </div>
  );
}

interface RowProps {
  label: string;
  small: string;
  /** Accessible name of the switch, complete without the surrounding rows. */
  name: string;
  isOn: boolean;
  change: ((isOn: boolean) => void) | undefined;
  heading?: boolean;
  prose?: boolean;
  /** What else is shared with the field. */
  more?: string | undefined;
  /** Why the switch is disabled. */
  note?: string | undefined;
}

function ScopeSwitch({ label, small, name, isOn, change, more, heading = false, prose = false, note }: RowProps) {
  const content = (
    <span className={classes.words} data-heading={heading || undefined} data-off={!isOn || undefined}>
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
      checked={isOn}
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
