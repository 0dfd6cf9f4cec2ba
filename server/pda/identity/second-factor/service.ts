import { randomBytes, randomUUID } from 'node:crypto';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { MAX_PASSKEYS, SECOND_FACTOR_STEP_MS } from '../../../wire/limits.ts';
import type {
  ChangedFactor,
  NewPasskey,
  PasskeyOptions,
  OwnerProof,
  SecondFactor,
  SignInMethods,
} from '../../../wire/second-factor.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerNote, OwnerService } from '../owner/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createChallenges } from './methods/challenges.ts';
import { createGate, type Gate } from './methods/verifier.ts';
import type { Site } from './methods/passkeys.ts';
import { hashCode, newCodes, newSalt, readCode } from './methods/recovery-codes.ts';
import type { FactorStore } from './store.ts';
import { SECRET_BYTES, secretText, stepOf, uriOf } from './methods/totp.ts';

export type { Looked } from './methods/verifier.ts';

/** Who asks: the owner, in a session of theirs. */
export type Asking = { address: string; host: string; local: boolean; session: string };

/** What the owner proves beside the password. Every change wants a proof that it is the owner: see `Proof`. */
export type SecondFactorService = {
  gate: Gate;
  view(asking: Asking): SecondFactor;
  ways(asking: Asking): SignInMethods;
  /** A secret for an app. It counts from the first right code on. @throws Failure forbidden | rate_limited */
  startApp(proof: OwnerProof, asking: Asking): Promise<{ secret: string; uri: string }>;
  /** @throws Failure wrong_state | forbidden */
  confirmApp(code: string, asking: Asking): Promise<ChangedFactor>;
  removeApp(proof: OwnerProof, asking: Asking): Promise<SecondFactor>;
  /** @throws Failure wrong_state: no passkey works at this address, or there are too many */
  startPasskey(proof: OwnerProof, asking: Asking): Promise<PasskeyOptions>;
  /** @throws Failure invalid_input | already_exists */
  addPasskey(passkey: NewPasskey, asking: Asking): Promise<ChangedFactor>;
  removePasskey(id: string, proof: OwnerProof, asking: Asking): Promise<SecondFactor>;
  /** Its name is for the owner alone and opens nothing: this takes no proof. @throws Failure not_found */
  renamePasskey(id: string, name: string, asking: Asking): Promise<SecondFactor>;
  renewCodes(proof: OwnerProof, asking: Asking): Promise<ChangedFactor>;
  setAlways(always: boolean, proof: OwnerProof, asking: Asking): Promise<SecondFactor>;
  turnOff(proof: OwnerProof, asking: Asking): Promise<SecondFactor>;
  /** The owner has read what was used or tried. */
  seen(asking: Asking): Promise<SecondFactor>;
  /** Switches it off without a proof, for callers with access to the home folder. False: it was off. */
  reset(): Promise<boolean>;
};

export type SecondFactorParts = {
  store: FactorStore;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  owner: Pick<OwnerService, 'profile' | 'provePassword' | 'notes'>;
  /** Scheme and host for a host[:port] through which a call came. */
  baseOf: (host: string) => string;
  clock: Clock;
  log: Log;
};

/** Concurrent enrolments of an app, and wrong codes after which an enrolment must be restarted. */
const MAX_PENDING = 10;
const MAX_FIRST_CODES = 10;

/** Passkeys require a host name and a secure context. */
export const siteOfBase = (base: string): Site | undefined => {
  const { protocol, hostname, origin } = new URL(base);
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isNumber = hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/u.test(hostname);
  return !isNumber && (protocol === 'https:' || isHere) ? { rpId: hostname, origin } : undefined;
};

const notProven = (): Failure =>
  new Failure('forbidden', 'The password, or the second factor with it, is not right. Nothing was changed.');

