const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu;

/**
 * Returns the group by which limits count: IPv4 addresses individually, IPv6 by /64, since an IPv6 network has 2^64
 * addresses.
 */
export const addressGroup = (address: string): string => groupOf(address, 4);

/**
 * Returns the wider group of an address: IPv6 by /48, the block that one customer can get; IPv4 addresses individually.
 */
export const wideAddressGroup = (address: string): string => groupOf(address, 3);

/** @param wordCount number of 16-bit words that identify the network */
const groupOf = (address: string, wordCount: 3 | 4): string => {
  const ipv4Address = IPV4_MAPPED.exec(address)?.[1];
  if (ipv4Address !== undefined) return ipv4Address;
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail] = withoutZone.split('::');
  const wordsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const leadingWords = wordsOf(head);
  const trailingWords = wordsOf(tail ?? '');
  const omittedCount = tail === undefined ? 0 : Math.max(0, 8 - leadingWords.length - trailingWords.length);
  const words = [...leadingWords, ...Array.from({ length: omittedCount }, () => '0'), ...trailingWords];
  const network = words.slice(0, wordCount).map((word) => Number.parseInt(word, 16).toString(16));
  return `${network.join(':')}::/${wordCount * 16}`;
};
