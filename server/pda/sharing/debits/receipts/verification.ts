import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { calculateJwkThumbprint, compactVerify, errors } from 'jose';
import { z } from 'zod';
import { Failure } from '../../../../platform/failure.ts';
import { RSA_KEY_MIN_BITS } from '../../../../wire/limits.ts';
import { RECEIPT_ALGORITHM, RECEIPT_MEDIA_TYPE, RECEIPT_TYPE } from './signing.ts';

/** Expected signing key: its RFC 7638 thumbprint, or the keys of a file, one of which must match. */
export type ExpectedKey = { thumbprint: string } | { keys: readonly KeyObject[] };

const sharedBundleSchema = z.object({
  bundle: z.record(
    z.string(),
    z.object({
      endpoints: z.array(z.object({ endpoint: z.string(), mapping: z.record(z.string(), z.unknown()).nullish() })),
    }),
  ),
});

/** The members that are checked. Later versions can add others. */
const signedReceiptSchema = z.object({
  type: z.literal(RECEIPT_TYPE),
  iss: z.string(),
  time: z.string(),
  dataDebitKey: z.string(),
  state: z.string(),
  requester: z.object({ kind: z.string(), name: z.string() }),
  permissions: z.array(
    z.object({
      permissionId: z.string(),
      state: z.string(),
      purpose: z.string(),
      start: z.string(),
      end: z.string().nullable(),
      accepted: z.boolean(),
      canceledAt: z.string().optional(),
      bundle: sharedBundleSchema,
      requestClientName: z.string(),
      requestClientUrl: z.string(),
    }),
  ),
});

type SignedReceipt = z.infer<typeof signedReceiptSchema>;

type VerifiedReceipt = {
  content: SignedReceipt;
  /** RFC 7638 thumbprint (SHA-256, base64url) of the signing key. */
  thumbprint: string;
  /** False if the key comes only from the receipt: the signature then proves integrity, but not who signed. */
  pinned: boolean;
};

const invalidReceipt = (reason: string): Failure => new Failure('invalid_input', `Invalid receipt: ${reason}`);

/** Downloaded file. `receipt` is a readable copy of the JWS payload. */
const receiptFileSchema = z.object({ jws: z.string(), receipt: z.unknown(), thumbprint: z.string().optional() });
const publicKeySchema = z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string() });
const headerSchema = z.object({
  alg: z.literal(RECEIPT_ALGORITHM),
  typ: z.literal(RECEIPT_MEDIA_TYPE),
  jwk: publicKeySchema.optional(),
});

const parseJson = (text: string, subject: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidReceipt(`malformed: ${subject} is not JSON.`);
  }
};

/** Accepts only the canonical encoding, so that different strings never decode to the same content. */
const decodePart = (part: string): Buffer => {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw invalidReceipt('malformed: the JWS is not base64url.');
  return bytes;
};

const isStrongRsaKey = (key: KeyObject): boolean =>
  key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_KEY_MIN_BITS;

const toKey = (jwk: JsonWebKey): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return isStrongRsaKey(key) ? key : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Reads a PEM, a JWK or a JWK Set. Omits short keys and keys other than RSA. Returns an empty list for any other text.
 */
export const parsePublicKeys = (text: string): KeyObject[] => {
  try {
    if (text.trimStart().startsWith('-----BEGIN ')) return [createPublicKey(text)].filter(isStrongRsaKey);
    const parsed: unknown = JSON.parse(text);
    const set = z.object({ keys: z.array(z.unknown()) }).safeParse(parsed);
    return (set.data?.keys ?? [parsed]).flatMap((candidate) => {
      const jwk = publicKeySchema.safeParse(candidate).data;
      return jwk === undefined ? [] : (toKey(jwk) ?? []);
    });
  } catch {
    return [];
  }
};

export const thumbprintOf = async (key: KeyObject): Promise<string> =>
  calculateJwkThumbprint(publicKeySchema.parse(key.export({ format: 'jwk' })));

