import { randomBytes, randomUUID } from 'node:crypto';
import { verifyRegistration } from '../../../platform/auth/passkeys/ceremonies.ts';
import { createChallenges } from '../../../platform/auth/passkeys/challenges.ts';
import { siteOfBase, type Site } from '../../../platform/auth/passkeys/site.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { isoTime, isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { AUTHENTICATOR_SETUP_MAX_MS, MAX_PASSKEYS, PASSKEY_CHALLENGE_MS } from '../../../wire/limits.ts';
import type {
  ChangedFactor,
  NewPasskey,
  PasskeyOptions,
  OwnerProof,
  SecondFactor,
  SignInMethods,
} from '../../../wire/second-factor.ts';
import type { EventService } from '../../core/events/service.ts';
import type { AccountEvent, OwnerService } from '../owner/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createVerifier, type Verifier } from './methods/verifier.ts';
import { createCodes, createSalt, hashCode, normalizeCode } from './methods/recovery-codes.ts';
import type { FactorStore } from './store.ts';
import { SECRET_BYTES, secretText, stepOf, uriOf } from './methods/totp.ts';

export type OwnerRequest = { address: string; host: string; local: boolean; session: string };

/** Methods with a proof throw Failure forbidden | rate_limited. */
export type SecondFactorService = {
  verifier: Verifier;
  view(request: OwnerRequest): SecondFactor;
  signInMethods(request: OwnerRequest): SignInMethods;
  startApp(proof: OwnerProof, request: OwnerRequest): Promise<{ secret: string; uri: string }>;
  /** @throws Failure wrong_state | forbidden */
  confirmApp(code: string, request: OwnerRequest): Promise<ChangedFactor>;
  /** @throws Failure not_found */
  removeApp(proof: OwnerProof, request: OwnerRequest): Promise<SecondFactor>;
  /** @throws Failure wrong_state if passkeys do not work at this address, or if there are already MAX_PASSKEYS */
  startPasskey(proof: OwnerProof, request: OwnerRequest): Promise<PasskeyOptions>;
  /** @throws Failure invalid_input | already_exists | wrong_state */
  addPasskey(passkey: NewPasskey, request: OwnerRequest): Promise<ChangedFactor>;
  /** @throws Failure not_found */
  removePasskey(id: string, proof: OwnerProof, request: OwnerRequest): Promise<SecondFactor>;
  /** Requires no proof, because the name is for display only. @throws Failure not_found */
  renamePasskey(id: string, name: string, request: OwnerRequest): Promise<SecondFactor>;
  /** @throws Failure wrong_state */
  renewCodes(proof: OwnerProof, request: OwnerRequest): Promise<ChangedFactor>;
  /** `always`: the factor is also required on this machine. @throws Failure wrong_state */
  setAlways(always: boolean, proof: OwnerProof, request: OwnerRequest): Promise<SecondFactor>;
  /** Turns off the second factor, and removes all factors and recovery codes. @throws Failure wrong_state */
  turnOff(proof: OwnerProof, request: OwnerRequest): Promise<SecondFactor>;
  acknowledge(request: OwnerRequest): Promise<SecondFactor>;
  /** Turns off the second factor without a proof, for the command line. Resolves to false if it was off. */
  reset(): Promise<boolean>;
};

export type SecondFactorParts = {
  store: FactorStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  owner: Pick<OwnerService, 'profile' | 'verifyPassword' | 'accountLog'>;
  baseOf: (host: string) => string;
  clock: Clock;
  log: Log;
};

const PENDING_APP_SETUPS_MAX = 10;
const APP_SETUP_ATTEMPTS_MAX = 10;

const wrongPasswordOrFactor = (isRequired: boolean): Failure =>
  new Failure(
    'forbidden',
    isRequired
      ? 'The password or the second factor is wrong. Nothing was changed.'
      : 'The password is wrong. Nothing was changed.',
  );

