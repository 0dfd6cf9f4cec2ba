import { LONG_PASSWORD_CHARS, MIN_PASSWORD_SCORE } from '../wire/limits.ts';

/** argon2id with OWASP's figures: 19 MiB, two passes. About 30 ms here, far more for whoever steals the hash. */
const HASHING = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Native code that the first sign-in needs, and no start. */
const loadArgon2 = () => import('@node-rs/argon2');

export const hashPassword = async (password: string): Promise<string> => (await loadArgon2()).hash(password, HASHING);
export const passwordMatches = async (stored: string, password: string): Promise<boolean> =>
  (await loadArgon2()).verify(stored, password);

export type Strength = { score: number; acceptable: boolean; warning?: string; suggestions: string[] };

type Estimator = {
  check(
    password: string,
    userInputs?: (string | number)[],
  ): { score: number; feedback: { warning: string | null; suggestions: string[] } };
};

let estimator: Promise<Estimator> | undefined;

/** The word lists take some megabytes and are needed at set-up and at a change of password only. */
const loadEstimator = async (): Promise<Estimator> => {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
  });
};

/** Characters that the estimator looks at: its cost grows faster than the password. */
const ESTIMATED_CHARS = 100;

/** How hard a password is to guess, and whether it will do (decisions 2). `inputs`: words an attacker would try first. */
export const passwordStrength = async (password: string, inputs: readonly string[] = []): Promise<Strength> => {
  estimator ??= loadEstimator();
  const { score, feedback } = (await estimator).check(password.slice(0, ESTIMATED_CHARS), [...inputs]);
  return {
    score,
    acceptable: score >= MIN_PASSWORD_SCORE || (password.length >= LONG_PASSWORD_CHARS && score > 0),
    ...(feedback.warning === null || feedback.warning === '' ? {} : { warning: feedback.warning }),
    suggestions: feedback.suggestions,
  };
};
