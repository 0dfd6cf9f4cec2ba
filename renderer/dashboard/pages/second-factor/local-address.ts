const LOCAL_HOST = /^localhost(?::\d+)?$/u;

/**
 * Returns the URL at which a browser on the PDA's computer can add passkeys. The page cannot derive it from its own
 * address, whose port may be that of a proxy.
 * @param addresses own addresses of the PDA as host[:port]; the public one comes first
 */
export function localAddressOf(addresses: readonly string[]): string {
  return `http://${addresses.findLast((address) => LOCAL_HOST.test(address)) ?? 'localhost'}`;
}
