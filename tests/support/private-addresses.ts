import { networkInterfaces } from 'node:os';

// Addresses and names of this machine and of private networks. A server must not connect to them, except to
// loopback addresses in development mode.

export type Addresses = { address: string; family: number }[];
/** Addresses of a public host. */
const PUBLIC_ADDRESSES: Addresses = [{ address: '93.184.216.34', family: 4 }];
export const LOOPBACK_ADDRESSES: Addresses = [{ address: '127.0.0.1', family: 4 }];

/** The addresses of this machine's network interfaces, if any, except loopback and link-local IPv6 addresses. */
const OWN_ADDRESSES = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

/** Hosts in URLs, some with user information, that are loopback, private or special addresses, in many notations. */
export const PRIVATE_HOSTS = [
  '127.0.0.1 127.1 127.0.1 127.255.255.254 127.0.0.1. ①②⑦.0.0.1 127。0。0。1 0 0.0.0.0 0.0.0.1',
  '2130706433 0x7f000001 017700000001 0177.0.0.1 0x7f.0.0.1 0x7f.1',
  '10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 169.254.169.254 2852039166 0xa9fea9fe 255.255.255.255',
  '[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::] [2001:0:4136:e378::1]',
  '[fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1]',
  'user@127.0.0.1 user:password@127.0.0.1 example.com@127.0.0.1',
  ...OWN_ADDRESSES,
].flatMap((line) => line.split(' '));
/** Host names that a server must refuse, and the addresses to which they resolve. */
export const PRIVATE_NAMES: Record<string, () => Addresses> = {
  'loopback.example': () => LOOPBACK_ADDRESSES,
  'loopback6.example': () => [{ address: '::1', family: 6 }],
  'mapped.example': () => [{ address: '::ffff:127.0.0.1', family: 6 }],
  'nat64.example': () => [{ address: '64:ff9b::7f00:1', family: 6 }],
  'zero.example': () => [{ address: '0.0.0.0', family: 4 }],
  'private.example': () => [{ address: '10.0.0.1', family: 4 }],
  'metadata.example': () => [{ address: '169.254.169.254', family: 4 }],
  'mixed.example': () => [...PUBLIC_ADDRESSES, ...LOOPBACK_ADDRESSES],
  'nothing.example': () => [],
  localhost: () => LOOPBACK_ADDRESSES,
  'localhost.localdomain': () => LOOPBACK_ADDRESSES,
  'own.example': () =>
    OWN_ADDRESSES.map((address) => ({ address: address.replace(/^\[|\]$/gu, ''), family: address[0] === '[' ? 6 : 4 })),
};
