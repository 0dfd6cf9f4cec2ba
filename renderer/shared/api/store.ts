import { useSyncExternalStore } from 'react';

/** Creates a store for state outside of the components, which survives navigation to another page. */
export function createStore<State>(initial: State) {
  let state = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = (): State => state;
  return {
    get,
    set(next: State): void {
      state = next;
      for (const listener of listeners) listener();
    },
    useValue: (): State => useSyncExternalStore(subscribe, get),
  };
}
