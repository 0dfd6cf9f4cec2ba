import { useLayoutEffect, useRef } from 'react';

/** Open layers, topmost last, without those that are fading out. */
const layers: object[] = [];

/**
 * Returns a function that returns true if this layer is the topmost one. All open layers receive Escape, but only the
 * topmost one should handle it.
 */
export function useTopLayer(opened: boolean): () => boolean {
  const own = useRef<object>(undefined);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const layer = {};
    own.current = layer;
    layers.push(layer);
    return () => {
      // Deferred: layers below have not received the key event yet.
      setTimeout(() => layers.splice(layers.indexOf(layer), 1));
    };
  }, [opened]);
  return () => layers.at(-1) === own.current;
}
