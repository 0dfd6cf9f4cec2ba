/** Hosts for which a PDA may be called without TLS: what only leads to this machine. */
const LOCAL_HOST = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127\.0\.0\.1)(?::\d+)?$/u;

/** Where the PDA with this address (`host` or `host:port`) is called: plain http on this machine itself, https everywhere else. */
export const urlOfPda = (address: string): string =>
  `${LOCAL_HOST.test(address.toLowerCase()) ? 'http' : 'https'}://${address}`;
