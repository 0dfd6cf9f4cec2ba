/**
 * Permissions that the owner canceled at the end of their period and then immediately: sharing again restores the first
 * cancellation. For permissions that were canceled twice before this migration, the first cancellation is unknown.
 */
export const canceledTwice = `
ALTER TABLE debit_permissions ADD COLUMN was_canceled_at_period_end INTEGER NOT NULL DEFAULT 0;
`;
