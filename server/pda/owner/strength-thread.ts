import { parentPort } from 'node:worker_threads';
import { passwordStrength } from '../../platform/password-strength.ts';

/** Says how hard passwords are to guess, one message for each. */
type Question = { id: number; password: string; inputs: readonly string[] };

parentPort?.on('message', ({ id, password, inputs }: Question) => {
  try {
    parentPort?.postMessage({ id, strength: passwordStrength(password, inputs) });
  } catch (error) {
    parentPort?.postMessage({ id, problem: error instanceof Error ? error.message : String(error) });
  }
});
