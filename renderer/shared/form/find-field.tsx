import { Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import classes from './find-field.module.css';
import { SearchField } from './search-field.tsx';

/** A shorter list is seen at one look. */
const FIND_FROM = 8;

/** What is looked for in a list: it stands in the address. */
export function useFindParameter(): [string, (text: string) => void] {
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
  const [find, setFind] = useFindParameter();
  return (
    <>
      {(of >= FIND_FROM || find !== '') && (
        <SearchField
          className={classes.find}
          label={words.find}
          clearLabel={words.clearFind}
          value={find}
          onSearch={setFind}
          immediate
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
