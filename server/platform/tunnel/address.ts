import { urlOfPda } from '../outbound/pda-address.ts';

/** A relay, and the domain below which it gives names. */
export type TunnelConfig = {
  /** Address of the relay's own interface. */
  relay: string;
  /** Without a port: that is the relay's. */
  domain: string;
};

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`, 'u');
/** The longest name before it, a dot, and 253 characters that a name may have at all. */
const MAX_DOMAIN_CHARS = 190;

/** Domains that lead to this machine only: there, and nowhere else, a tunnel goes without TLS. */
export const isLocalDomain = (domain: string): boolean => urlOfPda(`x.${domain}`).startsWith('http:');

/** Scheme and host under which a name is reached: the relay has one public port, for itself and for all names. */
export const tunnelUrl = ({ relay, domain }: TunnelConfig, name: string): string => {
  const { port } = new URL(relay);
  return `${isLocalDomain(domain) ? 'http' : 'https'}://${name}.${domain}${port === '' ? '' : `:${port}`}`;
};

/** Why nothing can be reached by way of it; undefined when it is sound. */
export const tunnelProblem = ({
  relay,
  domain,
}: TunnelConfig): { key: 'relay' | 'domain'; problem: string } | undefined => {
  const url = URL.parse(relay);
  const badRelay = (problem: string) => ({ key: 'relay', problem }) as const;
  if (url === null || !/^https?:$/u.test(url.protocol)) return badRelay('is not an address');
  if (url.username !== '' || url.password !== '') return badRelay('holds a name or a password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return badRelay('has more than scheme and host');
  // A number at the end is read as an IPv4 address by every browser.
  if (!DOMAIN.test(domain) || domain.length > MAX_DOMAIN_CHARS || /(?:^|\.)\d+$/u.test(domain)) {
    return { key: 'domain', problem: 'is not a domain in lower-case letters' };
  }
  const isPlain = url.protocol === 'http:';
  if (isLocalDomain(domain)) {
    return isPlain && urlOfPda(url.host).startsWith('http:')
      ? undefined
      : badRelay('is not plain http on this machine, as it is for a domain of this machine');
  }
  // The session's secret comes back on it.
  return isPlain ? badRelay('is not https: what comes back could be read on the way') : undefined;
};

/** A localtunnel server, and the name that is asked for there. */
export type LocaltunnelConfig = { host: string; subdomain: string };

/** The host that reads everything that goes over it: what the owner's agreement names. */
export const intermediaryHost = ({ host }: Pick<LocaltunnelConfig, 'host'>): string => new URL(host).hostname;

const SUBDOMAIN = new RegExp(`^${LABEL}$`, 'u');

/** Why nothing can be reached by way of it; undefined when it is sound. */
export const localtunnelProblem = ({
  host,
  subdomain,
}: LocaltunnelConfig): { key: 'host' | 'subdomain'; problem: string } | undefined => {
  const url = URL.parse(host);
  const badHost = (problem: string) => ({ key: 'host', problem }) as const;
  if (url === null || !/^https?:$/u.test(url.protocol)) return badHost('is not an address');
  if (url.href !== `${url.origin}/`) return badHost('has more than scheme and host');
  if (url.protocol === 'http:' && !urlOfPda(url.host).startsWith('http:')) return badHost('is not https');
  return SUBDOMAIN.test(subdomain)
    ? undefined
    : { key: 'subdomain', problem: 'is not a name of lower-case letters, digits and inner hyphens' };
};
