import type { ExposureChange, WayOut } from '../../api/account/exposure.ts';
import { m } from '../../../shared/messages/texts.ts';

const words = m.exposure.way;

/** What is in the fields of the form, as it was typed. */
export interface Fields {
  way: WayOut;
  relay: string;
  domain: string;
  agreed: boolean;
  publicUrl: string;
  host: string;
  subdomain: string;
  /** The server named in `host` can read everything, and passwords too. */
  readable: boolean;
  passwordSignIn: boolean;
}

export type Faults = Partial<
  Record<'relay' | 'domain' | 'agreed' | 'publicUrl' | 'host' | 'subdomain' | 'readable', string>
>;

const LOCAL = /^(?:.+\.)?localhost$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/u;

/** Names that lead to this computer only: nothing of them leaves it, so there is no certificate. */
export const isLocalDomain = (domain: string): boolean => LOCAL.test(cleanDomain(domain));

/** Typed as one reads it out: capitals, a dot before it. */
export const cleanDomain = (text: string): string => text.trim().toLowerCase().replace(/^\.+/u, '');

/** With `https` where it names no scheme, and without what comes behind the host of an address. */
export function cleanAddress(text: string): string {
  const address = text.trim();
  const whole = /^[a-z]+:\/\//iu.test(address) || address === '' ? address : `https://${address}`;
  return whole.replace(/\/+$/u, '');
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && hostname !== '';
}

/** The address by which others would open it: a relay has one port, for itself and for all names. */
export function addressOf(name: string, domain: string, relay: string): string {
  const address = cleanAddress(relay);
  const port = isAddress(address) ? new URL(address).port : '';
  const scheme = isLocalDomain(domain) ? 'http' : 'https';
  return `${scheme}://${name}.${cleanDomain(domain)}${port === '' ? '' : `:${port}`}`;
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** The host that would read everything; undefined while there is no address of a server. */
export function readerOf(host: string): string | undefined {
  const address = cleanAddress(host);
  return isAddress(address) ? new URL(address).hostname : undefined;
}

function localtunnelChangeOf(fields: Fields): { change: ExposureChange } | { faults: Faults } {
  const texts = words.localtunnel;
  const faults: Faults = {};
  const host = cleanAddress(fields.host);
  const subdomain = fields.subdomain.trim().toLowerCase();
  const readableBy = readerOf(host);
  if (host === '') faults.host = texts.hostMissing;
  else if (readableBy === undefined) faults.host = texts.hostBad;
  if (subdomain === '') faults.subdomain = texts.subdomainMissing;
  else if (!NAME.test(subdomain)) faults.subdomain = texts.subdomainBad;
  if (!fields.readable) faults.readable = texts.agreeMissing;
  if (readableBy === undefined || Object.keys(faults).length > 0) return { faults };
  return { change: { way: 'localtunnel', host, subdomain, readableBy, passwordSignIn: fields.passwordSignIn } };
}

/** @returns the request body, or the faults by field; unknown terms cannot be agreed to */
export function changeOf(fields: Fields, terms: string | null): { change: ExposureChange } | { faults: Faults } {
  const faults: Faults = {};
  if (fields.way === 'none') return { change: { way: 'none' } };
  if (fields.way === 'own') {
    const publicUrl = cleanAddress(fields.publicUrl);
    if (publicUrl === '') return { faults: { publicUrl: words.own.missing } };
    if (!isAddress(publicUrl)) return { faults: { publicUrl: words.own.bad } };
    return { change: { way: 'own', publicUrl } };
  }
  if (fields.way === 'localtunnel') return localtunnelChangeOf(fields);
  const relay = cleanAddress(fields.relay);
  const domain = cleanDomain(fields.domain);
  if (relay === '') faults.relay = words.tunnel.relayMissing;
  else if (!isAddress(relay)) faults.relay = words.tunnel.relayBad;
  if (domain === '') faults.domain = words.tunnel.domainMissing;
  else if (!DOMAIN.test(domain)) faults.domain = words.tunnel.domainBad;
  const hasTerms = terms !== null && !isLocalDomain(domain);
  if (hasTerms && !fields.agreed) faults.agreed = words.tunnel.agreeMissing;
  if (Object.keys(faults).length > 0) return { faults };
  return { change: { way: 'tunnel', relay, domain, agreed: fields.agreed && hasTerms } };
}
