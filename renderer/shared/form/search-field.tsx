import { CloseButton, Loader, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useDebouncedUrlChange } from './use-debounced-url-change.ts';
import { useTextInput } from './use-text-input.ts';
import { m } from '../messages/texts.ts';

const DEBOUNCE_MS = 250;

interface SearchFieldProps {
  label: string;
  value: string;
  onSearch: (search: string) => void;
  /** Searches on every keystroke, for local data. */
  immediate?: boolean;
  busy?: boolean;
  className?: string | undefined;
}

export function SearchField({ label, value, onSearch, immediate = false, busy = false, className }: SearchFieldProps) {
  const { text, type, send } = useTextInput(value, onSearch);
  const sendSoon = useDebouncedUrlChange(send, DEBOUNCE_MS);
  /** Searches without a delay. Cancels a delayed search, which would otherwise replace this one. */
  const sendNow = (newText: string) => {
    sendSoon.cancel();
    send(newText);
  };
  return (
    <TextInput
      className={className ?? ''}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={busy ? <Loader size={14} /> : <IconSearch size={16} stroke={1.6} />}
      rightSection={
        text !== '' && (
          <CloseButton
            size="sm"
            aria-label={m.shell.clearSearch}
            onClick={() => {
              type('');
              sendNow('');
            }}
          />
        )
      }
      value={text}
      onChange={(event) => {
        type(event.currentTarget.value);
        if (immediate) send(event.currentTarget.value);
        else sendSoon(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') sendNow(text);
      }}
    />
  );
}
