/** Limits of statements and connections that a busy machine does not reach. */
export const PATIENT_DATABASE_LIMITS = { statementMs: 600_000, connectMs: 600_000 };
