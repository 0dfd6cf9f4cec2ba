import { compare } from 'bcryptjs';
import { serveRequests } from '../../../../platform/workers/idle-thread.ts';
import type { BcryptCheck } from './external-hash.ts';

serveRequests(({ hash, password }: BcryptCheck): Promise<boolean> => compare(password, hash).catch(() => false));
