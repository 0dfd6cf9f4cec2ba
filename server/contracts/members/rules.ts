import { pdaNameSchema } from '../../wire/owner.ts';

const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/u;

const withoutPort = (address: string): string => address.replace(/:\d+$/u, '');

/**
 * Returns true if a PDA at this address may register under this name. Developers derive the address of a PDA from its name and a
 * domain. A PDA must therefore not register under a name that leads to another PDA: the name must be the first label of
 * its host, or, if the service is limited to domains, the label before one of them.
 */
export const mayUseName = (name: string, address: string, domains: readonly string[]): boolean => {
  if (!pdaNameSchema.safeParse(name).success) return false;
  const host = withoutPort(address);
  if (domains.length > 0) return domains.some((domain) => host === `${name}.${withoutPort(domain)}`);
  if (IP_ADDRESS.test(host) || !host.includes('.')) return true;
  return host.slice(0, host.indexOf('.')) === name;
};
