import { hash, verify } from '@node-rs/argon2';

/** Parameters of Argon2id that OWASP recommends: 19 MiB, two passes. One check takes about 30 ms. */
const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, ARGON2_PARAMETERS);
export const passwordMatches = (storedHash: string, password: string): Promise<boolean> => verify(storedHash, password);
