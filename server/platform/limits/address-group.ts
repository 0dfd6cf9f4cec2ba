const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu;

/** Whoever has an IPv6 network has 2^64 addresses in it: they count as one. */
export const addressGroup = (address: string): string => groupOf(address, 4);

/**
 * What one customer can have of IPv6 at most: 65,536 of those networks, for the asking. Neighbours may share it, as they share an address of IPv4; so it is for
 * bounds that are wider, behind those of `addressGroup`.
 */
export const wideAddressGroup = (address: string): string => groupOf(address, 3);

/** @param count words of 16 bits that are the network's */
const groupOf = (address: string, count: 3 | 4): string => {
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
  const network = all.slice(0, count).map((word) => Number.parseInt(word, 16).toString(16));
  return `${network.join(':')}::/${count * 16}`;
};
