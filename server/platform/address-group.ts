const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu;

/** Whoever has an IPv6 network has 2^64 addresses in it: they count as one. */
export const addressGroup = (address: string): string => {
  const mapped = IPV4_MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  const [head = '', tail] = plain.split('::');
  const words = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = words(head);
  const after = words(tail ?? '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  const network = all.slice(0, 4).map((word) => Number.parseInt(word, 16).toString(16));
  return `${network.join(':')}::/64`;
};
