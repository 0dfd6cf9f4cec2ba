import { isoTime } from '../../platform/clock.ts';
import type { SigningKey } from '../../platform/tokens.ts';
import { toDebit, type StoredDebit } from './records.ts';
import type { HistoryRow } from './store.ts';

/** What was agreed and what became of it, as anybody can check with the PDA's public key. */
export type ReceiptContent = Record<string, unknown>;

/** @param pda host[:port] of the PDA, as in the `iss` of its tokens */
export const receiptContent = (
  debit: StoredDebit,
  history: readonly HistoryRow[],
  facts: { pda: string; now: number },
): ReceiptContent => {
  const { pda, now } = facts;
  const { permissions, ...known } = toDebit(debit, now);
  const termsById = new Map(debit.permissions.map((permission) => [permission.id, permission]));
  return {
    type: 'data-debit-receipt',
    iss: pda,
    time: isoTime(now),
    dataDebitKey: known.dataDebitKey,
    state: known.state,
    requester: debit.requester,
    permissions: permissions.map((permission) => {
      const stored = termsById.get(permission.permissionId);
      const terms = stored?.terms;
      return {
        ...permission,
        requestClientName: terms?.requestClientName,
        requestClientUrl: terms?.requestClientUrl,
        requestClientLogoUrl: terms?.requestClientLogoUrl,
        requestDescription: terms?.requestDescription,
        askedPeriod: stored?.askedPeriod,
        askedCancelAtPeriodEnd: stored?.askedCancelAtPeriodEnd,
      };
    }),
    history: history.map(({ time, event, permission }) => ({
      time: isoTime(time),
      event,
      ...(permission === null ? {} : { permissionId: permission }),
    })),
  };
};

/** A compact JWS whose payload is the receipt. */
export const signReceipt = async (content: ReceiptContent, key: SigningKey): Promise<string> => {
  const { CompactSign } = await import('jose');
  return new CompactSign(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'data-debit-receipt+jws' })
    .sign(key.privateKey);
};