export const createSecondFactorService = (parts: SecondFactorParts): SecondFactorService => {
  const { store, writer, events, owner, clock, log } = parts;
  const challenges = createChallenges(clock);
  const siteOf = (host: string): Site | undefined => siteOfBase(parts.baseOf(host));
  const gate = createGate({ store, writer, events, challenges, siteOf, clock, log });
  /** Session -> the secret of an app that has not shown a right code yet. */
  const pending = new Map<string, { secret: Buffer; until: number; tries: number }>();

  const view = ({ host, local }: Asking): SecondFactor => {
    const row = store.row();
    const here = siteOf(host)?.rpId;
    const iso = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
    return {
      on: store.isOn(),
      always: row.always === 1,
      asked: store.isAsked({ local }),
      app: row.secret_since === null ? null : { since: isoTime(row.secret_since) },
      passkeys: store.passkeys().map((key) => ({
        passkeyId: key.id,
        name: key.name,
        created: isoTime(key.created),
        lastUsed: iso(key.last_used),
        address: key.rp_id,
        here: key.rp_id === here,
      })),
      passkeyAddress: here ?? null,
      recovery: row.codes_made === null ? null : { left: store.codesLeft(), made: isoTime(row.codes_made) },
      news: { recoveryUsed: iso(row.recovery_used), wrongTries: row.wrong_tries, lastWrongTry: iso(row.last_wrong) },
    };
  };

  const noted = (tx: Transaction, action: OwnerNote['action'], by: { address: string }): void => {
    owner.notes.done(tx, action, by);
    events.tell(tx, 'second-factor');
  };

  /** Tells of a refusal: who is in here and does not know the rest may have found an open session. */
  const telling = <T>(asking: Asking, work: () => Promise<T>): Promise<T> =>
    owner.notes.refusals('second-factor-change', asking, work);

  /**
   * The password, and where it is asked for the second factor. What is proven holds within the transaction of the change: a code is used up there, and the
   * password must still be the one.
   */
  const proven = <T>({ password, ...shown }: OwnerProof, asking: Asking, change: (tx: Transaction) => T): Promise<T> =>
    telling(asking, async () => {
      const isAsked = store.isAsked(asking);
      const looked = isAsked ? await gate.look(shown, asking, asking.session) : undefined;
      const stillRight = await owner.provePassword(password, asking);
      if (stillRight === undefined) throw notProven();
      const use = looked === undefined ? undefined : gate.settle(looked);
      if (isAsked && use === undefined) throw notProven();
      return writer.write((tx) => {
        if (!stillRight() || store.isAsked(asking) !== isAsked || use?.(tx) === false) throw notProven();
        if (looked?.isRecovery === true) noted(tx, 'recovery-code', asking);
        return change(tx);
      });
    });

  /** New recovery codes in place of those that there are. */
  const makeCodes = (tx: Transaction): string[] => {
    const codes = newCodes();
    const salt = newSalt();
    const hashes = codes.map((code) => hashCode(salt, readCode(code) ?? ''));
    store.setCodes(tx, salt, hashes, clock.now());
    return codes;
  };
  /** With the first factor that there is. */
  const firstCodes = (tx: Transaction): string[] | null => (store.row().salt === null ? makeCodes(tx) : null);

  const clear = (tx: Transaction, by: { address: string }): void => {
    store.clear(tx);
    tx.afterCommit(gate.forget);
    noted(tx, 'second-factor-off', by);
  };
  /** Without any factor the rest of it means nothing, and would mean something again with the next one. */
  const clearIfLast = (tx: Transaction, asking: Asking): void => {
    if (store.isOn()) noted(tx, 'second-factor-change', asking);
    else clear(tx, asking);
  };

  const nameOf = (): string => owner.profile()?.name ?? '';
  const registering = ({ host, session }: Asking): string => `register\n${host}\n${session}`;
  const siteFor = ({ host }: Asking): Site => {
    const site = siteOf(host);
    if (site === undefined) {
      throw new Failure(
        'wrong_state',
        'Browsers know passkeys by a name over https, or at localhost. Open this PDA by one of these.',
      );
    }
    if (store.passkeys().length >= MAX_PASSKEYS)
      throw new Failure('wrong_state', `There are ${MAX_PASSKEYS} passkeys already.`);
    return site;
  };

  return {
    gate,
    view,
    ways: (asking) => gate.ways(asking, asking.session),

    async startApp(proof, asking) {
      await proven(proof, asking, () => undefined);
      const secret = randomBytes(SECRET_BYTES);
      setBounded(
        pending,
        asking.session,
        { secret, until: clock.now() + SECOND_FACTOR_STEP_MS, tries: 0 },
        MAX_PENDING,
      );
      return { secret: secretText(secret), uri: uriOf(secret, nameOf(), 'Personal Data Account') };
    },

    confirmApp: (code, asking) =>
      telling(asking, async () => {
        const begun = pending.get(asking.session);
        if (begun === undefined || clock.now() > begun.until || begun.tries >= MAX_FIRST_CODES) {
          pending.delete(asking.session);
          throw new Failure('wrong_state', 'This has taken too long, or too many codes were wrong. Begin again.');
        }
        begun.tries += 1;
        const { secret } = begun;
        const step = stepOf(secret, code.replaceAll(/\s/gu, ''), clock.now(), 0);
        if (step === undefined) {
          throw new Failure(
            'forbidden',
            'This code is not valid now. Check whether the clocks of both devices are right.',
          );
        }
        // Of two at once the second would make a code good again that was used meanwhile.
        pending.delete(asking.session);
        const recoveryCodes = await writer.write((tx) => {
          const wasOn = store.isOn();
          const codes = firstCodes(tx);
          // The code that proved it is used by that.
          store.setSecret(tx, secret, clock.now(), step);
          noted(tx, wasOn ? 'second-factor-change' : 'second-factor-on', asking);
          return codes;
        });
        return { secondFactor: view(asking), recoveryCodes };
      }),

    async removeApp(proof, asking) {
      await proven(proof, asking, (tx) => {
        if (store.row().secret === null) throw new Failure('not_found', 'There is no authenticator app.');
        store.setSecret(tx, null, null, 0);
        clearIfLast(tx, asking);
      });
      return view(asking);
    },

    async startPasskey(proof, asking) {
      const site = siteFor(asking);
      const ownerId = owner.profile()?.id ?? '';
      await proven(proof, asking, () => undefined);
      return {
        challenge: challenges.make(registering(asking)),
        rpId: site.rpId,
        rpName: 'Personal Data Account',
        userId: Buffer.from(ownerId).toString('base64url'),
        userName: nameOf(),
        exclude: store.passkeys().flatMap((key) => (key.rp_id === site.rpId ? [key.credential] : [])),
      };
    },

    addPasskey: (passkey, asking) =>
      telling(asking, async () => {
        const site = siteFor(asking);
        const isOurs = (challenge: string): boolean => challenges.isGood(challenge, registering(asking));
        // With its libraries this takes 10 MB, and most servers never see a passkey.
        const { readNewPasskey } = await import('./methods/passkeys.ts');
        const read = await readNewPasskey(passkey, { ...site, isOurs });
        if (!challenges.use(read.challenge))
          throw new Failure('wrong_state', 'This passkey was added with it already. Begin again.');
        const recoveryCodes = await writer.write((tx) => {
          const all = store.passkeys();
          if (all.length >= MAX_PASSKEYS)
            throw new Failure('wrong_state', `There are ${MAX_PASSKEYS} passkeys already.`);
          if (all.some((key) => key.credential === passkey.id && key.rp_id === site.rpId))
            throw new Failure('already_exists', 'This passkey is here already.');
          const wasOn = store.isOn();
          const codes = firstCodes(tx);
          store.insertPasskey(tx, {
            id: randomUUID(),
            credential: passkey.id,
            rp_id: site.rpId,
            public_key: read.publicKey,
            counter: read.counter,
            name: passkey.name,
            created: clock.now(),
          });
          noted(tx, wasOn ? 'second-factor-change' : 'second-factor-on', asking);
          return codes;
        });
        return { secondFactor: view(asking), recoveryCodes };
      }),

    async removePasskey(id, proof, asking) {
      await proven(proof, asking, (tx) => {
        if (!store.removePasskey(tx, id)) throw new Failure('not_found', 'There is no such passkey.');
        clearIfLast(tx, asking);
      });
      return view(asking);
    },

    async renamePasskey(id, name, asking) {
      await writer.write((tx) => {
        if (!store.renamePasskey(tx, id, name)) throw new Failure('not_found', 'There is no such passkey.');
        noted(tx, 'second-factor-change', asking);
      });
      return view(asking);
    },

    async renewCodes(proof, asking) {
      const recoveryCodes = await proven(proof, asking, (tx) => {
        if (!store.isOn()) throw new Failure('wrong_state', 'There is no second factor that they could stand for.');
        noted(tx, 'second-factor-change', asking);
        return makeCodes(tx);
      });
      return { secondFactor: view(asking), recoveryCodes };
    },

    async setAlways(always, proof, asking) {
      await proven(proof, asking, (tx) => {
        if (!store.isOn()) throw new Failure('wrong_state', 'There is no second factor that could be asked for.');
        store.setAlways(tx, always);
        noted(tx, 'second-factor-change', asking);
      });
      return view(asking);
    },

    async turnOff(proof, asking) {
      await proven(proof, asking, (tx) => {
        if (!store.isOn()) throw new Failure('wrong_state', 'The second factor is off.');
        clear(tx, asking);
      });
      return view(asking);
    },

    async seen(asking) {
      await writer.write((tx) => {
        store.seen(tx);
        events.tell(tx, 'second-factor');
      });
      return view(asking);
    },

    reset: () =>
      writer.write((tx) => {
        const wasOn = store.isOn();
        if (wasOn) clear(tx, { address: '' });
        return wasOn;
      }),
  };
};