const isSignedBy = async (jws: string, key: KeyObject): Promise<boolean> => {
  try {
    await compactVerify(jws, key, { algorithms: [RECEIPT_ALGORITHM] });
    return true;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return false;
    if (error instanceof errors.JOSEError) throw invalidReceipt(`malformed: ${error.message}.`);
    throw error;
  }
};

/**
 * Returns the embedded key without verifying the signature. If no key is embedded, returns the expected key that
 * verifies the signature.
 * @throws Failure if the embedded key is not an expected one, if no expected key verifies the signature, or if there is
 *   no key to verify it with
 */
const findKey = async (
  jws: string,
  embeddedKey: KeyObject | undefined,
  expected: ExpectedKey | undefined,
): Promise<KeyObject> => {
  if (embeddedKey === undefined) {
    if (expected === undefined || 'thumbprint' in expected)
      throw invalidReceipt(
        'it carries no key, like receipts of older versions. Pass the key of the PDA with --key FILE.',
      );
    for (const key of expected.keys) if (await isSignedBy(jws, key)) return key;
    throw invalidReceipt(
      'the signature is wrong: the receipt was changed, or it was signed with a key that is not among the given ones.',
    );
  }
  if (expected === undefined) return embeddedKey;
  const thumbprint = await thumbprintOf(embeddedKey);
  const allowed = 'thumbprint' in expected ? [expected.thumbprint] : await Promise.all(expected.keys.map(thumbprintOf));
  if (!allowed.includes(thumbprint))
    throw invalidReceipt(`it contains the key ${thumbprint}, but ${allowed.join(' or ')} was expected.`);
  return embeddedKey;
};

const parseReceiptFile = (text: string): z.infer<typeof receiptFileSchema> => {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return { jws: trimmed, receipt: undefined };
  const file = receiptFileSchema.safeParse(parseJson(trimmed, 'the file'));
  if (!file.success) throw invalidReceipt('malformed: the file has no "jws", or an invalid "thumbprint".');
  return file.data;
};

/**
 * Verifies the signature of a receipt, its key and its readable copy, without network access.
 * @param text downloaded file, or only the compact JWS
 * @param expected default: the key in the `jwk` header of the receipt
 * @throws Failure invalid_input that states why the receipt is invalid
 */
export const verifyReceipt = async (text: string, expected?: ExpectedKey): Promise<VerifiedReceipt> => {
  const { jws, receipt, thumbprint: statedThumbprint } = parseReceiptFile(text);
  const parts = jws.split('.');
  const [headerBytes, payload] = parts.map(decodePart);
  if (parts.length !== 3 || headerBytes === undefined || payload === undefined)
    throw invalidReceipt('malformed: a compact JWS has three parts.');
  const header = headerSchema.safeParse(parseJson(headerBytes.toString(), 'the JWS header'));
  if (!header.success) throw invalidReceipt('malformed: the JWS header is not that of a receipt.');
  const { jwk } = header.data;
  const embeddedKey = jwk === undefined ? undefined : toKey(jwk);
  if (jwk !== undefined && embeddedKey === undefined)
    throw invalidReceipt('malformed: the embedded key cannot be used.');

  const key = await findKey(jws, embeddedKey, expected);
  if (!(await isSignedBy(jws, key))) throw invalidReceipt('the signature is wrong: the receipt was changed.');
  const thumbprint = await thumbprintOf(key);

  const signedContent = parseJson(payload.toString(), 'the signed content');
  const content = signedReceiptSchema.safeParse(signedContent);
  if (!content.success) throw invalidReceipt('malformed: the signed content is not a receipt.');
  if (receipt !== undefined && !isDeepStrictEqual(receipt, signedContent))
    throw invalidReceipt('"receipt" in the file was changed: it differs from the signed content.');
  if (statedThumbprint !== undefined && statedThumbprint !== thumbprint)
    throw invalidReceipt('"thumbprint" in the file was changed: it differs from the thumbprint of the signing key.');
  return { content: content.data, thumbprint, pinned: expected !== undefined };
};