export const createSecondFactorService = (parts: SecondFactorParts): SecondFactorService => {
  const { store, writer, events, owner, clock, log } = parts;
  const challenges = createChallenges(clock, PASSKEY_CHALLENGE_MS);
  const siteOf = (host: string): Site | undefined => siteOfBase(parts.baseOf(host));
  const verifier = createVerifier({ store, writer, events, challenges, siteOf, clock, log });
  /** Unconfirmed secrets of apps, by session. */
  const pendingAppSetups = new Map<string, { secret: Buffer; until: number; attempts: number }>();

  const view = ({ host, local }: OwnerRequest): SecondFactor => {
    const row = store.row();
    const currentRpId = siteOf(host)?.rpId;
    return {
      on: store.isOn(),
      always: row.always === 1,
      required: store.isRequired({ local }),
      app: row.secret_since === null ? null : { since: isoTime(row.secret_since) },
      passkeys: store.passkeys().map((key) => ({
        passkeyId: key.id,
        name: key.name,
        created: isoTime(key.created),
        lastUsed: isoTimeOrNull(key.last_used),
        address: key.rp_id,
        usableHere: key.rp_id === currentRpId,
      })),
      passkeyAddress: currentRpId ?? null,
      recovery: row.codes_made === null ? null : { left: store.countUnusedCodes(), made: isoTime(row.codes_made) },
      news: {
        recoveryUsed: isoTimeOrNull(row.recovery_used),
        wrongTries: row.wrong_tries,
        lastWrongTry: isoTimeOrNull(row.last_wrong),
      },
    };
  };

  const recordChange = (tx: Transaction, action: AccountEvent['action'], origin: { address: string }): void => {
    owner.accountLog.record(tx, action, origin);
    events.notify(tx, 'second-factor');
  };

  /** Refusals are recorded, because someone else may be using the owner's open session. */
  const recordRefusals = <T>(request: OwnerRequest, work: () => Promise<T>): Promise<T> =>
    owner.accountLog.recordRefusals('second-factor-change', request, work);

  const withProof = <T>(
    { password, ...secondFactor }: OwnerProof,
    request: OwnerRequest,
    change: (tx: Transaction) => T,
  ): Promise<T> =>
    recordRefusals(request, async () => {
      const isRequired = store.isRequired(request);
      const verification = isRequired ? await verifier.verify(secondFactor, request, request.session) : undefined;
      const isPasswordUnchanged = await owner.verifyPassword(password, request);
      if (isPasswordUnchanged === undefined) throw wrongPasswordOrFactor(isRequired);
      const use = verification === undefined ? undefined : verifier.accept(verification);
      if (isRequired && use === undefined) throw wrongPasswordOrFactor(isRequired);
      return writer.write((tx) => {
        if (!isPasswordUnchanged() || store.isRequired(request) !== isRequired || use?.(tx) === false)
          throw wrongPasswordOrFactor(isRequired);
        if (verification?.isRecovery === true) owner.accountLog.record(tx, 'recovery-code', request);
        return change(tx);
      });
    });

  const replaceCodes = (tx: Transaction): string[] => {
    const codes = createCodes();
    const salt = createSalt();
    const hashes = codes.map((code) => hashCode(salt, normalizeCode(code) ?? ''));
    store.setCodes(tx, salt, hashes, clock.now());
    return codes;
  };
  const addFactor = async (request: OwnerRequest, add: (tx: Transaction) => void): Promise<ChangedFactor> => {
    const recoveryCodes = await writer.write((tx) => {
      const wasOn = store.isOn();
      add(tx);
      recordChange(tx, wasOn ? 'second-factor-change' : 'second-factor-on', request);
      return store.row().salt === null ? replaceCodes(tx) : null;
    });
    return { secondFactor: view(request), recoveryCodes };
  };

  const clear = (tx: Transaction, origin: { address: string }): void => {
    store.clear(tx);
    tx.afterCommit(verifier.clearFailures);
    recordChange(tx, 'second-factor-off', origin);
  };
  /**
   * Records the removal of a factor. If none remains, clears all settings, so that they do not apply to a factor added
   * later.
   */
  const recordRemoval = (tx: Transaction, request: OwnerRequest): void => {
    if (store.isOn()) recordChange(tx, 'second-factor-change', request);
    else clear(tx, request);
  };

  const getOwnerName = (): string => owner.profile()?.name ?? '';
  const registrationPurpose = ({ host, session }: OwnerRequest): string => `register\n${host}\n${session}`;
  const requireSiteForNewPasskey = ({ host }: OwnerRequest): Site => {
    const site = siteOf(host);
    if (site === undefined) {
      throw new Failure(
        'wrong_state',
        'Passkeys need an HTTPS address with a host name, or localhost. Open this PDA at such an address.',
      );
    }
    if (store.passkeys().length >= MAX_PASSKEYS)
      throw new Failure('wrong_state', `There are already ${MAX_PASSKEYS} passkeys. Remove a passkey first.`);
    return site;
  };

  return {
    verifier,
    view,
    signInMethods: (request) => verifier.signInMethods(request, request.session),

    async startApp(proof, request) {
      await withProof(proof, request, () => undefined);
      const secret = randomBytes(SECRET_BYTES);
      setBounded(
        pendingAppSetups,
        request.session,
        { secret, until: clock.now() + AUTHENTICATOR_SETUP_MAX_MS, attempts: 0 },
        PENDING_APP_SETUPS_MAX,
      );
      return { secret: secretText(secret), uri: uriOf(secret, getOwnerName(), 'Personal Data Account') };
    },

    confirmApp: (code, request) =>
      recordRefusals(request, async () => {
        const appSetup = pendingAppSetups.get(request.session);
        if (appSetup === undefined || clock.now() > appSetup.until || appSetup.attempts >= APP_SETUP_ATTEMPTS_MAX) {
          pendingAppSetups.delete(request.session);
          throw new Failure(
            'wrong_state',
            'No app is being set up. The set-up may have expired or had too many wrong codes. Start again.',
          );
        }
        appSetup.attempts += 1;
        const { secret } = appSetup;
        const step = stepOf(secret, code.replaceAll(/\s/gu, ''), clock.now(), 0);
        if (step === undefined) {
          throw new Failure(
            'forbidden',
            'This code is not valid now. Check the clocks of both devices, and enter the next code.',
          );
        }
        // Deleted before the write, so that a concurrent confirmation cannot use the same code.
        pendingAppSetups.delete(request.session);
        // Storing the step consumes the code.
        return addFactor(request, (tx) => store.setSecret(tx, secret, clock.now(), step));
      }),

    async removeApp(proof, request) {
      await withProof(proof, request, (tx) => {
        if (store.row().secret === null) throw new Failure('not_found', 'There is no authenticator app.');
        store.setSecret(tx, null, null, 0);
        recordRemoval(tx, request);
      });
      return view(request);
    },

    async startPasskey(proof, request) {
      const site = requireSiteForNewPasskey(request);
      const ownerId = owner.profile()?.id ?? '';
      await withProof(proof, request, () => undefined);
      return {
        challenge: challenges.issue(registrationPurpose(request)),
        rpId: site.rpId,
        rpName: 'Personal Data Account',
        userId: Buffer.from(ownerId).toString('base64url'),
        userName: getOwnerName(),
        exclude: store.passkeys().flatMap((key) => (key.rp_id === site.rpId ? [key.credential] : [])),
      };
    },

    addPasskey: (passkey, request) =>
      recordRefusals(request, async () => {
        const site = requireSiteForNewPasskey(request);
        const purpose = registrationPurpose(request);
        const credential = await verifyRegistration(passkey, { site, purpose, challenges });
        return addFactor(request, (tx) => {
          const passkeys = store.passkeys();
          if (passkeys.length >= MAX_PASSKEYS)
            throw new Failure('wrong_state', `There are already ${MAX_PASSKEYS} passkeys. Remove a passkey first.`);
          if (passkeys.some((key) => key.credential === passkey.id && key.rp_id === site.rpId))
            throw new Failure('already_exists', 'This passkey already exists.');
          store.insertPasskey(tx, {
            id: randomUUID(),
            credential: passkey.id,
            rp_id: site.rpId,
            public_key: credential.publicKey,
            counter: credential.counter,
            name: passkey.name,
            created: clock.now(),
          });
        });
      }),

    async removePasskey(id, proof, request) {
      await withProof(proof, request, (tx) => {
        if (!store.removePasskey(tx, id)) throw new Failure('not_found', 'There is no such passkey.');
        recordRemoval(tx, request);
      });
      return view(request);
    },

    async renamePasskey(id, name, request) {
      await writer.write((tx) => {
        if (!store.renamePasskey(tx, id, name)) throw new Failure('not_found', 'There is no such passkey.');
        recordChange(tx, 'second-factor-change', request);
      });
      return view(request);
    },

    async renewCodes(proof, request) {
      const recoveryCodes = await withProof(proof, request, (tx) => {
        if (!store.isOn())
          throw new Failure('wrong_state', 'The second factor is off. Add an authenticator app or a passkey first.');
        recordChange(tx, 'second-factor-change', request);
        return replaceCodes(tx);
      });
      return { secondFactor: view(request), recoveryCodes };
    },

    async setAlways(always, proof, request) {
      await withProof(proof, request, (tx) => {
        if (!store.isOn())
          throw new Failure('wrong_state', 'The second factor is off. Add an authenticator app or a passkey first.');
        store.setAlways(tx, always);
        recordChange(tx, 'second-factor-change', request);
      });
      return view(request);
    },

    async turnOff(proof, request) {
      await withProof(proof, request, (tx) => {
        if (!store.isOn()) throw new Failure('wrong_state', 'The second factor is off.');
        clear(tx, request);
      });
      return view(request);
    },

    async acknowledge(request) {
      await writer.write((tx) => {
        store.acknowledge(tx);
        events.notify(tx, 'second-factor');
      });
      return view(request);
    },

    reset: () =>
      writer.write((tx) => {
        const wasOn = store.isOn();
        if (wasOn) clear(tx, { address: '' });
        return wasOn;
      }),
  };
};
