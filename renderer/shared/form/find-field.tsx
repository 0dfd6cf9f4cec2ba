import { Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import classes from './find-field.module.css';
import { SearchField } from './search-field.tsx';

/** Number of items from which the filter is shown. */
const FILTER_MIN_ITEMS = 8;

/** Returns the filter text, which is a URL parameter. */
export function useFindParameter(): [string, (text: string) => void] {
  const [query, setQuery] = useSearchParams();
  return [query.get('find') ?? '', (text) => setQuery(text === '' ? {} : { find: text }, { replace: true })];
}

interface FindFieldProps {
  /** Number of items without the filter. */
  total: number;
  /** Number of matching items. */
  matchCount: number;
  words: { find: string; clearFind: string; findNone: (find: string) => string };
}

/** Filter field for a completely loaded list. */
export function FindField({ total, matchCount, words }: FindFieldProps) {
  const [find, setFind] = useFindParameter();
  return (
    <>
      {(total >= FILTER_MIN_ITEMS || find !== '') && (
        <SearchField
          className={classes.find}
          label={words.find}
          clearLabel={words.clearFind}
          value={find}
          onSearch={setFind}
          immediate
        />
      )}
      {total > 0 && matchCount === 0 && (
        <Text size="sm" c="dimmed">
          {words.findNone(find)}
        </Text>
      )}
    </>
  );
}
