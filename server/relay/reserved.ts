/** Names that no PDA can have, because somebody would take its holder for somebody else. */

/** Answers whether the relay works. */
export const HEALTH = 'healthz';

/** What people take for the one who runs all of it. */
const HOUSE = ['www', 'mail', 'smtp', 'imap', 'admin', 'relay', 'support', 'localhost'];
/** What programs look up by themselves below a domain, and believe: proxies, settings of mail, keys. */
const LOOKED_UP = ['wpad', 'isatap', 'autoconfig', 'autodiscover', 'mta-sts', 'openpgpkey'];
const RESERVED: ReadonlySet<string> = new Set([HEALTH, ...HOUSE, ...LOOKED_UP]);

/** Browsers show `xn--…` in the letters that it stands for, such as a Cyrillic а in somebody's name; no other name has hyphens there (RFC 5891, 4.2.3.1). */
const OTHER_LETTERS = /^..--/u;

export const isReserved = (name: string): boolean => RESERVED.has(name) || OTHER_LETTERS.test(name);
