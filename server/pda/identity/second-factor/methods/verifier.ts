import { verifyStoredPasskey } from '../../../../platform/auth/passkeys/ceremonies.ts';
import type { Challenges } from '../../../../platform/auth/passkeys/challenges.ts';
import type { Site } from '../../../../platform/auth/passkeys/site.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { MAX_WRONG_CODES_A_DAY } from '../../../../wire/limits.ts';
import type { Assertion } from '../../../../wire/passkeys.ts';
import type { SignInMethods } from '../../../../wire/second-factor.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { SecondFactorInput } from '../../owner/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { hashCode, normalizeCode } from './recovery-codes.ts';
import type { FactorStore } from '../store.ts';
import { stepOf } from './totp.ts';

export type ProofOrigin = { host: string; local: boolean };

export type FactorVerification = {
  /** True if the input contains no factor. Such an attempt is refused, but not recorded as failed. */
  isMissing: boolean;
  /** True if the input looks like an app code. Wrong app codes are limited, because six digits can be guessed. */
  isAppCode: boolean;
  /**
   * Function that consumes the factor and returns false if another request has consumed or removed it; undefined if the
   * factor is invalid.
   */
  use: ((tx: Transaction) => boolean) | undefined;
  isRecovery: boolean;
};

const INVALID_FACTOR: FactorVerification = { isMissing: false, isAppCode: false, use: undefined, isRecovery: false };
const APP_CODE_PATTERN = /^\d{6}$/u;
const DAY_MS = 86_400_000;
const FAILURE_RECORD_DELAY_MS = 1000;

export type Verifier = ReturnType<typeof createVerifier>;

export const createVerifier = (parts: {
  store: FactorStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  challenges: Challenges;
  siteOf: (host: string) => Site | undefined;
  clock: Clock;
  log: Log;
}) => {
  const { store, writer, events, challenges, siteOf, clock, log } = parts;
  /** Times of wrong app codes that were sent with the correct password. */
  let wrongCodeTimes: number[] = [];

  const purposeOf = (host: string, session: string): string => `use\n${host}\n${session === '' ? 'sign-in' : session}`;

  const verifyCode = (text: string): FactorVerification => {
    const digits = text.replaceAll(/\s/gu, '');
    const { secret, salt, last_step: lastStep } = store.row();
    if (APP_CODE_PATTERN.test(digits)) {
      const step = secret === null ? undefined : stepOf(secret, digits, clock.now(), lastStep);
      if (secret === null || step === undefined) return { ...INVALID_FACTOR, isAppCode: true };
      return { ...INVALID_FACTOR, isAppCode: true, use: (tx) => store.useStep(tx, secret, step) };
    }
    const characters = normalizeCode(text);
    if (characters === undefined || salt === null) return INVALID_FACTOR;
    const hash = hashCode(salt, characters);
    if (!store.isCodeUnused(hash)) return INVALID_FACTOR;
    return {
      ...INVALID_FACTOR,
      isRecovery: true,
      use(tx) {
        if (!store.useCode(tx, hash, clock.now())) return false;
        events.notify(tx, 'second-factor');
        return true;
      },
    };
  };

  const verifyPasskey = async (assertion: Assertion, host: string, session: string): Promise<FactorVerification> => {
    const site = siteOf(host);
    const passkey = store
      .passkeys()
      .find(({ credential, rp_id: rpId }) => credential === assertion.id && rpId === site?.rpId);
    if (site === undefined || passkey === undefined) return INVALID_FACTOR;
    const purpose = purposeOf(host, session);
    const result = await verifyStoredPasskey(passkey, assertion, { site, purpose, challenges, log });
    if (result === undefined) return INVALID_FACTOR;
    return {
      ...INVALID_FACTOR,
      use: (tx) => store.usePasskey(tx, passkey.id, result.counter, clock.now()),
    };
  };

  let unrecordedFailures = 0;
  let recordTimer: NodeJS.Timeout | undefined;
  /** Records a failure after a delay, because the duration of a write would reveal that the password was correct. */
  const recordFailure = (): void => {
    unrecordedFailures += 1;
    recordTimer ??= setTimeout(() => {
      const count = unrecordedFailures;
      recordTimer = undefined;
      unrecordedFailures = 0;
      if (count === 0) return;
      writer
        .write((tx) => {
          // The owner may have turned off the second factor during the delay.
          if (!store.isOn()) return;
          store.recordFailures(tx, count, clock.now());
          events.notify(tx, 'second-factor');
        })
        .catch((error: unknown) => log.warn({ err: error }, 'could not record failed second factor attempts'));
    }, FAILURE_RECORD_DELAY_MS).unref();
  };

  const isLimited = (): boolean => {
    const now = clock.now();
    wrongCodeTimes = wrongCodeTimes.filter((time) => Math.abs(now - time) < DAY_MS);
    return wrongCodeTimes.length >= MAX_WRONG_CODES_A_DAY;
  };

  return {
    signInMethods(from: ProofOrigin, session: string): SignInMethods {
      const site = siteOf(from.host);
      const hasPasskey = site !== undefined && store.passkeys().some(({ rp_id: rpId }) => rpId === site.rpId);
      return {
        required: store.isRequired(from),
        app: store.row().secret !== null,
        passkey: hasPasskey ? { challenge: challenges.issue(purposeOf(from.host, session)), rpId: site.rpId } : null,
      };
    },

    /** Does not consume the factor, except for the challenge that a passkey has signed. */
    async verify(
      { code, passkey }: SecondFactorInput,
      from: ProofOrigin,
      session: string,
    ): Promise<FactorVerification> {
      if (passkey !== undefined) return verifyPasskey(passkey, from.host, session);
      return code === undefined ? { ...INVALID_FACTOR, isMissing: true } : verifyCode(code);
    },

    /**
     * Must be called only after the password has been verified. Records a refused factor for the owner, unless it is
     * missing.
     * @returns undefined if the factor is refused; the response must then be the same as for a wrong password
     */
    accept(verification: FactorVerification): ((tx: Transaction) => boolean) | undefined {
      const { use, isAppCode, isMissing } = verification;
      if (isMissing) return undefined;
      if (use !== undefined && !(isAppCode && isLimited())) return use;
      if (isAppCode && use === undefined) wrongCodeTimes.push(clock.now());
      wrongCodeTimes = wrongCodeTimes.slice(-MAX_WRONG_CODES_A_DAY);
      recordFailure();
      return undefined;
    },

    clearFailures(): void {
      wrongCodeTimes = [];
      unrecordedFailures = 0;
    },
    close: (): void => clearTimeout(recordTimer),
  };
};
