import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Resolve } from '../platform/outbound/dns-lookup.ts';
import { publishedApplicationSchema } from '../wire/applications.ts';
import { functionRegistrationSchema } from '../wire/functions.ts';
import { urlOfPda } from '../platform/outbound/pda-address.ts';
import { localtunnelProblem, intermediaryHost, tunnelProblem } from '../platform/tunnel/address.ts';
import type { FunctionModuleParts } from './functions/index.ts';
import type { AddressModuleParts } from './network/address/index.ts';
import { messageOf } from '../wire/values.ts';
import { readFileIfExists } from './storage/home/folder.ts';

/** What the program that runs a PDA chooses; config.json is what its owner chooses. */
export type PdaOptions = {
  /** The home folder. Created when it does not exist. */
  home: string;
  log: Log;
  clock?: Clock;
  /** Overrides `publicUrl` of config.json. */
  publicUrl?: string;
  /** Folder of the built dashboard. */
  pages?: string;
  /** Folder of the built guide. */
  docs?: string;
  /** Validates every response against its declaration; for tests. */
  strict?: boolean;
  /** Replaces the sandbox and shortens the waits of the scheduler; for tests. */
  functions?: Pick<FunctionModuleParts, 'host' | 'pace' | 'remoteTimeoutMs'>;
  /** The network as requests to foreign addresses find it; for tests. `resolve` replaces the name service. */
  network?: { allowLoopback?: boolean; resolve?: Resolve };
  /** Called when the owner has everything erased: the caller closes this PDA and creates it again. Without it this cannot be asked for. */
  onEraseEverything?: () => void;
  /** Replaces the timers of the tunnel and the source of certificates; for tests. */
  tunnel?: Pick<AddressModuleParts, 'timers' | 'createCertificates' | 'random'>;
};

/** Tokens of this PDA go there: in the clear they would be anybody's on the way. */
const serviceSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/u })
    .refine((url) => url.startsWith('https:') || urlOfPda(new URL(url).host).startsWith('http:'), 'use https')
    .refine((url) => new URL(url).username === '' && new URL(url).password === '', 'no name and no password in it'),
});

/** An address at a relay: `<name>.<domain>`. This entry includes the agreement to the authority's terms. */
const relaySchema = z
  .strictObject({
    way: z.literal('relay').optional(),
    relay: z.url({ protocol: /^https?$/u }),
    domain: z.string().min(1),
    /** Directory of the certificate authority (ACME); Let's Encrypt, when it is not given. */
    authority: z.url({ protocol: /^https$/u }).optional(),
  })
  .superRefine((tunnel, context) => {
    const found = tunnelProblem(tunnel);
    if (found !== undefined)
      context.addIssue({ code: 'custom', path: [found.key], message: found.problem, input: tunnel });
  });

/** A name at a localtunnel server, which reads everything that goes over it. */
const localtunnelSchema = z
  .strictObject({
    way: z.literal('localtunnel'),
    host: z.url({ protocol: /^https?$/u }),
    subdomain: z.string().min(1),
    /** Agreement that the server can read everything: its host, written out. */
    readableBy: z.string().default(''),
    /** Agreement that passwords go over it, too. */
    passwordSignIn: z.boolean().default(false),
  })
  .superRefine((tunnel, context) => {
    const found = localtunnelProblem(tunnel);
    const issue = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message, input: tunnel });
    if (found !== undefined) issue(found.key, found.problem);
    else if (tunnel.readableBy !== intermediaryHost(tunnel)) {
      const reader = intermediaryHost(tunnel);
      issue('readableBy', `write "${reader}" here if you agree that ${reader} can read everything that goes over it`);
    }
  });

/** `config.json` in the home folder. Unknown keys are refused with their name: a typing error must not pass as a setting. */
const keysSchema = z.strictObject({
  /** Applications that are known here, beside a published list. */
  applications: z
    .array(publishedApplicationSchema)
    .superRefine((applications, context) => {
      const first = new Map<string, number>();
      for (const [index, { id }] of applications.entries()) {
        const key = id.toLowerCase();
        const other = first.get(key);
        // Which of the two would be set up, and with whose rights, must not be a matter of order.
        if (other !== undefined) {
          const message = `the id "${id}" is that of applications.${other} too; ids are compared without case`;
          context.addIssue({ code: 'custom', path: [index, 'id'], message, input: id });
        } else first.set(key, index);
      }
    })
    .optional(),
  /** Functions that are known here, beside the packages that are installed. */
  functions: z
    .array(functionRegistrationSchema)
    .superRefine((functions, context) => {
      const first = new Map<string, number>();
      for (const [index, { id }] of functions.entries()) {
        const other = first.get(id.toLowerCase());
        if (other !== undefined) {
          const message = `the id "${id}" is that of functions.${other} too`;
          context.addIssue({ code: 'custom', path: [index, 'id'], message, input: id });
        } else first.set(id.toLowerCase(), index);
      }
    })
    .optional(),
  /** The exchange that this PDA takes part in. */
  exchange: serviceSchema.optional(),
  /** The service of contracted access. */
  contracts: serviceSchema.optional(),
  /** An address that the owner has anyway, e.g. behind a proxy of their own. */
  publicUrl: z.url({ protocol: /^https?$/u }).optional(),
  /** The port of this machine that such a proxy points at; the one of the last time, when it is not given. */
  publicPort: z.int().min(1).max(65_535).optional(),
  /**
   * Trusted proxies in front of that port, each of which appends to `x-forwarded-for`. With 0 the header is ignored: the default, but for a localtunnel server,
   * where it is 1.
   */
  proxies: z.int().min(0).max(9).optional(),
  tunnel: z.discriminatedUnion('way', [relaySchema, localtunnelSchema]).optional(),
  limits: z
    .strictObject({
      /** Bytes of all files together; as many as the disk has, when it is not given. */
      filesBytes: z.int().min(0).optional(),
      /** Bytes of the files of one application. */
      applicationFilesBytes: z.int().min(0).optional(),
      /** Bytes of all records together, the owner's included; only the disk limits them when it is not given. */
      recordsBytes: z.int().min(0).optional(),
      /** Bytes of the records that one application, contract or function created. */
      applicationRecordsBytes: z.int().min(0).optional(),
    })
    .optional(),
  development: z
    .strictObject({
      /** Lets calls to addresses that others chose reach this machine. */
      allowLoopback: z.boolean().default(false),
      /** A file of authorities (PEM) that are trusted as those of the web are, for the tunnel and its certificates. */
      authorities: z.string().min(1).optional(),
    })
    .optional(),
});

const configSchema = keysSchema.refine(({ publicUrl, tunnel }) => publicUrl === undefined || tunnel === undefined, {
  path: ['tunnel'],
  message: 'there is a publicUrl too: choose one of them',
});

export type Config = z.infer<typeof configSchema>;

/** Whether foreign addresses may lead to this machine. */
export const allowsLoopback = (options: PdaOptions, config: Config): boolean =>
  options.network?.allowLoopback ??
  (config.development?.allowLoopback === true || process.env['PDA_ALLOW_LOOPBACK'] === '1');

export class ConfigProblem extends Error {}

/** @throws ConfigProblem with the file, the key and what is wrong */
export const readConfig = (file: string): Config => {
  const text = readFileIfExists(file);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigProblem(`${file} is not JSON: ${messageOf(error)}`);
  }
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const key =
    issue === undefined
      ? ''
      : [...issue.path, ...(issue.code === 'unrecognized_keys' ? [issue.keys.join(', ')] : [])].join('.');
  throw new ConfigProblem(`${file}: ${key}: ${issue?.message ?? 'not valid'}`);
};
