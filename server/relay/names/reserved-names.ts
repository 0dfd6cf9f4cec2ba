/** The path of the health check without its slash. No PDA can have this name. */
export const HEALTH_NAME = 'healthz';

/** Names that users would take for the operator of the domain. */
const OPERATOR_NAMES = ['www', 'mail', 'smtp', 'imap', 'admin', 'relay', 'support', 'localhost'];
/** Names that programs look up and trust below a domain: proxies, mail settings and keys. */
const DISCOVERY_NAMES = ['wpad', 'isatap', 'autoconfig', 'autodiscover', 'mta-sts', 'openpgpkey'];
const RESERVED: ReadonlySet<string> = new Set([HEALTH_NAME, ...OPERATOR_NAMES, ...DISCOVERY_NAMES]);

/**
 * Browsers display `xn--…` as Unicode, which allows homograph attacks such as a Cyrillic а. Other names must not have
 * hyphens in these positions (RFC 5891, 4.2.3.1).
 */
const PUNYCODE_PREFIX = /^..--/u;

/** Returns true if no PDA may have this name, because clients would take it for another service or PDA. */
export const isReserved = (name: string): boolean => RESERVED.has(name) || PUNYCODE_PREFIX.test(name);
