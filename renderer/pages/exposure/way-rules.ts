import type { ExposureChange, WayOut } from '../../api/exposure.ts';
import { m } from '../../messages/texts.ts';

const words = m.exposure.way;

/** What is in the fields of the form, as it was typed. */
export interface Fields {
  way: WayOut;
  relay: string;
  domain: string;
  agreed: boolean;
  publicUrl: string;
}

export type Faults = Partial<Record<'relay' | 'domain' | 'agreed' | 'publicUrl', string>>;

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

/** @returns what to send, or what is missing in which field; to terms that are not known yet, nobody can agree */
export function changeOf(fields: Fields, terms: string | null): { change: ExposureChange } | { faults: Faults } {
  const faults: Faults = {};
  if (fields.way === 'none') return { change: { way: 'none' } };
  if (fields.way === 'own') {
    const publicUrl = cleanAddress(fields.publicUrl);
    if (publicUrl === '') return { faults: { publicUrl: words.own.missing } };
    if (!isAddress(publicUrl)) return { faults: { publicUrl: words.own.bad } };
    return { change: { way: 'own', publicUrl } };
  }
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
