const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const sortedMembers = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sortedMembers.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(',')}}`;
};

/** Ignores null members and the order of members. */
export const isSameJson = (a: unknown, b: unknown): boolean => sortedJson(a) === sortedJson(b);
