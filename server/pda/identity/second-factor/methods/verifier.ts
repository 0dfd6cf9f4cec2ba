import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { MAX_WRONG_CODES_A_DAY } from '../../../../wire/limits.ts';
import type { Assertion, SignInMethods } from '../../../../wire/second-factor.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { Shown } from '../../owner/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { Challenges } from './challenges.ts';
import type { Site } from './passkeys.ts';
import { hashCode, readCode } from './recovery-codes.ts';
import type { FactorStore } from '../store.ts';
import { stepOf } from './totp.ts';

/** Where a call comes from. */
export type ProofOrigin = { host: string; local: boolean };

/**
 * What came of looking at it. The look is the same whatever the password is; only who has the right one is let go on to `settle`.
 */
export type Looked = {
  /** Whether it is a code of an app by its form: these few digits can be guessed, and are counted. */
  isDigits: boolean;
  /** Consumes the factor in the transaction of its use: false if another request was faster. Undefined: it is invalid. */
  use: ((tx: Transaction) => boolean) | undefined;
  /** Using it is worth telling the owner. */
  isRecovery: boolean;
};

const NOTHING: Looked = { isDigits: false, use: undefined, isRecovery: false };
const DIGITS = /^\d{6}$/u;
const DAY_MS = 86_400_000;
/** Milliseconds. */
const NOTED_AFTER_MS = 1000;
/** Purpose of challenges without a session. */
const SIGN_IN = 'sign-in';

export type Gate = ReturnType<typeof createGate>;

/** Decides whether the second factor is required, and verifies it. */
export const createGate = (parts: {
  store: FactorStore;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  challenges: Challenges;
  /** Where passkeys work, by the host of a call; undefined: nowhere. */
  siteOf: (host: string) => Site | undefined;
  clock: Clock;
  log: Log;
}) => {
  const { store, writer, events, challenges, siteOf, clock, log } = parts;
  /** When codes of the app were wrong although the password was right. */
  let wrong: number[] = [];

  const purposeOf = (host: string, session: string): string => `use\n${host}\n${session === '' ? SIGN_IN : session}`;

  const lookAtCode = (text: string): Looked => {
    const digits = text.replaceAll(/\s/gu, '');
    const { secret, salt, last_step: lastStep } = store.row();
    if (DIGITS.test(digits)) {
      const step = secret === null ? undefined : stepOf(secret, digits, clock.now(), lastStep);
      if (secret === null || step === undefined) return { ...NOTHING, isDigits: true };
      return { isDigits: true, isRecovery: false, use: (tx) => store.useStep(tx, secret, step) };
    }
    const letters = readCode(text);
    if (letters === undefined || salt === null) return NOTHING;
    const hash = hashCode(salt, letters);
    if (!store.codeIsLeft(hash)) return NOTHING;
    return { isDigits: false, isRecovery: true, use: (tx) => store.useCode(tx, hash, clock.now()) };
  };

  const lookAtPasskey = async (assertion: Assertion, host: string, session: string): Promise<Looked> => {
    const site = siteOf(host);
    const known = store
      .passkeys()
      .find(({ credential, rp_id: rpId }) => credential === assertion.id && rpId === site?.rpId);
    if (site === undefined || known === undefined) return NOTHING;
    const isOurs = (challenge: string): boolean => challenges.isGood(challenge, purposeOf(host, session));
    // With its libraries this takes 10 MB, and most servers never see a passkey.
    const { readAssertion } = await import('./passkeys.ts');
    const read = await readAssertion(assertion, known.public_key, { ...site, isOurs });
    // Signed by the owner's own passkey: from now on this challenge is over, whatever becomes of the rest.
    if (read === undefined || !challenges.use(read.challenge)) return NOTHING;
    if (known.counter > 0 && read.counter <= known.counter) {
      log.warn({ passkey: known.id }, 'a passkey has counted backwards: it may have been copied');
      return NOTHING;
    }
    return {
      isDigits: false,
      isRecovery: false,
      use: (tx) => store.usePasskey(tx, known.id, read.counter, clock.now()),
    };
  };

  let missed = 0;
  let later: NodeJS.Timeout | undefined;
  /** A while after the answer: who counts its time would learn from a write that the password was right. */
  const noteWrong = (): void => {
    missed += 1;
    later ??= setTimeout(() => {
      const times = missed;
      later = undefined;
      missed = 0;
      if (times === 0) return;
      writer
        .write((tx) => {
          store.noteWrong(tx, times, clock.now());
          events.tell(tx, 'second-factor');
        })
        .catch((error: unknown) => log.warn({ err: error }, 'a wrong second factor was not noted'));
    }, NOTED_AFTER_MS).unref();
  };

  const isHeldUp = (): boolean => {
    const now = clock.now();
    wrong = wrong.filter((time) => Math.abs(now - time) < DAY_MS);
    return wrong.length >= MAX_WRONG_CODES_A_DAY;
  };

  return {
    /** What a sign-in takes by this address, or a change in this session. */
    ways(from: ProofOrigin, session: string): SignInMethods {
      const site = siteOf(from.host);
      const hasPasskey = site !== undefined && store.passkeys().some(({ rp_id: rpId }) => rpId === site.rpId);
      return {
        asked: store.isAsked(from),
        app: store.row().secret !== null,
        passkey: hasPasskey ? { challenge: challenges.make(purposeOf(from.host, session)), rpId: site.rpId } : null,
      };
    },

    /** Looks at what is shown. Changes nothing, but that a challenge which the owner's passkey signed is over. */
    async look({ code, passkey }: Shown, from: ProofOrigin, session: string): Promise<Looked> {
      if (passkey !== undefined) return lookAtPasskey(passkey, from.host, session);
      return code === undefined ? NOTHING : lookAtCode(code);
    },

    /**
     * After the password turned out to be right. Undefined: it is not let through, and that is noted for the owner. The answer must be the one
     * that a wrong password gets.
     */
    settle(looked: Looked): ((tx: Transaction) => boolean) | undefined {
      const { use, isDigits } = looked;
      if (use !== undefined && !(isDigits && isHeldUp())) return use;
      if (isDigits && use === undefined) wrong.push(clock.now());
      wrong = wrong.slice(-MAX_WRONG_CODES_A_DAY);
      noteWrong();
      return undefined;
    },

    /** What was wrong before it was switched off says nothing of what comes after. */
    forget(): void {
      wrong = [];
      missed = 0;
    },
    close: (): void => clearTimeout(later),
  };
};
