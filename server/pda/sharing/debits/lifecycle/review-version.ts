import type { Debit } from '../../../../wire/debits.ts';
import type { Review } from '../../reviews/service.ts';

/**
 * The version of a Data Debit that enabling it would put in force, taken from what a response shows of it: the pending permission, else the
 * one accepted last. Empty when there is neither: a rejected request.
 */
export const reviewOf = ({ dataDebitKey, permissions }: Debit): Review => ({
  subject: `debit:${dataDebitKey}`,
  version: permissions.find(({ state, accepted }) => accepted || state === 'waiting')?.permissionId ?? '',
});
