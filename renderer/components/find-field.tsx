import { CloseButton, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import classes from './find-field.module.css';

/** A shorter list is seen at one look. */
const FIND_FROM = 8;

/** What is looked for in a list: it stands in the address. */
export function useFind(): [string, (text: string) => void] {
  const [query, setQuery] = useSearchParams();
  return [query.get('find') ?? '', (text) => setQuery(text === '' ? {} : { find: text }, { replace: true })];
}

interface FindFieldProps {
  /** How many there are without it. */
  of: number;
  /** How many of them it finds. */
  found: number;
  words: { find: string; clearFind: string; findNone: (find: string) => string };
}

/** Narrows a list that is here as a whole, at every letter. */
export function FindField({ of, found, words }: FindFieldProps) {
  const [find, setFind] = useFind();
  return (
    <>
      {(of >= FIND_FROM || find !== '') && (
        <TextInput
          className={classes.find ?? ''}
          aria-label={words.find}
          placeholder={words.find}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          rightSection={
            find !== '' && <CloseButton size="sm" aria-label={words.clearFind} onClick={() => setFind('')} />
          }
          value={find}
          onChange={(event) => setFind(event.currentTarget.value)}
        />
      )}
      {of > 0 && found === 0 && (
        <Text size="sm" c="dimmed">
          {words.findNone(find)}
        </Text>
      )}
    </>
  );
}
