import { pdaNameSchema } from '../../wire/owner.ts';

const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/u;

const removePort = (address: string): string => address.replace(/:\d+$/u, '');

/**
 * Returns true if a PDA at this address may register this name. Developers derive a PDA's address from its name, so the
 * first label of the host must be the name. If there are `domains`, the rest of the host must be one of them. Without
 * `domains`, as in development, an IP address or a single-label host may use any name.
 */
export const mayUseName = (name: string, address: string, domains: readonly string[]): boolean => {
  if (!pdaNameSchema.safeParse(name).success) return false;
  const host = removePort(address);
  if (domains.length > 0) return domains.some((domain) => host === `${name}.${removePort(domain)}`);
  if (IP_ADDRESS.test(host) || !host.includes('.')) return true;
  return host.slice(0, host.indexOf('.')) === name;
};
