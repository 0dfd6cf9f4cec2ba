import { z } from 'zod';
import { dateTimeSchema } from './common.ts';

// The public address and what it opens (`/api/v2.6/owner/exposure`; docs/decisions.md, the owner's routes).

/** Access mode of the PDA: none, a name at a relay, the owner's own address, or localtunnel. */
const exposureWaySchema = z.enum(['none', 'tunnel', 'own', 'localtunnel']);

/**
 * `off`: no address is configured, or the PDA has no name yet. `dark`: the owner has gone dark, or has not activated an
 * imported account yet. `connecting`: connecting to the relay or localtunnel server. `certificate`: there is no usable
 * certificate. `unproven`: ready, but not yet checked from outside. `reachable`: the last check from outside reached
 * this PDA. `readable`: like `reachable`, through a server that can read everything. `unreachable`: the last check did
 * not reach this PDA, or the address could not be opened. `refused`: the server does not assign this name to this PDA,
 * or a copy of this PDA has claimed it. `impostor`: another server responded at this address; remote requests are
 * refused until this PDA responds again.
 */
export const exposureStateSchema = z.enum([
  'off',
  'dark',
  'connecting',
  'certificate',
  'unproven',
  'reachable',
  'readable',
  'unreachable',
  'refused',
  'impostor',
]);

/**
 * `none`: not requested yet. `asking`: the first one has been requested. `good`: valid. `renewing`: still valid, and a
 * new one has been requested. `expired`: no longer valid. `notYet`: not valid yet by this machine's clock. `untrusted`:
 * unknown authority, or revoked. `failed`: there is none, and the last request failed.
 */
const certificateStateSchema = z.enum([
  'none',
  'asking',
  'good',
  'renewing',
  'expired',
  'notYet',
  'untrusted',
  'failed',
]);

const certificateSchema = z
  .strictObject({
    state: certificateStateSchema,
    issuer: z.string().nullable(),
    notBefore: dateTimeSchema.nullable(),
    notAfter: dateTimeSchema.nullable(),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Problem with the certificate, or reason why the last request for one failed' }),
    nextTry: dateTimeSchema.nullable(),
  })
  .meta({ id: 'PdaCertificate' });

const probeSchema = z
  .strictObject({
    at: dateTimeSchema,
    reached: z.boolean().meta({ description: 'True if this PDA itself responded' }),
    ms: z.int(),
    problem: z.string().nullable().meta({ description: 'Human-readable description of the result' }),
    localAccess: z.boolean().meta({
      description:
        'True if a request to the public address with this computer as its `Host` was treated as local: remote callers can then pass as the owner',
    }),
  })
  .meta({ id: 'ExposureProbe' });

/** `GET /owner/exposure`. */
export const exposureSchema = z
  .strictObject({
    way: exposureWaySchema,
    fixed: z.boolean().meta({ description: 'Set in config.json or on the command line: it cannot be changed here' }),
    address: z.string().nullable().meta({ description: 'Scheme and host, e.g. https://alice.pda.example' }),
    relay: z.string().nullable().meta({ description: 'Address of the relay' }),
    domain: z.string().nullable(),
    name: z.string().meta({ description: 'The name before the domain' }),
    publicUrl: z.string().nullable(),
    localtunnel: z
      .strictObject({
        host: z.string().meta({ description: 'Address of the localtunnel server' }),
        subdomain: z.string(),
        readableBy: z
          .string()
          .meta({ description: 'Host that ends TLS and can read everything; the owner agreed to it' }),
        passwordSignIn: z.boolean().meta({ description: 'True if passwords are accepted at this address' }),
      })
      .nullable(),
    publicListener: z.string().nullable().meta({
      description: 'Target of the owner’s proxy, e.g. http://127.0.0.1:4001; null: no proxy is needed',
    }),
    dark: z.boolean(),
    darkSince: dateTimeSchema.nullable(),
    state: exposureStateSchema,
    since: dateTimeSchema.nullable(),
    problem: z.string().nullable(),
    nextTry: dateTimeSchema.nullable(),
    tries: z.int().meta({ description: 'Attempts to connect since the tunnel was last up' }),
    visitors: z.int().meta({ description: 'Open connections from outside' }),
    certificate: certificateSchema.nullable(),
    probe: probeSchema.nullable(),
    terms: z.string().nullable().meta({ description: 'Address of the terms of the certificate authority' }),
    termsPending: z.boolean().meta({
      description: 'True if the owner has not agreed to the terms; no certificate is requested until then',
    }),
    open: z.strictObject({
      publicFiles: z.int(),
      publicBytes: z.int(),
      shareLinks: z.int().meta({ description: 'Number of share links that open files at the moment' }),
      sharedFiles: z.int(),
      sharedViews: z.int().meta({ description: 'Tables and charts that are shared with users who can sign in' }),
      people: z.int(),
      sessions: z.int().meta({ description: 'Number of other active sessions of the owner' }),
      applications: z.int().meta({ description: 'Number of enabled applications with a valid token' }),
      debits: z.int().meta({ description: 'Number of active Data Debits, without paused ones' }),
      contracts: z.int(),
      profile: z.int().meta({ description: 'Public fields of the profile, or properties of the profile bundle' }),
    }),
  })
  .meta({ id: 'Exposure' });

/** `PUT /owner/exposure`. */
export const exposureChangeSchema = z
  .discriminatedUnion('way', [
    z.strictObject({ way: z.literal('none') }),
    z.strictObject({
      way: z.literal('tunnel'),
      relay: z.url({ protocol: /^https?$/u }).max(300),
      domain: z.string().min(1).max(200),
      agreed: z.boolean().meta({ description: 'Agreement to the terms of the certificate authority' }),
    }),
    z.strictObject({
      way: z.literal('localtunnel'),
      host: z.url({ protocol: /^https?$/u }).max(300),
      subdomain: z.string().min(1).max(63),
      readableBy: z.string().max(253).meta({
        description: 'Agreement that this host can read everything that passes through it: the host of `host`',
      }),
      passwordSignIn: z
        .boolean()
        .meta({ description: 'Also accept passwords, which are otherwise refused at this address' }),
    }),
    z.strictObject({ way: z.literal('own'), publicUrl: z.url({ protocol: /^https?$/u }).max(300) }),
  ])
  .meta({ id: 'ExposureChange' });

export type Exposure = z.infer<typeof exposureSchema>;
export type ExposureChange = z.infer<typeof exposureChangeSchema>;
export type ExposureState = z.infer<typeof exposureStateSchema>;
export type Probe = z.infer<typeof probeSchema>;
export type PdaCertificate = z.infer<typeof certificateSchema>;
export type CertificateState = z.infer<typeof certificateStateSchema>;
export type ExposureWay = z.infer<typeof exposureWaySchema>;
