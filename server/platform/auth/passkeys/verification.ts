import { createPublicKey } from 'node:crypto';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import {
  cose,
  decodeAttestationObject,
  decodeClientDataJSON,
  decodeCredentialPublicKey,
  isoBase64URL,
  isoCBOR,
} from '@simplewebauthn/server/helpers';
import { PASSKEY_ALGORITHMS } from '../../../wire/limits.ts';
import type { Assertion, PasskeyRegistration } from '../../../wire/passkeys.ts';
import { Failure } from '../../failure.ts';
import type { Site } from './site.ts';

/* WebAuthn without attestation (docs/adr/0024). */

export type ExpectedResponse = Site & { isOwnChallenge: (challenge: string) => boolean };

const MIN_RSA_BITS = 2048;
/** First byte of a SubjectPublicKeyInfo: a DER sequence. No COSE key begins with it. */
const DER_SEQUENCE = 0x30;

const { COSEALG, COSECRV, COSEKEYS, COSEKTY } = cose;

/**
 * Returns the challenge. Refuses requests in frames of other sites, some of which the library accepts.
 * @throws Error for such requests and for invalid data
 */
const challengeOf = (clientDataJSON: string): string => {
  const { challenge, crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON);
  if ((crossOrigin ?? false) || topOrigin !== undefined) throw new Error('it was requested in a frame of another site');
  return challenge;
};

/**
 * Refuses certificates, because the library would fetch their revocation lists.
 * @throws Error for any attestation other than `none` and self attestation
 */
const refuseCertificates = (attestationObject: string): void => {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get('fmt');
  const isSelfAttested = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfAttested) throw new Error('it has an attestation, which was not requested');
};

const isAllowedKey = (publicKey: Uint8Array<ArrayBuffer>): boolean => {
  const key = decodeCredentialPublicKey(publicKey);
  const algorithm = key.get(COSEKEYS.alg);
  if (cose.isCOSEPublicKeyEC2(key)) return algorithm === COSEALG.ES256 && key.get(COSEKEYS.crv) === COSECRV.P256;
  if (cose.isCOSEPublicKeyOKP(key)) return algorithm === COSEALG.EdDSA && key.get(COSEKEYS.crv) === COSECRV.ED25519;
  if (!cose.isCOSEPublicKeyRSA(key) || algorithm !== COSEALG.RS256) return false;
  const [n, e] = [key.get(COSEKEYS.n), key.get(COSEKEYS.e)];
  if (n === undefined || e === undefined) return false;
  const jwk = { kty: 'RSA', n: isoBase64URL.fromBuffer(n), e: isoBase64URL.fromBuffer(e) };
  const { asymmetricKeyDetails } = createPublicKey({ key: jwk, format: 'jwk' });
  return (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
};

/** Converts a stored key to COSE. Earlier versions of the server stored keys as SubjectPublicKeyInfo. */
const toCose = (storedKey: Uint8Array): Uint8Array<ArrayBuffer> => {
  if (storedKey[0] !== DER_SEQUENCE) return new Uint8Array(storedKey);
  const jwk = createPublicKey({ key: Buffer.from(storedKey), format: 'der', type: 'spki' }).export({ format: 'jwk' });
  const { kty, x = '', y = '', n = '', e = '' } = jwk;
  const key = new Map<number, number | Uint8Array<ArrayBuffer>>();
  if (kty === 'EC') {
    key.set(COSEKEYS.kty, COSEKTY.EC2).set(COSEKEYS.alg, COSEALG.ES256).set(COSEKEYS.crv, COSECRV.P256);
    key.set(COSEKEYS.x, isoBase64URL.toBuffer(x)).set(COSEKEYS.y, isoBase64URL.toBuffer(y));
  } else if (kty === 'OKP') {
    key.set(COSEKEYS.kty, COSEKTY.OKP).set(COSEKEYS.alg, COSEALG.EdDSA).set(COSEKEYS.crv, COSECRV.ED25519);
    key.set(COSEKEYS.x, isoBase64URL.toBuffer(x));
  } else {
    key.set(COSEKEYS.kty, COSEKTY.RSA).set(COSEKEYS.alg, COSEALG.RS256);
    key.set(COSEKEYS.n, isoBase64URL.toBuffer(n)).set(COSEKEYS.e, isoBase64URL.toBuffer(e));
  }
  return isoCBOR.encode(key);
};

/** Verifies a registration. The returned public key is in COSE. @throws Failure invalid_input */
export const verifyNewPasskey = async (
  { id, clientDataJSON, attestationObject }: PasskeyRegistration,
  { rpId, origin, isOwnChallenge }: ExpectedResponse,
): Promise<{ challenge: string; publicKey: Buffer; counter: number }> => {
  try {
    const challenge = challengeOf(clientDataJSON);
    refuseCertificates(attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: isOwnChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    });
    if (!verified) throw new Error('its signature is invalid');
    const { credential } = registrationInfo;
    // The library does not compare the two IDs.
    if (credential.id !== id) throw new Error('its id does not match its credential');
    if (!isAllowedKey(credential.publicKey)) throw new Error('its key type is not supported');
    return { challenge, publicKey: Buffer.from(credential.publicKey), counter: credential.counter };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new Failure('invalid_input', `This passkey was not added: ${reason}. Nothing was changed.`);
  }
};

/** Returns undefined if the assertion is invalid. The caller compares the counter. */
export const verifyAssertion = async (
  { id, ...response }: Assertion,
  publicKey: Uint8Array,
  { rpId, origin, isOwnChallenge }: ExpectedResponse,
): Promise<{ challenge: string; counter: number } | undefined> => {
  try {
    const challenge = challengeOf(response.clientDataJSON);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: isOwnChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id, publicKey: toCose(publicKey), counter: 0 },
    });
    return verified ? { challenge, counter: authenticationInfo.newCounter } : undefined;
  } catch {
    // The library throws for bytes that it cannot parse, and for every failed check except that of the signature.
    return undefined;
  }
};
