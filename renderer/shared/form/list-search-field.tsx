import { Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import classes from './list-search-field.module.css';
import { SearchField } from './search-field.tsx';

/** Shorter lists show the field only during a search. */
const SEARCH_MIN_ITEMS = 8;

/** Returns the URL parameter `find` and a function that sets it and removes all other parameters. */
export function useFindParameter(): [string, (text: string) => void] {
  const [query, setQuery] = useSearchParams();
  return [query.get('find') ?? '', (text) => setQuery(text === '' ? {} : { find: text }, { replace: true })];
}

interface ListSearchFieldProps {
  /** Number of items in the list, whether or not they match the search. */
  total: number;
  hasMatches: boolean;
  texts: { search: string; noMatch: (searchText: string) => string };
}

/** Search field of a list that is loaded completely. */
export function ListSearchField({ total, hasMatches, texts }: ListSearchFieldProps) {
  const [searchText, setSearchText] = useFindParameter();
  return (
    <>
      {(total >= SEARCH_MIN_ITEMS || searchText !== '') && (
        <SearchField
          className={classes.field}
          label={texts.search}
          value={searchText}
          onSearch={setSearchText}
          immediate
        />
      )}
      {total > 0 && !hasMatches && <Text c="dimmed">{texts.noMatch(searchText)}</Text>}
    </>
  );
}
