import type { ExposureChange, ExposureWay } from '../../api/account/exposure.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.exposure.accessMode;

export interface AccessModeFields {
  way: ExposureWay;
  relay: string;
  domain: string;
  agreed: boolean;
  publicUrl: string;
  host: string;
  subdomain: string;
  /** Consent to the server named in `host` reading all traffic. */
  agreedToReader: boolean;
  /** Consent to password sign-in through that server, which can then read the password. */
  passwordSignIn: boolean;
}

export type FieldErrors = Partial<
  Record<'relay' | 'domain' | 'agreed' | 'publicUrl' | 'host' | 'subdomain' | 'agreedToReader', string>
>;

const LOCAL_DOMAIN = /^(?:.+\.)?localhost$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/u;

/** Returns true for names that resolve only to this computer and therefore need no certificate. */
export const isLocalDomain = (domain: string): boolean => LOCAL_DOMAIN.test(cleanDomain(domain));

export const cleanDomain = (text: string): string => text.trim().toLowerCase().replace(/^\.+/u, '');

/** Trims the text, adds `https` if it has no scheme, and removes trailing slashes. An empty text stays empty. */
export function cleanAddress(text: string): string {
  const address = text.trim();
  const withScheme = /^[a-z]+:\/\//iu.test(address) || address === '' ? address : `https://${address}`;
  return withScheme.replace(/\/+$/u, '');
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && hostname !== '';
}

/** Returns the public address of a PDA. A relay uses one port for itself and for all PDAs. */
export function addressOf(name: string, domain: string, relay: string): string {
  const address = cleanAddress(relay);
  const port = isAddress(address) ? new URL(address).port : '';
  const scheme = isLocalDomain(domain) ? 'http' : 'https';
  return `${scheme}://${name}.${cleanDomain(domain)}${port === '' ? '' : `:${port}`}`;
}

const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** Returns the host that could read all traffic; undefined if the address is not valid. */
export function readerOf(text: string): string | undefined {
  const address = cleanAddress(text);
  return isAddress(address) ? new URL(address).hostname : undefined;
}

function toLocaltunnelChange(fields: AccessModeFields): { change: ExposureChange } | { errors: FieldErrors } {
  const localtunnelTexts = texts.localtunnel;
  const errors: FieldErrors = {};
  const host = cleanAddress(fields.host);
  const subdomain = fields.subdomain.trim().toLowerCase();
  const readableBy = readerOf(host);
  if (host === '') errors.host = localtunnelTexts.hostMissing;
  else if (readableBy === undefined) errors.host = texts.addressInvalid;
  if (subdomain === '') errors.subdomain = m.shell.nameMissing;
  else if (!SUBDOMAIN.test(subdomain)) errors.subdomain = localtunnelTexts.subdomainInvalid;
  if (!fields.agreedToReader) errors.agreedToReader = localtunnelTexts.agreeMissing;
  if (readableBy === undefined || Object.keys(errors).length > 0) return { errors };
  return { change: { way: 'localtunnel', host, subdomain, readableBy, passwordSignIn: fields.passwordSignIn } };
}

/**
 * Validates the form. Returns the request body, or error messages by field.
 * @param terms address of the terms of the certificate authority; null if unknown: the owner cannot agree to them then
 */
export function toExposureChange(
  fields: AccessModeFields,
  terms: string | null,
): { change: ExposureChange } | { errors: FieldErrors } {
  const errors: FieldErrors = {};
  if (fields.way === 'none') return { change: { way: 'none' } };
  if (fields.way === 'own') {
    const publicUrl = cleanAddress(fields.publicUrl);
    if (publicUrl === '') return { errors: { publicUrl: texts.own.missing } };
    if (!isAddress(publicUrl)) return { errors: { publicUrl: texts.addressInvalid } };
    return { change: { way: 'own', publicUrl } };
  }
  if (fields.way === 'localtunnel') return toLocaltunnelChange(fields);
  const relay = cleanAddress(fields.relay);
  const domain = cleanDomain(fields.domain);
  if (relay === '') errors.relay = texts.tunnel.relayMissing;
  else if (!isAddress(relay)) errors.relay = texts.addressInvalid;
  if (domain === '') errors.domain = texts.tunnel.domainMissing;
  else if (!DOMAIN.test(domain)) errors.domain = texts.tunnel.domainInvalid;
  const needsConsent = terms !== null && !isLocalDomain(domain);
  if (needsConsent && !fields.agreed) errors.agreed = texts.tunnel.agreeMissing;
  if (Object.keys(errors).length > 0) return { errors };
  return { change: { way: 'tunnel', relay, domain, agreed: fields.agreed && needsConsent } };
}
