import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { MAX_WRONG_CODES_A_DAY } from '../../../../wire/limits.ts';
import type { Assertion, SignInMethods } from '../../../../wire/second-factor.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { SecondFactorInput } from '../../owner/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { Challenges } from './challenges.ts';
import type { Site } from './passkeys.ts';
import { hashCode, readCode } from './recovery-codes.ts';
import type { FactorStore } from '../store.ts';
import { stepOf } from './totp.ts';

/** Origin of a request. */
export type ProofOrigin = { host: string; local: boolean };

/** Result of verifying a second factor. Verification does not depend on the password; `accept` requires a correct one. */
export type FactorVerification = {
  /** True if the input has the form of an app code. Wrong ones are limited, because six digits can be guessed. */
  isDigits: boolean;
  /** Consumes the factor in the transaction of its use; returns false if another request was faster. Undefined if it is invalid. */
  use: ((tx: Transaction) => boolean) | undefined;
  /** True for a recovery code, whose use is reported to the owner. */
  isRecovery: boolean;
};

const INVALID: FactorVerification = { isDigits: false, use: undefined, isRecovery: false };
const DIGITS = /^\d{6}$/u;
const DAY_MS = 86_400_000;
/** Milliseconds after which failed attempts are recorded. */
const RECORD_DELAY_MS = 1000;
/** Purpose of challenges without a session. */
const SIGN_IN = 'sign-in';

export type Verifier = ReturnType<typeof createVerifier>;

/** Decides whether the second factor is required, and verifies it. */
export const createVerifier = (parts: {
  store: FactorStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  challenges: Challenges;
  /** Returns the site of passkeys for the host of a request; undefined if passkeys do not work there. */
  siteOf: (host: string) => Site | undefined;
  clock: Clock;
  log: Log;
}) => {
  const { store, writer, events, challenges, siteOf, clock, log } = parts;
  /** Times of wrong app codes that were sent with the right password. */
  let wrongCodeTimes: number[] = [];

  const purposeOf = (host: string, session: string): string => `use\n${host}\n${session === '' ? SIGN_IN : session}`;

  const verifyCode = (text: string): FactorVerification => {
    const digits = text.replaceAll(/\s/gu, '');
    const { secret, salt, last_step: lastStep } = store.row();
    if (DIGITS.test(digits)) {
      const step = secret === null ? undefined : stepOf(secret, digits, clock.now(), lastStep);
      if (secret === null || step === undefined) return { ...INVALID, isDigits: true };
      return { isDigits: true, isRecovery: false, use: (tx) => store.useStep(tx, secret, step) };
    }
    const letters = readCode(text);
    if (letters === undefined || salt === null) return INVALID;
    const hash = hashCode(salt, letters);
    if (!store.codeIsLeft(hash)) return INVALID;
    return { isDigits: false, isRecovery: true, use: (tx) => store.useCode(tx, hash, clock.now()) };
  };

  const verifyPasskey = async (assertion: Assertion, host: string, session: string): Promise<FactorVerification> => {
    const site = siteOf(host);
    const passkey = store
      .passkeys()
      .find(({ credential, rp_id: rpId }) => credential === assertion.id && rpId === site?.rpId);
    if (site === undefined || passkey === undefined) return INVALID;
    const isOurs = (challenge: string): boolean => challenges.isValid(challenge, purposeOf(host, session));
    // Imported on demand: the libraries take 10 MB, and most servers have no passkeys.
    const { readAssertion } = await import('./passkeys.ts');
    const result = await readAssertion(assertion, passkey.public_key, { ...site, isOurs });
    // A challenge that the owner's passkey has signed is used up, even if the request fails timer.
    if (result === undefined || !challenges.use(result.challenge)) return INVALID;
    if (passkey.counter > 0 && result.counter <= passkey.counter) {
      log.warn({ passkey: passkey.id }, 'the counter of a passkey went backwards: it may have been copied');
      return INVALID;
    }
    return {
      isDigits: false,
      isRecovery: false,
      use: (tx) => store.usePasskey(tx, passkey.id, result.counter, clock.now()),
    };
  };

  let unrecorded = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Records a failed attempt after a delay, because the time of a write would reveal that the password was right. */
  const recordFailure = (): void => {
    unrecorded += 1;
    timer ??= setTimeout(() => {
      const times = unrecorded;
      timer = undefined;
      unrecorded = 0;
      if (times === 0) return;
      writer
        .write((tx) => {
          store.recordFailures(tx, times, clock.now());
          events.notify(tx, 'second-factor');
        })
        .catch((error: unknown) => log.warn({ err: error }, 'a wrong second factor was not recorded'));
    }, RECORD_DELAY_MS).unref();
  };

  /** Returns true if the daily limit of wrong app codes is reached. */
  const isLimited = (): boolean => {
    const now = clock.now();
    wrongCodeTimes = wrongCodeTimes.filter((time) => Math.abs(now - time) < DAY_MS);
    return wrongCodeTimes.length >= MAX_WRONG_CODES_A_DAY;
  };

  return {
    /** Returns the second factors that a sign-in through this host, or a change in this session, accepts. */
    signInMethods(from: ProofOrigin, session: string): SignInMethods {
      const site = siteOf(from.host);
      const hasPasskey = site !== undefined && store.passkeys().some(({ rp_id: rpId }) => rpId === site.rpId);
      return {
        asked: store.isRequired(from),
        app: store.row().secret !== null,
        passkey: hasPasskey ? { challenge: challenges.issue(purposeOf(from.host, session)), rpId: site.rpId } : null,
      };
    },

    /** Verifies a second factor without consuming it, except for the challenge that a passkey of the owner has signed. */
    async verify(
      { code, passkey }: SecondFactorInput,
      from: ProofOrigin,
      session: string,
    ): Promise<FactorVerification> {
      if (passkey !== undefined) return verifyPasskey(passkey, from.host, session);
      return code === undefined ? INVALID : verifyCode(code);
    },

    /**
     * Must be called after a correct password only. Records a wrong factor for the owner.
     * @returns undefined if the factor is refused; the response must then be the one for a wrong password
     */
    accept(verification: FactorVerification): ((tx: Transaction) => boolean) | undefined {
      const { use, isDigits } = verification;
      if (use !== undefined && !(isDigits && isLimited())) return use;
      if (isDigits && use === undefined) wrongCodeTimes.push(clock.now());
      wrongCodeTimes = wrongCodeTimes.slice(-MAX_WRONG_CODES_A_DAY);
      recordFailure();
      return undefined;
    },

    /** Forgets failed attempts after the second factor was switched off. */
    forget(): void {
      wrongCodeTimes = [];
      unrecorded = 0;
    },
    close: (): void => clearTimeout(timer),
  };
};
