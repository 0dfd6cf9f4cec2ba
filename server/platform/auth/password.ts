import { hash, verify } from '@node-rs/argon2';

/** argon2id with OWASP's figures: 19 MiB, two passes. About 30 ms here, far more for whoever steals the hash. */
const HASHING = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, HASHING);
export const passwordMatches = (stored: string, password: string): Promise<boolean> => verify(stored, password);
