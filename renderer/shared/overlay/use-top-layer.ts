import { useLayoutEffect, useRef } from 'react';

/** Open layers, topmost last, except those fading out. */
const layers: object[] = [];

/**
 * Registers a layer and returns a function that checks whether this layer is topmost. All open layers receive Escape,
 * but only the topmost layer should handle it.
 */
export function useTopLayer(opened: boolean): () => boolean {
  const ownLayer = useRef<object>(undefined);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const layer = {};
    ownLayer.current = layer;
    layers.push(layer);
    return () => {
      // Deferred: layers below have not received the key event yet.
      setTimeout(() => layers.splice(layers.indexOf(layer), 1));
    };
  }, [opened]);
  return () => layers.at(-1) === ownLayer.current;
}
