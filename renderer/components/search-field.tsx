import { CloseButton, Loader, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

interface SearchFieldProps {
  label: string;
  clearLabel: string;
  value: string;
  onSearch: (search: string) => void;
  busy?: boolean;
  className?: string | undefined;
}

/** A search that goes on while one types, without asking for every letter. */
export function SearchField({ label, clearLabel, value, onSearch, busy = false, className }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = (wanted: string) => {
    setSent(wanted);
    onSearch(wanted);
  };
  const sendSoon = useDebouncedCallback(send, 250);
  // Going back changes the address, and the field follows; what was sent from here must not overwrite what was typed since.
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== sent) {
      setText(value);
      setSent(value);
    }
  }
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
            aria-label={clearLabel}
            onClick={() => {
              setText('');
              send('');
            }}
          />
        )
      }
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        sendSoon(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') send(text);
      }}
    />
  );
}
