import { useDebouncedCallback } from '@mantine/hooks';
import { useMemo } from 'react';
import { useNavigation } from 'react-router';

/** Returns the path of the URL, which changes before the page of that path is rendered. */
function currentPath(): string {
  return window.location.hash.replace(/\?.*/u, '');
}

interface DebouncedChange<Value> {
  (value: Value): void;
  /** Drops the change that was not made yet. */
  cancel: () => void;
}

/**
 * Returns a function that changes the URL after a pause in calls. If a navigation to another page begins in the
 * meantime, the change is dropped, because it would cancel the navigation.
 */
export function useDebouncedUrlChange<Value>(change: (value: Value) => void, delayMs: number): DebouncedChange<Value> {
  // While the next page is loading, the URL still belongs to this page.
  const isNextPageLoading = useNavigation().state !== 'idle';
  const changeSoon = useDebouncedCallback((value: Value, path: string) => {
    if (!isNextPageLoading && path === currentPath()) change(value);
  }, delayMs);
  return useMemo(
    () =>
      Object.assign((value: Value) => changeSoon(value, currentPath()), {
        // Each call of `changeSoon` replaces its method.
        cancel: () => changeSoon.cancel(),
      }),
    [changeSoon],
  );
}
