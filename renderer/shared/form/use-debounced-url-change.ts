import { useDebouncedCallback } from '@mantine/hooks';
import { useMemo } from 'react';
import { useNavigation } from 'react-router';

/** Returns the path in the URL, which changes before its page is rendered. */
function currentPath(): string {
  return window.location.hash.replace(/\?.*/u, '');
}

interface DebouncedChange<Value> {
  (value: Value): void;
  cancel: () => void;
}

/**
 * Returns a function that changes the URL after a pause in calls. A navigation to another page drops the change, which
 * would otherwise cancel the navigation.
 */
export function useDebouncedUrlChange<Value>(change: (value: Value) => void, delayMs: number): DebouncedChange<Value> {
  // While the next page loads, the path is still that of this page.
  const isNextPageLoading = useNavigation().state !== 'idle';
  const changeSoon = useDebouncedCallback((value: Value, path: string) => {
    if (!isNextPageLoading && path === currentPath()) change(value);
  }, delayMs);
  return useMemo(
    () =>
      Object.assign((value: Value) => changeSoon(value, currentPath()), {
        // Each call of `changeSoon` replaces its `cancel` method.
        cancel: () => changeSoon.cancel(),
      }),
    [changeSoon],
  );
}
