import dns from 'node:dns';

// Resolves names below `localhost` to 127.0.0.1 (RFC 6761, section 6.3). Browsers and curl do so themselves; Node asks
// the operating system, which may not know these names. Only the sandbox needs this file: on the internet, a PDA has
// an ordinary DNS name.

const systemLookup = dns.lookup;
const lookupWithLocalhost = (name: string, ...otherArgs: unknown[]): void =>
  Reflect.apply(systemLookup, dns, [name.endsWith('.localhost') ? '127.0.0.1' : name, ...otherArgs]) as undefined;
dns.lookup = Object.assign(lookupWithLocalhost, systemLookup);
