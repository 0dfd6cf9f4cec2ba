import { type NavigateOptions, useSearchParams } from 'react-router';

/** Receives a copy of the current query and returns the next one. */
type QueryUpdate = (current: URLSearchParams) => URLSearchParams;

/**
 * Returns the query of the URL and a function that changes it. Pages render a moment after the URL has changed. Updates
 * start from the URL itself, because otherwise a second update before the render would undo the first.
 */
export function useUrlQuery(): [URLSearchParams, (next: QueryUpdate, options?: NavigateOptions) => void] {
  const [query, setQuery] = useSearchParams();
  return [query, (next, options) => setQuery(next(readQuery()), options)];
}

/** Returns an update that sets these parameters and keeps all others. An empty value removes its parameter. */
export function withParameters(parameters: Readonly<Record<string, string>>): QueryUpdate {
  return (current) => {
    for (const [name, value] of Object.entries(parameters)) {
      if (value === '') current.delete(name);
      else current.set(name, value);
    }
    return current;
  };
}

function readQuery(): URLSearchParams {
  const [, text = ''] = /\?([^#]*)/u.exec(window.location.hash) ?? [];
  return new URLSearchParams(text);
}
