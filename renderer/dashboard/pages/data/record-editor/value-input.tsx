import { NativeSelect, Switch, TextInput, type TextInputProps, Textarea } from '@mantine/core';
import { m } from '../../../../shared/messages/texts.ts';
import type { InputControl } from './controls.ts';
import classes from './edit-form.module.css';
import { stepOf, timeZoneOf } from './time-input.ts';

const texts = m.recordEditor;
const MIN_TEXT_ROWS = 3;
const MAX_TEXT_ROWS = 12;
const CHARS_PER_ROW = 60;
const INPUT_ORDER = ['label', 'input', 'description', 'error'] as const;
const INPUT_PROPS: Readonly<Partial<Record<InputControl['kind'], Pick<TextInputProps, 'type' | 'inputMode'>>>> = {
  number: { inputMode: 'decimal' },
  link: { inputMode: 'url' },
  email: { inputMode: 'email' },
  date: { type: 'date' },
  dateTime: { type: 'datetime-local' },
};

interface ValueInputProps {
  label: string;
  isLabelHidden?: boolean;
  hint: string | undefined;
  control: InputControl;
  isInvalid: boolean;
  /** True if the input may be empty. */
  isOptional: boolean;
  onChange: (text: string) => void;
}

function rowCountOf(text: string): number {
  const rows = text.split('\n').length + Math.floor(text.length / CHARS_PER_ROW);
  return Math.min(MAX_TEXT_ROWS, Math.max(MIN_TEXT_ROWS, rows));
}

export function ValueInput(props: ValueInputProps) {
  const { label, isLabelHidden = false, hint, control, isInvalid, isOptional, onChange } = props;
  const { kind, text, time } = control;
  const zone = time === undefined ? '' : timeZoneOf(time);
  const sharedProps = {
    ...(isLabelHidden ? { 'aria-label': label } : { label: <bdi>{label}</bdi> }),
    description: hint ?? (zone === '' ? undefined : texts.timeZone(zone)),
    error: isInvalid ? texts.invalid[kind] : undefined,
  };
  if (kind === 'boolean') {
    if (isOptional)
      return (
        <NativeSelect
          {...sharedProps}
          size="sm"
          inputWrapperOrder={[...INPUT_ORDER]}
          value={text}
          data={[
            { value: '', label: texts.noValue },
            { value: 'true', label: m.data.values.yes },
            { value: 'false', label: m.data.values.no },
          ]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    return (
      <Switch
        {...sharedProps}
        checked={text === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (kind === 'json' || control.isMultiline)
    return (
      <Textarea
        {...sharedProps}
        size="sm"
        inputWrapperOrder={[...INPUT_ORDER]}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        rows={rowCountOf(text)}
        dir={kind === 'json' ? 'ltr' : 'auto'}
        {...(kind === 'json' ? JSON_PROPS : {})}
      />
    );
  return (
    <TextInput
      {...sharedProps}
      inputWrapperOrder={[...INPUT_ORDER]}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      dir={kind === 'text' ? 'auto' : 'ltr'}
      {...(kind === 'text' ? {} : { spellCheck: false, autoCapitalize: 'none' })}
      {...INPUT_PROPS[kind]}
      {...(time === undefined || time.kind === 'day' ? {} : { step: stepOf(time) })}
      {...(kind === 'colour' ? colourProps(label, text, onChange) : {})}
    />
  );
}

const JSON_PROPS = {
  wrap: 'off',
  spellCheck: false,
  autoCapitalize: 'none',
  autoComplete: 'off',
  classNames: { input: classes.json ?? '' },
};

/** Returns `#` and six hexadecimal digits, the only form that a colour input accepts; black for other texts. */
function toSixDigits(colour: string): string {
  if (/^#[\da-f]{3,4}$/iu.test(colour)) return `#${Array.from(colour.slice(1, 4), (digit) => digit + digit).join('')}`;
  return /^#[\da-f]{6}/iu.test(colour) ? colour.slice(0, 7) : '#000000';
}

const colourProps = (label: string, text: string, onChange: (text: string) => void) => ({
  leftSectionPointerEvents: 'all' as const,
  leftSection: (
    <input
      type="color"
      className={classes.colour}
      aria-label={texts.chooseColour(label)}
      value={toSixDigits(text)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ),
});
