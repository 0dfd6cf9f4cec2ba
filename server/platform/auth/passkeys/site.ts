export type Site = {
  rpId: string;
  origin: string;
};

/**
 * Returns the WebAuthn relying party of a PDA; undefined if its host is an IP address, or if it is neither HTTPS nor
 * localhost.
 * @param base scheme and host of the PDA
 */
export const siteOfBase = (base: string): Site | undefined => {
  const { protocol, hostname, origin } = new URL(base);
  const isLocalhost = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isIpAddress = hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/u.test(hostname);
  return !isIpAddress && (protocol === 'https:' || isLocalhost) ? { rpId: hostname, origin } : undefined;
};
