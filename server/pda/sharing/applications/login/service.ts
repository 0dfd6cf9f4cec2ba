import type { Clock } from '../../../../platform/clock.ts';
import { Failure, ignoring } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type {
  Application,
  ApplicationPreviewRequest,
  LoginOrder,
  LoginRequest,
  OwnerApplication,
} from '../../../../wire/applications.ts';
import type { Narrowing } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { DebitService } from '../../debits/service.ts';
import type { LedgerEntry, LedgerService } from '../../access-log/service.ts';
import type { From } from '../../../identity/owner/service.ts';
import { failureAddress, mayReturnTo, visible, withParameters, type LoginProblem } from './rules.ts';
import { proposalOf } from '../debit-proposal.ts';
import type { ApplicationService } from '../service.ts';

/** What the address of the journey asks for; nothing of it is trusted. */
export type Asked = { name: string | undefined; redirect: string | undefined; fallback: string | undefined };

/** The journey of signing in to an application with this PDA (decisions 3). */
export type LoginService = {
  /** What the page has to show. */
  request(asked: Asked, from: From): Promise<LoginRequest>;
  /**
   * Signs the application in, after setting it up if the owner just agreed to that. Checks everything again.
   * @throws Failure not_found | invalid_input | wrong_state, or failures of the set-up
   */
  login(order: LoginOrder, from: From, session: string | undefined): Promise<{ url: string }>;
  /** Records that a response shows this application to the owner session that calls. */
  recordReview(principal: Principal, application: Application): Promise<void>;
  /** What would leave to an application by its Data Debit; JSON text (`SharingPreview`). @throws Failure not_found | invalid_input */
  preview(id: string, request: ApplicationPreviewRequest): Promise<AsyncGenerator<string>>;
};

export type LoginParts = {
  applications: Pick<ApplicationService, 'ownerFind' | 'publicDescription' | 'setUp' | 'accessToken' | 'recordReviews'>;
  debits: Pick<DebitService, 'isRunning'>;
  ledger: Pick<LedgerService, 'write'>;
  /** Any web page can trigger these requests in the owner's browser, so refusals are counted instead of logged one by one. */
  noteRefused: (refused: LedgerEntry & { reason: string }) => Promise<void>;
  /** What would leave of a bundle. */
  previewOf: (
    wanted: ApplicationPreviewRequest & {
      asked: NamedBundle;
      conditions: NamedBundle | null;
      narrowing: Narrowing | undefined;
    },
  ) => Promise<AsyncGenerator<string>>;
  clock: Clock;
  log: Log;
};

export const createLoginService = (parts: LoginParts): LoginService => {
  const { applications, debits, ledger, clock, log } = parts;

  const find = async (name: string): Promise<OwnerApplication | undefined> => {
    try {
      return await applications.ownerFind(name, false);
    } catch (error) {
      return ignoring('not_found')(error);
    }
  };

  /**
   * Returns true if the owner's approval covers what the application requests now. Ignores whether the application's service
   * is available: many services respond only after a sign-in.
   */
  const isReady = ({ item, approved, debitKey }: OwnerApplication): boolean =>
    approved !== null &&
    item.enabled &&
    item.needsUpdating !== true &&
    (approved.data === null || (debitKey !== null && debits.isRunning(debitKey, approved.data.name)));

  const entryOf = ({ item }: OwnerApplication, status: number, from: From): LedgerEntry => ({
    who: { kind: 'application', name: item.application.id },
    action: 'login',
    status,
    reason: null,
    consent: null,
    records: new Map(),
    fields: null,
    bytes: 0,
    address: from.address,
  });

  const noteDone = async (application: OwnerApplication, from: From): Promise<void> => {
    const { id, info } = application.item.application;
    const detail = application.approved?.version ?? info.version;
    await ledger.write({ ...entryOf(application, 200, from), consent: { kind: 'application', name: id, detail } });
  };

  const noteRefused = async (application: OwnerApplication, redirect: string, from: From): Promise<void> => {
    const { id } = application.item.application;
    // Not the whole of it: it may carry a token of the application.
    log.warn({ application: id, host: URL.parse(redirect)?.host ?? null }, 'a sign-in was to return elsewhere');
    await parts.noteRefused({ ...entryOf(application, 403, from), reason: 'redirect_not_registered' });
  };

  const refused = (problem: LoginProblem, asked: Asked, application: OwnerApplication | null = null): LoginRequest => ({
    state: 'refused',
    application,
    redirect: visible(asked.redirect ?? ''),
    registered: application?.addresses ?? [],
    reason: problem,
    failureUrl: application === null ? null : (failureAddress(application.item.application, asked, problem) ?? null),
  });

  return {
    async request(asked, from) {
      if (asked.name === undefined) return refused('application_misconfigured/application_id_is_required', asked);
      const application = await find(asked.name);
      if (application === undefined) return refused('application_misconfigured/application_id_not_found', asked);
      if (asked.redirect === undefined) {
        return refused('application_misconfigured/redirect_is_required', asked, application);
      }
      const definition = application.item.application;
      const redirect = mayReturnTo(definition, asked.redirect);
      if (redirect === undefined) {
        await noteRefused(application, asked.redirect, from);
        // The caller that chose this URL also chose the fallback, so no redirect takes place.
        const nowhere = { ...asked, fallback: undefined };
        return refused('application_misconfigured/redirect_not_registered', nowhere, application);
      }
      return {
        state: isReady(application) ? 'ready' : 'consent',
        application,
        redirect,
        registered: application.addresses,
        reason: null,
        failureUrl: failureAddress(definition, asked, 'access_denied/user_cancelled') ?? null,
      };
    },

    recordReview: (principal, application) => applications.recordReviews(principal, [application]),

    async login({ name, redirect, version, edition, narrowing }, from, session) {
      const before = await applications.ownerFind(name, false);
      const { id } = before.item.application;
      const to = mayReturnTo(before.item.application, redirect);
      if (to === undefined) {
        await noteRefused(before, redirect, from);
        throw new Failure('forbidden', 'This address is not registered for the application. It was not let in.', {
          details: [{ path: 'body.redirect', problem: 'not registered' }],
        });
      }
      if (version !== undefined) await applications.setUp(id, { version, edition, narrowing, session });
      else if (narrowing !== undefined) {
        throw new Failure('invalid_input', 'A narrowing belongs to the version that it was made for.');
      } else if (!isReady(before)) {
        throw new Failure('wrong_state', 'This application needs the consent of the owner first. It was not let in.');
      }
      const now = version === undefined ? before : await applications.ownerFind(id, false);
      // Set up by now, but perhaps from another list than the one that was looked at.
      if (mayReturnTo(now.item.application, redirect) !== to || !isReady(now)) {
        throw new Failure('wrong_state', 'The application has changed meanwhile. It was not let in.');
      }
      const { accessToken } = await applications.accessToken(id, from);
      await noteDone(now, from);
      return { url: withParameters(to, { token: accessToken }) };
    },

    async preview(id, { narrowing, skip, take }) {
      const proposal = proposalOf(applications.publicDescription(id, true), clock.now());
      if (proposal === undefined) throw new Failure('not_found', 'This application asks for no data.');
      const { bundle: asked, conditions = null } = proposal;
      return parts.previewOf({ asked, conditions, narrowing, skip, take });
    },
  };
};
