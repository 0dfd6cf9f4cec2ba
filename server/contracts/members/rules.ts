import { pdaNameSchema } from '../../wire/owner.ts';

const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/u;

const withoutPort = (address: string): string => address.replace(/:\d+$/u, '');

/**
 * Whether a PDA at this address may go by this name. Developers put the name before a domain to find the PDA, so where its address has a name it is the first
 * part of that; where the service has domains, the address is the name in one of them. So nobody can hold the name by which another PDA is found.
 */
export const mayGoBy = (name: string, address: string, domains: readonly string[]): boolean => {
  if (!pdaNameSchema.safeParse(name).success) return false;
  const host = withoutPort(address);
  if (domains.length > 0) return domains.some((domain) => host === `${name}.${withoutPort(domain)}`);
  if (IP_ADDRESS.test(host) || !host.includes('.')) return true;
  return host.slice(0, host.indexOf('.')) === name;
};
