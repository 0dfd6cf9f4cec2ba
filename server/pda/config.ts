import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { describeFirstIssue, describeIssue } from '../platform/http/request/validation-messages.ts';
import type { Log } from '../platform/log.ts';
import type { Resolver } from '../platform/outbound/dns-lookup.ts';
import { publishedApplicationSchema } from '../wire/applications.ts';
import { functionRegistrationSchema } from '../wire/functions.ts';
import { urlOfPda } from '../platform/outbound/pda-address.ts';
import { localtunnelProblem, intermediaryHost, tunnelProblem } from '../platform/tunnel/address.ts';
import type { FileModuleParts } from './files/index.ts';
import type { FunctionModuleParts } from './functions/index.ts';
import type { AddressModuleParts } from './network/address/index.ts';
import { messageOf } from '../wire/values.ts';
import { readFileIfExists } from './storage/home/folder.ts';

/** Options of the program that runs a PDA. config.json contains the owner's settings. */
export type PdaOptions = {
  /** Home folder. Created if it does not exist. */
  home: string;
  log: Log;
  clock?: Clock;
  /** Overrides `publicUrl` of config.json. */
  publicUrl?: string;
  /** Folders of the built dashboard (`pages`) and of the built guide (`docs`). */
  pages?: string;
  docs?: string;
  /** Validates each response against its declaration; for tests. */
  strict?: boolean;
  /** Replaces the watcher of the files folder; for tests. */
  files?: Pick<FileModuleParts, 'openWatcher'>;
  /** Replaces the sandbox, the scheduler's waits and the time limit of remote functions; for tests. */
  functions?: Pick<FunctionModuleParts, 'host' | 'timing' | 'remoteTimeoutMs'>;
  /** Overrides for outgoing requests; for tests. */
  network?: { allowLoopback?: boolean; resolve?: Resolver };
  /**
   * Called when the owner erases everything. The caller must close this PDA and create it again. Without this callback,
   * full erasure is not available.
   */
  onEraseEverything?: () => void;
  /** Replaces the timers, certificates and random numbers of the tunnel; for tests. */
  tunnel?: Pick<AddressModuleParts, 'timers' | 'createCertificateManager' | 'random'>;
};

/** Address of a service. Requires TLS, except on this machine, because the PDA sends tokens to the service. */
const serviceSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/u, abort: true })
    .refine((url) => {
      const { protocol, host } = new URL(url);
      return protocol === 'https:' || urlOfPda(host).startsWith('http:');
    }, 'use https')
    .refine(
      (url) => new URL(url).username === '' && new URL(url).password === '',
      'must not contain a user name or password',
    ),
});

/** Address `<name>.<domain>` at a relay. The setting implies agreement to the certificate authority's terms. */
const relaySchema = z
  .strictObject({
    way: z.literal('relay').optional(),
    relay: z.url({ protocol: /^https?$/u }),
    domain: z.string().min(1),
    /** ACME directory URL of the certificate authority; default: Let's Encrypt. */
    authority: z.url({ protocol: /^https$/u }).optional(),
  })
  .superRefine((tunnel, context) => {
    const problem = tunnelProblem(tunnel);
    if (problem !== undefined)
      context.addIssue({ code: 'custom', path: [problem.key], message: problem.problem, input: tunnel });
  });

/** Name at a localtunnel server. */
const localtunnelSchema = z
  .strictObject({
    way: z.literal('localtunnel'),
    host: z.url({ protocol: /^https?$/u }),
    subdomain: z.string().min(1),
    /** Acceptance that the server can read all traffic. Must be equal to the server's host. */
    readableBy: z.string().default(''),
    /** Permits sign-in with a password through this server. */
    passwordSignIn: z.boolean().default(false),
  })
  .superRefine((tunnel, context) => {
    const problem = localtunnelProblem(tunnel);
    const addIssue = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message, input: tunnel });
    if (problem !== undefined) addIssue(problem.key, problem.problem);
    else if (tunnel.readableBy !== intermediaryHost(tunnel)) {
      const reader = intermediaryHost(tunnel);
      addIssue('readableBy', `write "${reader}" here if you agree that ${reader} can read all traffic`);
    }
  });

