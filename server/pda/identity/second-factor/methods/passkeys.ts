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
import { Failure } from '../../../../platform/failure.ts';
import { PASSKEY_ALGORITHMS } from '../../../../wire/limits.ts';
import type { Assertion, NewPasskey } from '../../../../wire/second-factor.ts';

/** WebAuthn without attestation: verifies new passkeys and the assertions of known ones (docs/adr/0024). */

/** Where a passkey is made or used. */
export type Site = {
  rpId: string;
  /** Scheme, host and port, to the letter. */
  origin: string;
};

/** What was asked for: the challenge must be one of ours, for this. */
export type Expected = Site & { isOurs: (challenge: string) => boolean };

const MIN_RSA_BITS = 2048;
/** First byte of a SubjectPublicKeyInfo: a DER sequence. No COSE key begins with it. */
const DER_SEQUENCE = 0x30;

const { COSEALG, COSECRV, COSEKEYS, COSEKTY } = cose;

/**
 * The challenge in the client data. The library does not refuse every ceremony in a frame of another site, so this does.
 * @throws when it is not client data of a page of our own
 */
const readChallenge = (clientDataJSON: string): string => {
  const { challenge, crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON);
  if ((crossOrigin ?? false) || topOrigin !== undefined) throw new Error('it was asked for in a frame of another site');
  return challenge;
};

/** @throws when the attestation object holds certificates: the library would fetch revocation lists from the addresses in them */
const refuseCertificates = (attestationObject: string): void => {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get('fmt');
  const isSelfAttested = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfAttested) throw new Error('it has an attestation, and none was asked for');
};

/** Whether the key is of one of the allowed algorithms, with the curve or the length that goes with it. */
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

/** A stored key in COSE. Passkeys that were added before the library was used are stored as SubjectPublicKeyInfo. */
const toCose = (stored: Uint8Array): Uint8Array<ArrayBuffer> => {
  if (stored[0] !== DER_SEQUENCE) return new Uint8Array(stored);
  const jwk = createPublicKey({ key: Buffer.from(stored), format: 'der', type: 'spki' }).export({ format: 'jwk' });
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

/** @returns what is stored of a new passkey; the public key is in COSE. @throws Failure invalid_input */
export const readNewPasskey = async (
  { id, clientDataJSON, attestationObject }: NewPasskey,
  { rpId, origin, isOurs }: Expected,
): Promise<{ challenge: string; publicKey: Buffer; counter: number }> => {
  try {
    const challenge = readChallenge(clientDataJSON);
    refuseCertificates(attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: isOurs,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    });
    if (!verified) throw new Error('its signature does not hold');
    const { credential } = registrationInfo;
    // The library does not compare the two.
    if (credential.id !== id) throw new Error('its parts do not belong together');
    if (!isAllowedKey(credential.publicKey)) throw new Error('its key is of a kind that is not used here');
    return { challenge, publicKey: Buffer.from(credential.publicKey), counter: credential.counter };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new Failure('invalid_input', `This passkey was not added: ${reason}. Nothing was changed.`);
  }
};

/** Verifies an assertion; undefined when it does not hold. The caller compares the counter, in its transaction. */
export const readAssertion = async (
  { id, ...response }: Assertion,
  publicKey: Uint8Array,
  { rpId, origin, isOurs }: Expected,
): Promise<{ challenge: string; counter: number } | undefined> => {
  try {
    const challenge = readChallenge(response.clientDataJSON);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: isOurs,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id, publicKey: toCose(publicKey), counter: 0 },
    });
    return verified ? { challenge, counter: authenticationInfo.newCounter } : undefined;
  } catch {
    // The library throws for every check that fails, and for bytes that it cannot parse.
    return undefined;
  }
};
