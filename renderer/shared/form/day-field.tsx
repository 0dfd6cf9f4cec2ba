import { TextInput, type TextInputProps } from '@mantine/core';
import { useTextInput } from './use-text-input.ts';

interface DayFieldProps extends Pick<TextInputProps, 'label' | 'min' | 'max' | 'rightSection'> {
  /** `2026-03-01`; without a text for none. */
  value: string;
  onDay: (day: string) => void;
}

/** While a year is typed, its first digits are years too: 0002 on the way to 2026. */
const isWhole = (day: string): boolean => day === '' || !day.startsWith('0');

/** A day, chosen or typed. */
export function DayField({ value, onDay, ...props }: DayFieldProps) {
  const { text, type, send } = useTextInput(value, onDay);
  return (
    <TextInput
      {...props}
      type="date"
      value={text}
      onChange={(event) => {
        type(event.currentTarget.value);
        if (isWhole(event.currentTarget.value)) send(event.currentTarget.value);
      }}
    />
  );
}
