/** Hosts whose PDAs may be called without TLS, because the hosts resolve only to this machine. */
const LOCAL_HOST = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127\.0\.0\.1)(?::\d+)?$/u;

/** @param address `host` or `host:port` */
export const urlOfPda = (address: string): string =>
  `${LOCAL_HOST.test(address.toLowerCase()) ? 'http' : 'https'}://${address}`;
