import { pdaNameSchema } from '../../wire/owner.ts';

const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/u;

const removePort = (address: string): string => address.replace(/:\d+$/u, '');

/**
 * Returns true if a PDA at this address may register under this name. Developers derive the address of a PDA from its
 * name and a domain, so a PDA must not register under a name that leads to another PDA. The name must be the first
 * label of the host. If the service accepts only certain domains, it must be the label before one of these domains.
 * Otherwise an IP address or a host of a single label may use any name, for development.
 */
export const mayUseName = (name: string, address: string, domains: readonly string[]): boolean => {
  if (!pdaNameSchema.safeParse(name).success) return false;
  const host = removePort(address);
  if (domains.length > 0) return domains.some((domain) => host === `${name}.${removePort(domain)}`);
  if (IP_ADDRESS.test(host) || !host.includes('.')) return true;
  return host.slice(0, host.indexOf('.')) === name;
};
