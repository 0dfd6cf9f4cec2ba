import { useLayoutEffect, useRef } from 'react';

/** Whatever is open over a page, what lies on top last. Whoever is fading away is still painted, and not in it. */
const layers: object[] = [];

/**
 * Whether what is open here has nothing open above it, for whoever asks when something happens. Escape is heard by all
 * that is open, and meant for what lies on top.
 */
export function useTopLayer(opened: boolean): () => boolean {
  const own = useRef<object>(undefined);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const layer = {};
    own.current = layer;
    layers.push(layer);
    return () => {
      // A task later: what lay below has not heard the key yet that closed this one.
      setTimeout(() => layers.splice(layers.indexOf(layer), 1));
    };
  }, [opened]);
  return () => layers.at(-1) === own.current;
}
