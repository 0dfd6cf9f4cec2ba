import { urlOfPda } from '../outbound/pda-address.ts';

export type TunnelConfig = {
  relay: string;
  /** Without a port: public addresses use the port of the relay. */
  domain: string;
};

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`, 'u');
/** Leaves room for the longest name and a dot within the 253 characters of a DNS name. */
const MAX_DOMAIN_CHARS = 190;

/** Returns true for domains that resolve only to this machine. Only these may have a tunnel without TLS. */
export const isLocalDomain = (domain: string): boolean => urlOfPda(`x.${domain}`).startsWith('http:');

/** Returns the base URL of a name. The relay serves its API and all names on one public port. */
export const tunnelUrl = ({ relay, domain }: TunnelConfig, name: string): string => {
  const { port } = new URL(relay);
  return `${isLocalDomain(domain) ? 'http' : 'https'}://${name}.${domain}${port === '' ? '' : `:${port}`}`;
};

export const tunnelProblem = ({
  relay,
  domain,
}: TunnelConfig): { key: 'relay' | 'domain'; problem: string } | undefined => {
  const url = URL.parse(relay);
  const badRelay = (problem: string) => ({ key: 'relay', problem }) as const;
  if (url === null || !/^https?:$/u.test(url.protocol)) return badRelay('is not an address');
  if (url.username !== '' || url.password !== '') return badRelay('contains a user name or a password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return badRelay('contains more than a scheme and a host');
  // Browsers interpret a host that ends in a number as an IPv4 address.
  if (!DOMAIN.test(domain) || domain.length > MAX_DOMAIN_CHARS || /(?:^|\.)\d+$/u.test(domain))
    return { key: 'domain', problem: 'is not a domain in lower-case letters' };
  const isPlain = url.protocol === 'http:';
  if (isLocalDomain(domain)) {
    return isPlain && urlOfPda(url.host).startsWith('http:')
      ? undefined
      : badRelay('is not plain http on this machine, which a local domain requires');
  }
  // The response contains the session's secret.
  return isPlain ? badRelay('is not https: the response could be read in transit') : undefined;
};

export type LocaltunnelConfig = { host: string; subdomain: string };

/** Returns the host that can read all traffic of the tunnel. The owner must agree to it. */
export const intermediaryHost = ({ host }: Pick<LocaltunnelConfig, 'host'>): string => new URL(host).hostname;

const SUBDOMAIN = new RegExp(`^${LABEL}$`, 'u');

export const localtunnelProblem = ({
  host,
  subdomain,
}: LocaltunnelConfig): { key: 'host' | 'subdomain'; problem: string } | undefined => {
  const url = URL.parse(host);
  const badHost = (problem: string) => ({ key: 'host', problem }) as const;
  if (url === null || !/^https?:$/u.test(url.protocol)) return badHost('is not an address');
  if (url.href !== `${url.origin}/`) return badHost('contains more than a scheme and a host');
  if (url.protocol === 'http:' && !urlOfPda(url.host).startsWith('http:')) return badHost('is not https');
  return SUBDOMAIN.test(subdomain)
    ? undefined
    : { key: 'subdomain', problem: 'is not a name of lower-case letters, digits and hyphens between them' };
};
