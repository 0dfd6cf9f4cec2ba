/** The health check's path without its slash. No PDA can have this name. */
export const HEALTH_NAME = 'healthz';

/** Names that users would attribute to the domain's operator. */
const OPERATOR_NAMES = ['www', 'mail', 'smtp', 'imap', 'admin', 'relay', 'support', 'localhost'];
/** Names below a domain that programs look up and trust, for example for proxies, mail settings and keys. */
const DISCOVERY_NAMES = ['wpad', 'isatap', 'autoconfig', 'autodiscover', 'mta-sts', 'openpgpkey'];
const RESERVED: ReadonlySet<string> = new Set([HEALTH_NAME, ...OPERATOR_NAMES, ...DISCOVERY_NAMES]);

/**
 * Browsers display `xn--…` as Unicode, which allows homograph attacks, for example with a Cyrillic а. Other names must
 * not have hyphens as their third and fourth characters (RFC 5891, section 4.2.3.1).
 */
const PUNYCODE_PREFIX = /^..--/u;

export const isReserved = (name: string): boolean => RESERVED.has(name) || PUNYCODE_PREFIX.test(name);
