import { useLayoutEffect, useRef } from 'react';

/** Open layers, the topmost last. Excludes layers that are fading out. */
const layers: object[] = [];

/** Returns a function that checks whether the layer is topmost. All open layers receive Escape; only one may act. */
export function useTopLayer(opened: boolean): () => boolean {
  const ownLayer = useRef<object>(undefined);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const layer = {};
    ownLayer.current = layer;
    layers.push(layer);
    return () => {
      // Deferred: the Escape that closed this layer has not reached the layers below yet, and they must not act on it.
      setTimeout(() => layers.splice(layers.indexOf(layer), 1));
    };
  }, [opened]);
  return () => layers.at(-1) === ownLayer.current;
}
