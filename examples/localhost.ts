import dns from 'node:dns';

/**
 * Names below `localhost` are this machine (RFC 6761). Browsers and curl know; Node asks the system, and not every system does. This teaches it. On the
 * internet a PDA has a name like every other server, and nobody needs this file.
 */
const lookup = dns.lookup;
const taught = (name: string, ...rest: unknown[]): void =>
  Reflect.apply(lookup, dns, [name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest]) as undefined;
dns.lookup = Object.assign(taught, lookup);
