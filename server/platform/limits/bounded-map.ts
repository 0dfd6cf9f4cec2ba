/**
 * Puts an entry into a map that remembers so many at most. What was put in longest ago makes room; put in again, an entry counts as new.
 */
export const setBounded = <K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void => {
  if (!map.delete(key) && map.size >= maxEntries) {
    const oldest = map.keys().next();
    if (oldest.done !== true) map.delete(oldest.value);
  }
  map.set(key, value);
};
