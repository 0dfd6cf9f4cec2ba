import { NativeSelect, TextInput } from '@mantine/core';
import { ENDPOINT_COLOURS, ENDPOINT_ICONS } from '../../../../../server/wire/field-choices.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { ColourDot, EndpointIcon } from './endpoint-icon.tsx';
import type { DisplayInput } from './field-corrections.ts';
import classes from './edit-names.module.css';

const texts = m.data.names;
/** The server's limit for names. */
export const MAX_NAME_CHARS = 80;

interface DisplayInputsProps {
  nameLabel: string;
  placeholder?: string;
  unsetLabel: string;
  input: DisplayInput;
  change: (changes: Partial<DisplayInput>) => void;
}

export function DisplayInputs({ nameLabel, placeholder = '', unsetLabel, input, change }: DisplayInputsProps) {
  const { name, icon, colour } = input;
  return (
    <div className={classes.display}>
      <TextInput
        label={nameLabel}
        value={name}
        placeholder={placeholder}
        maxLength={MAX_NAME_CHARS}
        data-autofocus
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.icon}
        value={icon ?? ''}
        data={[
          { value: '', label: unsetLabel },
          ...ENDPOINT_ICONS.map((value) => ({ value, label: texts.icons[value] })),
        ]}
        leftSection={icon !== undefined && <EndpointIcon icon={icon} colour={colour} />}
        onChange={(event) => change({ icon: ENDPOINT_ICONS.find((value) => value === event.currentTarget.value) })}
      />
      <ColourSelect unsetLabel={unsetLabel} colour={colour} change={(next) => change({ colour: next })} />
    </div>
  );
}

interface ColourSelectProps {
  /** Accessible name, if the label is not unique. */
  'aria-label'?: string;
  unsetLabel: string;
  colour: DisplayInput['colour'];
  change: (colour: DisplayInput['colour']) => void;
}

export function ColourSelect({ unsetLabel, colour, change, ...props }: ColourSelectProps) {
  return (
    <NativeSelect
      {...props}
      label={texts.colour}
      value={colour ?? ''}
      data={[
        { value: '', label: unsetLabel },
        ...ENDPOINT_COLOURS.map((value) => ({ value, label: texts.colours[value] })),
      ]}
      leftSection={colour !== undefined && <ColourDot colour={colour} />}
      onChange={(event) => change(ENDPOINT_COLOURS.find((value) => value === event.currentTarget.value))}
    />
  );
}
