import { CompactSign, calculateJwkThumbprint } from 'jose';
import { isoTime } from '../../../../platform/clock.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import { toDebit, type StoredDebit } from '../permissions/mapping.ts';
import type { HistoryRow } from '../store.ts';

export const RECEIPT_ALGORITHM = 'RS256';
/** `typ` of the JWS header. */
export const RECEIPT_MEDIA_TYPE = 'data-debit-receipt+jws';
/** `type` of the payload. */
export const RECEIPT_TYPE = 'data-debit-receipt';

/** `pda` is the public host[:port] of the PDA, or a local one if there is no public address. */
export const createReceipt = (
  debit: StoredDebit,
  history: readonly HistoryRow[],
  { pda, now }: { pda: string; now: number },
): Record<string, unknown> => {
  const { permissions, ...view } = toDebit(debit, now);
  const storedById = new Map(debit.permissions.map((permission) => [permission.id, permission]));
  return {
    type: RECEIPT_TYPE,
    iss: pda,
    time: isoTime(now),
    dataDebitKey: view.dataDebitKey,
    state: view.state,
    requester: debit.requester,
    permissions: permissions.map((permission) => {
      const storedPermission = storedById.get(permission.permissionId);
      const terms = storedPermission?.terms;
      return {
        ...permission,
        requestClientName: terms?.requestClientName,
        requestClientUrl: terms?.requestClientUrl,
        requestClientLogoUrl: terms?.requestClientLogoUrl,
        requestDescription: terms?.requestDescription,
        askedPeriod: storedPermission?.requestedPeriod,
        askedCancelAtPeriodEnd: storedPermission?.requestedCancelAtPeriodEnd,
      };
    }),
    history: history.map(({ time, event, permission }) => ({
      time: isoTime(time),
      event,
      ...(permission === null ? {} : { permissionId: permission }),
    })),
  };
};

/**
 * Signs a receipt as a compact JWS. The header contains the public key (`jwk`, RFC 7515, section 4.1.3), and
 * `thumbprint` is its JWK thumbprint (RFC 7638).
 */
export const signReceipt = async (
  content: Record<string, unknown>,
  key: SigningKey,
): Promise<{ jws: string; thumbprint: string }> => {
  const { n = '', e = '' } = key.publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'RSA', n, e };
  const jws = await new CompactSign(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: RECEIPT_ALGORITHM, kid: key.kid, jwk, typ: RECEIPT_MEDIA_TYPE })
    .sign(key.privateKey);
  return { jws, thumbprint: await calculateJwkThumbprint(jwk) };
};
