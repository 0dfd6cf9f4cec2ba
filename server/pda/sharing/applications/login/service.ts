import type { Clock } from '../../../../platform/clock.ts';
import { Failure, ignoreFailures } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import type {
  ApplicationPreviewRequest,
  LoginApproval,
  LoginRequest,
  OwnerApplication,
} from '../../../../wire/applications.ts';
import type { Narrowing } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { DebitService } from '../../debits/service.ts';
import type { AccessLogEntry, AccessLogService } from '../../access-log/service.ts';
import type { RequestOrigin } from '../../../identity/owner/service.ts';
import { failureUrlOf, allowedRedirect, escapeInvisible, addParameters, type LoginProblem } from './rules.ts';
import { createDebitProposal } from '../debit-proposal.ts';
import type { ApplicationService } from '../service.ts';

export type LoginParameters = { name: string | undefined; redirect: string | undefined; fallback: string | undefined };

/** Sign-in to an application with this PDA (docs/decisions.md, section 3). */
export type LoginService = ReturnType<typeof createLoginService>;

export type LoginParts = {
  applications: Pick<ApplicationService, 'ownerFind' | 'publicDescription' | 'setUp' | 'issueAccessToken'>;
  debits: Pick<DebitService, 'isGranted'>;
  ledger: Pick<AccessLogService, 'write'>;
  /** Any web page can start sign-ins in the owner's browser, so equal refusals share an entry with a count. */
  recordRefusal: (refusal: AccessLogEntry & { reason: string }) => Promise<void>;
  previewOf: (
    request: ApplicationPreviewRequest & {
      requestedBundle: NamedBundle;
      conditions: NamedBundle | null;
      narrowing: Narrowing | undefined;
    },
  ) => Promise<AsyncGenerator<string>>;
  clock: Clock;
  log: Log;
};

export const createLoginService = (parts: LoginParts) => {
  const { applications, debits, ledger, clock, log } = parts;

  const find = async (name: string): Promise<OwnerApplication | undefined> => {
    try {
      return await applications.ownerFind(name, false);
    } catch (error) {
      return ignoreFailures('not_found')(error);
    }
  };

  /**
   * Returns true if the owner's approval covers the current request. The service of the application need not be
   * available, because many services respond only after a sign-in.
   */
  const isReady = ({ item, approved, debitKey }: OwnerApplication): boolean =>
    approved !== null &&
    item.enabled &&
    item.needsUpdating !== true &&
    (approved.data === null || (debitKey !== null && debits.isGranted(debitKey, approved.data.name)));

  const entryOf = ({ item }: OwnerApplication, status: number, from: RequestOrigin): AccessLogEntry => ({
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

  const logLogin = async (application: OwnerApplication, from: RequestOrigin): Promise<void> => {
    const { id, info } = application.item.application;
    const detail = application.approved?.version ?? info.version;
    await ledger.write({ ...entryOf(application, 200, from), consent: { kind: 'application', name: id, detail } });
  };

  const recordRefusal = async (application: OwnerApplication, redirect: string, from: RequestOrigin): Promise<void> => {
    const { id } = application.item.application;
    // Only the host is logged, because the URL can contain the application's token.
    log.warn(
      { application: id, host: URL.parse(redirect)?.host ?? null },
      'a sign-in was refused: its redirect URL is not registered',
    );
    await parts.recordRefusal({ ...entryOf(application, 403, from), reason: 'redirect_not_registered' });
  };

  const refuse = (
    problem: LoginProblem,
    parameters: LoginParameters,
    application: OwnerApplication | null = null,
  ): LoginRequest => ({
    state: 'refused',
    application,
    redirect: escapeInvisible(parameters.redirect ?? ''),
    registered: application?.addresses ?? [],
    reason: problem,
    failureUrl: application === null ? null : (failureUrlOf(application.item.application, parameters, problem) ?? null),
  });

  return {
    /** Checks a sign-in request. Logs a request whose redirect URL is not registered. */
    async checkRequest(parameters: LoginParameters, from: RequestOrigin): Promise<LoginRequest> {
      if (parameters.name === undefined)
        return refuse('application_misconfigured/application_id_is_required', parameters);
      const application = await find(parameters.name);
      if (application === undefined) return refuse('application_misconfigured/application_id_not_found', parameters);
      if (parameters.redirect === undefined) {
        return refuse('application_misconfigured/redirect_is_required', parameters, application);
      }
      const definition = application.item.application;
      const redirect = allowedRedirect(definition, parameters.redirect);
      if (redirect === undefined) {
        await recordRefusal(application, parameters.redirect, from);
        // The page that chose this URL also chose the fallback, so neither receives a redirect.
        const withoutFallback = { ...parameters, fallback: undefined };
        return refuse('application_misconfigured/redirect_not_registered', withoutFallback, application);
      }
      return {
        state: isReady(application) ? 'ready' : 'consent',
        application,
        redirect,
        registered: application.addresses,
        reason: null,
        failureUrl: failureUrlOf(definition, parameters, 'access_denied/user_cancelled') ?? null,
      };
    },

    /**
     * Returns the redirect URL with a new token. If the approval names a version, sets that version up first. Repeats
     * all checks of `checkRequest`.
     * @throws Failure not_found | forbidden | invalid_input | wrong_state, or a failure of the set-up
     */
    async login(
      { name, redirect, version, edition, narrowing }: LoginApproval,
      from: RequestOrigin,
      session: string | undefined,
    ): Promise<{ url: string }> {
      const requestedApplication = await applications.ownerFind(name, false);
      const { id } = requestedApplication.item.application;
      const target = allowedRedirect(requestedApplication.item.application, redirect);
      if (target === undefined) {
        await recordRefusal(requestedApplication, redirect, from);
        throw new Failure(
          'forbidden',
          'This redirect URL is not registered for the application. The sign-in was refused.',
          {
            details: [{ path: 'body.redirect', problem: 'not registered' }],
          },
        );
      }
      if (version !== undefined) await applications.setUp(id, { version, edition, narrowing, session });
      else if (narrowing !== undefined) {
        throw new Failure('invalid_input', 'A narrowing needs the version to which it applies.');
      } else if (!isReady(requestedApplication)) {
        throw new Failure('wrong_state', 'The owner must approve this application first. The sign-in was refused.');
      }
      const currentApplication = version === undefined ? requestedApplication : await applications.ownerFind(id, false);
      // Checked again, because the set-up may have used a newer definition than the reviewed definition.
      if (allowedRedirect(currentApplication.item.application, redirect) !== target || !isReady(currentApplication)) {
        throw new Failure('wrong_state', 'The application has changed in the meantime. Start the sign-in again.');
      }
      const { accessToken } = await applications.issueAccessToken(id, from);
      await logLogin(currentApplication, from);
      return { url: addParameters(target, { token: accessToken }) };
    },

    /** Returns a `SharingPreview` as JSON. @throws Failure not_found | invalid_input | query_limit_exceeded */
    async preview(id: string, { narrowing, skip, take }: ApplicationPreviewRequest): Promise<AsyncGenerator<string>> {
      const proposal = createDebitProposal(applications.publicDescription(id, true), clock.now());
      if (proposal === undefined) throw new Failure('not_found', 'This application requests no data.');
      const { bundle: requestedBundle, conditions = null } = proposal;
      return parts.previewOf({ requestedBundle, conditions, narrowing, skip, take });
    },
  };
};
