import { compare } from 'bcryptjs';
import { answerRequests } from '../../../../platform/workers/idle-thread.ts';
import type { BcryptCheck } from './external-hash.ts';

/** Worker thread that checks passwords against bcrypt hashes. */
answerRequests(({ hash, password }: BcryptCheck): Promise<boolean> => compare(password, hash).catch(() => false));
