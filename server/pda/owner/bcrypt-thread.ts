import { parentPort } from 'node:worker_threads';
import { compare } from 'bcryptjs';

/** Checks passwords against bcrypt hashes, one message for each. */
type Question = { id: number; hash: string; password: string };

parentPort?.on('message', ({ id, hash, password }: Question) => {
  compare(password, hash).then(
    (matches) => parentPort?.postMessage({ id, matches }),
    () => parentPort?.postMessage({ id, matches: false }),
  );
});
