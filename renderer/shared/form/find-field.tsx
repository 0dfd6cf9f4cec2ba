import { Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import classes from './find-field.module.css';
import { SearchField } from './search-field.tsx';

/** Shorter lists need no filter. */
const FIND_FROM = 8;

/** Returns the filter text, which is a URL parameter. */
export function useFindParameter(): [string, (text: string) => void] {
  const [query, setQuery] = useSearchParams();
  return [query.get('find') ?? '', (text) => setQuery(text === '' ? {} : { find: text }, { replace: true })];
}

interface FindFieldProps {
  /** Number of items without the filter. */
  of: number;
  /** Number of matching items. */
  found: number;
  words: { find: string; clearFind: string; findNone: (find: string) => string };
}

/** Filters a completely loaded list while the user types. */
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