/** Returns a refinement that rejects lists with duplicate ids. @param list name of the list in config.json */
const rejectDuplicateIds =
  (list: string) =>
  (items: readonly { id: string }[], context: z.RefinementCtx): void => {
    const indexByKey = new Map<string, number>();
    for (const [index, { id }] of items.entries()) {
      const key = id.toLowerCase();
      const firstIndex = indexByKey.get(key);
      // With duplicate ids, the order of the list would decide, for example, which rights an application has.
      if (firstIndex !== undefined) {
        const message = `duplicate id "${id}": also used by ${list}.${firstIndex} (ids are case-insensitive)`;
        context.addIssue({ code: 'custom', path: [index, 'id'], message, input: id });
      } else indexByKey.set(key, index);
    }
  };

/**
 * Schema of `config.json` in the home folder. Rejects unknown keys, because a misspelled setting would have no effect.
 */
const settingsSchema = z.strictObject({
  /** Applications in addition to the published list. */
  applications: z.array(publishedApplicationSchema).superRefine(rejectDuplicateIds('applications')).optional(),
  /** Functions in addition to the installed packages. */
  functions: z.array(functionRegistrationSchema).superRefine(rejectDuplicateIds('functions')).optional(),
  exchange: serviceSchema.optional(),
  contracts: serviceSchema.optional(),
  /** Public address of the PDA, for example at a reverse proxy. */
  publicUrl: z
    .url({ protocol: /^https?$/u, abort: true })
    .refine((url) => {
      const { href, origin } = new URL(url);
      return href === `${origin}/`;
    }, 'must contain only scheme, host and port')
    .optional(),
  /** Local port to which the proxy forwards; default: a free port, chosen once and then reused. */
  publicPort: z.int().min(1).max(65_535).optional(),
  /**
   * Number of trusted proxies in front of the public port, each of which appends to `x-forwarded-for`. 0: the header is
   * ignored. Default: 1 for a localtunnel server, otherwise 0.
   */
  proxies: z.int().min(0).max(9).optional(),
  tunnel: z.discriminatedUnion('way', [relaySchema, localtunnelSchema]).optional(),
  limits: z
    .strictObject({
      /** Maximum bytes of all files together; default: limited only by the disk. */
      filesBytes: z.int().min(0).optional(),
      /** Maximum bytes of the files of one application. */
      applicationFilesBytes: z.int().min(0).optional(),
      /** Maximum bytes of all records, including the owner's; default: limited only by the disk. */
      recordsBytes: z.int().min(0).optional(),
      /** Maximum bytes of the records that one application, contract or function created. */
      applicationRecordsBytes: z.int().min(0).optional(),
      /** Maximum number of endpoints at which one application, contract or function has records. */
      applicationEndpoints: z.int().min(0).optional(),
    })
    .optional(),
  development: z
    .strictObject({
      /** Permits outgoing requests to this machine. */
      allowLoopback: z.boolean().default(false),
      /** PEM file of additional trusted certificate authorities, for the tunnel and its certificates. */
      authorities: z.string().min(1).optional(),
    })
    .optional(),
});

const configSchema = settingsSchema.refine(({ publicUrl, tunnel }) => publicUrl === undefined || tunnel === undefined, {
  path: ['tunnel'],
  message: 'cannot be combined with publicUrl',
});

export type Config = z.infer<typeof configSchema>;

/** Returns true if outgoing requests may reach this machine. */
export const allowsLoopback = (options: PdaOptions, config: Config): boolean =>
  options.network?.allowLoopback ??
  (config.development?.allowLoopback === true || process.env['PDA_ALLOW_LOOPBACK'] === '1');

/** Problem with `config.json`, with a message for the person who edits the file. */
export class ConfigProblem extends Error {}

/** Reads and validates config.json. @throws ConfigProblem with the file, the key and the reason */
export const readConfig = (file: string): Config => {
  const text = readFileIfExists(file);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigProblem(`${file} is not valid JSON: ${messageOf(error)}`);
  }
  const parsed = configSchema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw new ConfigProblem(`${file}: ${describeFirstIssue(parsed.error)}`);
};
