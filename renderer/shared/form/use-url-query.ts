import { type NavigateOptions, useSearchParams } from 'react-router';

/** Receives a copy of the current query and returns the next one. */
type Next = (now: URLSearchParams) => URLSearchParams;

/**
 * The query of a page's address, and how it is changed.
 *
 * A page is drawn a moment after its address has changed. A change that comes in between would start from what is
 * drawn, and so undo the one before it: this one starts from the address itself.
 */
export function useUrlQuery(): [URLSearchParams, (next: Next, options?: NavigateOptions) => void] {
  const [query, setQuery] = useSearchParams();
  return [query, (next, options) => setQuery(next(inAddress()), options)];
}

/** Sets these parameters and keeps the others. Empty ones are removed. */
export function withParameters(parameters: Readonly<Record<string, string>>): Next {
  return (now) => {
    for (const [name, value] of Object.entries(parameters)) {
      if (value === '') now.delete(name);
      else now.set(name, value);
    }
    return now;
  };
}

function inAddress(): URLSearchParams {
  const [, text = ''] = /\?([^#]*)/u.exec(window.location.hash) ?? [];
  return new URLSearchParams(text);
}
