import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback } from 'react';
import { useNavigation } from 'react-router';

/** Returns the path of the URL, which changes before the page of that path is rendered. */
function currentPath(): string {
  return window.location.hash.replace(/\?.*/u, '');
}

/**
 * Returns a function that changes the URL after a pause in calls. If a navigation to another page begins in the
 * meantime, the change is dropped, because it would cancel the navigation.
 */
export function useDebouncedUrlChange<Value>(change: (value: Value) => void, delayMs: number): (value: Value) => void {
  // While the next page is loading, the URL is still that of this page.
  const isNextPageLoading = useNavigation().state !== 'idle';
  const changeSoon = useDebouncedCallback((value: Value, path: string) => {
    if (!isNextPageLoading && path === currentPath()) change(value);
  }, delayMs);
  return useCallback((value: Value) => changeSoon(value, currentPath()), [changeSoon]);
}
