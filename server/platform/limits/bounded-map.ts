/** Sets an entry. A new key in a full map evicts the oldest entry. Setting an entry again makes it the newest. */
export const setBounded = <K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void => {
  if (!map.delete(key) && map.size >= maxEntries) {
    const oldest = map.keys().next();
    if (oldest.done !== true) map.delete(oldest.value);
  }
  map.set(key, value);
};
