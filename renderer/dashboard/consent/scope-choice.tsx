import { Stack, Switch, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
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
import { ColourDot, ChosenEndpointIcon } from '../pages/data/endpoints/endpoint-icon.tsx';
import { useDataDisplay } from './use-data-names.ts';
import type { PlainEntry, PlainField, PlainProperty } from '../../shared/consent/bundle-text.ts';
import { fieldsWithObjects } from './record-fields.ts';
import classes from './scope-choice.module.css';

const texts = m.requests.scope;

interface ScopeChoiceProps {
  properties: readonly PlainProperty[];
  /** Preview that supplies the current fields of entire records, and sample records. */
  preview: SharingPreview | undefined;
  choices: Choices;
  /** Without this callback, the choices are shown as text, without switches. */
  onChange?: ((choices: Choices) => void) | undefined;
}

export function previewFields(preview: SharingPreview | undefined, { property, entry }: PlainEntry): string[] {
  return preview?.properties.find((candidate) => candidate.property === property)?.entries[entry]?.fields ?? [];
}

function previewRecords(preview: SharingPreview | undefined, { property }: PlainEntry): readonly unknown[] {
  return preview?.properties.find((candidate) => candidate.property === property)?.records ?? [];
}

export function ScopeChoice({ properties, preview, choices, onChange }: ScopeChoiceProps) {
  return (
    <Stack gap="lg">
      {properties.map((property) => (
        <div key={property.property} role="group" aria-label={property.title}>
          {property.entries.map((entry) => (
            <ScopeEntry
              key={entry.key}
              entry={entry}
              knownFields={previewFields(preview, entry)}
              objectFields={fieldsWithObjects(previewRecords(preview, entry), entry)}
              isLoaded={preview !== undefined}
              choices={choices}
              onChange={onChange}
            />
          ))}
          <p className={classes.amount}>
            {property.entries.length > 1 && <b>{texts.together}: </b>}
            {property.amount}.
          </p>
        </div>
      ))}
    </Stack>
  );
}

interface EntryProps {
  entry: PlainEntry;
  knownFields: readonly string[];
  objectFields: ReadonlySet<string>;
  isLoaded: boolean;
  choices: Choices;
  onChange: ScopeChoiceProps['onChange'];
}

function ScopeEntry({ entry, knownFields, objectFields, isLoaded, choices, onChange }: EntryProps) {
  const { names, fieldColourOf } = useDataDisplay();
  const isOn = isEntryShared(choices, entry);
  const isEntire = entry.fields === null;
  const fields: PlainField[] =
    entry.fields ??
    knownFields.map((name) => ({
      name,
      label: names.field(name, entry.endpoint),
      source: name,
      sentAs: null,
      hasSelectedMembers: false,
      isEntireRecord: false,
    }));
  return (
    <div className={classes.entry}>
      <ScopeSwitch
        isHeading
        icon={<ChosenEndpointIcon endpoint={entry.endpoint} />}
        label={names.endpoint(entry.endpoint)}
        detail={entry.endpoint}
        name={texts.all(entry.title)}
        isOn={isOn}
        onChange={onChange && ((isShared) => onChange(setEntryShared(choices, entry, isShared)))}
      />
      {isEntire && isOn && (
        <EntireRecordsNotice entry={entry} knownFields={knownFields} isLoaded={isLoaded} choices={choices} />
      )}
      {fields.length + Number(isEntire) > 0 && (
        <ul className={classes.fields}>
          {fields.map((field) => (
            <li key={field.name}>
              <ScopeSwitch
                icon={<ColourDot colour={fieldColourOf(field.source, entry.endpoint)} />}
                label={field.label}
                suffix={objectFields.has(field.name) || field.isEntireRecord ? texts.everythingIn : undefined}
                detail={field.sentAs === null ? field.source : `${field.source} · ${texts.sentAs(field.sentAs)}`}
                disabledReason={
                  isEntire && !isKeepable(field.name) && !sharesFutureFields(choices, entry)
                    ? texts.onlyEntire
                    : undefined
                }
                name={texts.fieldOf(field.label, entry.title)}
                isOn={isFieldShared(choices, entry, field.name)}
                onChange={
                  onChange && ((next) => onChange(setFieldShared(choices, entry, field.name, next, knownFields)))
                }
              />
            </li>
          ))}
          {isEntire && (
            <li>
              <ScopeSwitch
                label={texts.later}
                detail={texts.laterText}
                isProse
                name={texts.fieldOf(texts.later, entry.title)}
                isOn={sharesFutureFields(choices, entry)}
                onChange={onChange && ((next) => onChange(setFutureFieldsShared(choices, entry, next, knownFields)))}
              />
            </li>
          )}
        </ul>
      )}
      {entry.filters !== undefined && isOn && <p className={classes.amount}>{entry.filters}.</p>}
      {!isOn && <p className={classes.amount}>{texts.off}</p>}
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
  const keptFields = choices.keptFields.get(entry.key);
  if (keptFields !== undefined)
    return (
      <Text c="dimmed" mb="sm">
        {texts.entireNarrowed(keptFields.size)}
      </Text>
    );
  return (
    <div className={classes.entireNotice}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden="true" />
      <div>
        <Text fw={600} size="lead">
          {texts.entireTitle}
        </Text>
        <Text>
          {knownFields.length > 0 ? texts.entire(knownFields.length) : isLoaded ? texts.entireUnseen : texts.entireAll}
        </Text>
      </div>
    </div>
  );
}

interface ScopeSwitchProps {
  icon?: ReactNode;
  label: string;
  detail: string;
  /** Accessible name, which must be clear without the surrounding rows. */
  name: string;
  isOn: boolean;
  onChange: ((isOn: boolean) => void) | undefined;
  isHeading?: boolean;
  isProse?: boolean;
  /** Text after the label that says what the field includes. */
  suffix?: string | undefined;
  /** Shown under the detail. The switch is disabled while it is set. */
  disabledReason?: string | undefined;
}

function ScopeSwitch({
  icon,
  label,
  detail,
  name,
  isOn,
  onChange,
  suffix,
  isHeading = false,
  isProse = false,
  disabledReason,
}: ScopeSwitchProps) {
  const content = (
    <span className={classes.text} data-heading={isHeading || undefined} data-off={!isOn || undefined}>
      <span>
        {icon} {label}
        {suffix !== undefined && <em>, {suffix}</em>}
      </span>
      <small data-prose={isProse || undefined}>{detail}</small>
      {disabledReason !== undefined && <small data-prose>{disabledReason}</small>}
    </span>
  );
  if (onChange === undefined) return <div className={classes.row}>{content}</div>;
  return (
    <Switch
      aria-label={name}
      label={content}
      labelPosition="left"
      size="sm"
      withThumbIndicator={false}
      checked={isOn}
      disabled={disabledReason !== undefined}
      classNames={{
        root: classes.row ?? '',
        body: classes.body ?? '',
        labelWrapper: classes.label ?? '',
        track: classes.track ?? '',
      }}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
