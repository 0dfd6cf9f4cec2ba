import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import type { Assertion, NewPasskey } from '../../wire/second-factor.ts';

/**
 * WebAuthn without attestation: what a browser hands over of a passkey, and whether it holds. Browsers give the key in the form that Node reads, so that
 * none of the formats in which makers vouch for their devices has to be understood here (docs/adr/0024).
 */

/** Where a passkey is made or used. */
export type Site = {
  rpId: string;
  /** Scheme, host and port, to the letter. */
  origin: string;
};

/** What was asked for: the challenge must be one of ours, for this. */
export type Expected = Site & { isOurs: (challenge: string) => boolean };

const RP_HASH_BYTES = 32;
const FLAGS_AT = 32;
const COUNTER_AT = 33;
const ID_LENGTH_AT = 53;
const ID_AT = 55;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

const clientDataSchema = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** What the browser says of the ceremony; undefined when it is not the one that was asked for. */
const readClientData = (bytes: Buffer, type: string, expected: Expected): { challenge: string } | undefined => {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString());
  } catch {
    // Whatever is no JSON was made by no browser.
    return undefined;
  }
  const found = clientDataSchema.safeParse(json).data;
  if (found === undefined || found.type !== type || found.origin !== expected.origin) return undefined;
  // A page of somebody else around ours would have asked for it.
  if (found.crossOrigin === true || found.topOrigin !== undefined) return undefined;
  return expected.isOurs(found.challenge) ? { challenge: found.challenge } : undefined;
};

/** The fixed beginning of authenticator data; undefined when it is not for this place, or nobody was there who unlocked it. */
const readAuthenticatorData = (bytes: Buffer, rpId: string): { flags: number; counter: number } | undefined => {
  if (bytes.length < COUNTER_AT + 4 || !bytes.subarray(0, RP_HASH_BYTES).equals(sha256(rpId))) return undefined;
  const flags = bytes[FLAGS_AT] ?? 0;
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return undefined;
  return { flags, counter: bytes.readUInt32BE(COUNTER_AT) };
};

const MIN_RSA_BITS = 2048;

/** Keys of the three kinds that are asked for; undefined for any other. */
const readKey = (spki: Uint8Array): { key: KeyObject; hash: string | null } | undefined => {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  } catch {
    // Not a key at all: the answer is the same as to one of a kind that nobody asked for.
    return undefined;
  }
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key;
  if (kind === 'ec' && details?.namedCurve === 'prime256v1') return { key, hash: 'sha256' };
  if (kind === 'ed25519') return { key, hash: null };
  if (kind === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return { key, hash: 'sha256' };
  return undefined;
};

const refused = (problem: string): Failure =>
  new Failure('invalid_input', `This passkey was not taken: ${problem}. Nothing was changed.`);

/** @returns what is kept of a new passkey. @throws Failure invalid_input */
export const readNewPasskey = (
  passkey: NewPasskey,
  expected: Expected,
): { challenge: string; publicKey: Buffer; counter: number } => {
  const client = readClientData(Buffer.from(passkey.clientDataJSON, 'base64url'), 'webauthn.create', expected);
  if (client === undefined) throw refused('it answers to something else than was asked for');
  const data = Buffer.from(passkey.authenticatorData, 'base64url');
  const head = readAuthenticatorData(data, expected.rpId);
  if (head === undefined) throw refused('it is for another address, or was not unlocked by a person');
  const id = data.subarray(ID_AT, ID_AT + (data.length < ID_AT ? 0 : data.readUInt16BE(ID_LENGTH_AT)));
  if ((head.flags & HAS_KEY) === 0 || id.length === 0 || id.toString('base64url') !== passkey.id) {
    throw refused('its parts do not belong together');
  }
  const publicKey = Buffer.from(passkey.publicKey, 'base64url');
  if (readKey(publicKey) === undefined) throw refused('its key is of a kind that is not used here');
  return { challenge: client.challenge, publicKey, counter: head.counter };
};

/** Whether this passkey signed what was asked for; undefined: it did not. */
export const readAssertion = (
  assertion: Assertion,
  publicKey: Uint8Array,
  expected: Expected,
): { challenge: string; counter: number } | undefined => {
  const clientBytes = Buffer.from(assertion.clientDataJSON, 'base64url');
  const client = readClientData(clientBytes, 'webauthn.get', expected);
  const data = Buffer.from(assertion.authenticatorData, 'base64url');
  const head = readAuthenticatorData(data, expected.rpId);
  const known = readKey(publicKey);
  if (client === undefined || head === undefined || known === undefined) return undefined;
  const signed = Buffer.concat([data, sha256(clientBytes)]);
  const isSigned = verify(known.hash, signed, known.key, Buffer.from(assertion.signature, 'base64url'));
  return isSigned ? { challenge: client.challenge, counter: head.counter } : undefined;
};
