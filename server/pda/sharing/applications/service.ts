import { hash } from 'node:crypto';
import type { z } from 'zod';
import { isoTime, isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { isSameJson } from '../../../platform/json/equality.ts';
import type { Log } from '../../../platform/log.ts';
import { hasScope, type Principal, type Scope } from '../../../platform/auth/principal.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type {
  Application,
  ApplicationItem,
  applicationViewSchema,
  OwnerApplication,
} from '../../../wire/applications.ts';
import { namespaceOf } from '../../../wire/display-name.ts';
import type { Narrowing } from '../../../wire/debits.ts';
import type { ApprovedContract, ContractService } from '../contracts/service.ts';
import type { DebitService } from '../debits/service.ts';
import type { EndpointStore } from '../../core/endpoint-store.ts';
import type { EventService } from '../../core/events/service.ts';
import type { RequestOrigin, OwnerService, SignedIn } from '../../identity/owner/service.ts';
import type { Review, ReviewService } from '../reviews/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { Catalogue } from './catalogue.ts';
import { createCheckTokens } from './status/check-tokens.ts';
import { redirectUrlsOf } from './login/rules.ts';
import { createDebitProposal } from './debit-proposal.ts';
import { toPrincipal, dataOf, debitKeyOf, keyOf, rightsOfRoles, scopesOfRoles } from './rules.ts';
import { createApplicationStatus, type KnownApplication } from './status/application-status.ts';
import { createStatusChecks } from './status/service-checks.ts';
import type { ApplicationStore, Approval } from './store.ts';

export type ApplicationView = z.infer<typeof applicationViewSchema>;

type SetUpApproval = {
  version?: string | undefined;
  /** Identifies the reviewed definition, because a developer can publish several definitions with the same version. */
  edition?: string | undefined;
  narrowing?: Narrowing | undefined;
  session?: string | undefined;
};

export type ApplicationService = {
  /** Returns undefined if the application is not set up or is disabled. */
  scopesOf(application: string): ReadonlySet<Scope> | undefined;
  /** Returns the contract as last approved; undefined if it was never set up, or if it is not a contract. */
  contractOf(id: string): ApprovedContract | undefined;
  /** @throws Failure not_found */
  find(id: string): Promise<ApplicationItem>;
  list(): Promise<ApplicationItem[]>;
  /** @param isAuthenticated if false, applications of config.json are hidden @throws Failure not_found */
  publicDescription(id: string, isAuthenticated: boolean): Application;
  /**
   * Approves everything that an application requests, or nothing if a part fails. `narrowing` limits the shared data.
   * @throws Failure not_found | wrong_state, or a failure of the Data Debit
   */
  setUp(id: string, approval?: SetUpApproval): Promise<ApplicationItem>;
  /** Records that these definitions were shown in the caller's owner session. */
  recordReviews(principal: Principal, definitions: readonly Application[]): Promise<void>;
  /** Ends the application's Data Debits, sessions and contract membership immediately. @throws Failure not_found */
  disable(id: string): Promise<ApplicationItem>;
  /** Starts a session of an enabled application. @throws Failure not_found | forbidden */
  issueAccessToken(id: string, from: RequestOrigin): Promise<SignedIn>;
  ownerList(): Promise<OwnerApplication[]>;
  /** @param shouldWait default: true. If false, does not wait for a status check @throws Failure not_found */
  ownerFind(id: string, shouldWait?: boolean): Promise<OwnerApplication>;
  /** @throws Failure not_found */
  view(id: string): ApplicationView;
  close(): void;
};

export type ApplicationParts = {
  store: ApplicationStore;
  catalogue: Catalogue;
  owner: Pick<
    OwnerService,
    'applicationToken' | 'endApplicationSessions' | 'applicationSessions' | 'applicationIssuer' | 'isSessionAlive'
  >;
  contracts: Pick<ContractService, 'joinWithin' | 'leaveWithin'>;
  reviews: ReviewService;
  debits: Pick<
    DebitService,
    'proposeAndApproveWithin' | 'disableWithin' | 'isRunning' | 'isGranted' | 'listByApplication' | 'find'
  >;
  lastRequests: () => ReadonlyMap<string, number>;
  endpoints: Pick<EndpointStore, 'list'>;
  /** Returns the time of an endpoint's newest record in Unix milliseconds; null if there is none. */
  newestAt: (endpoint: string) => number | null;
  fetch: SafeFetch;
  ownHost: () => string;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  log: Log;
};

type ApplicationUsage = {
  sessions: ReturnType<OwnerService['applicationSessions']>;
  lastRequests: ReadonlyMap<string, number>;
};

const notSetUp = (): Failure =>
  new Failure('forbidden', 'This application is not set up, or it is disabled. Set it up first.');

const isContract = (application: Application): boolean => application.kind.kind === 'Contract';

const editionOf = (application: Application): string => hash('sha256', JSON.stringify(application), 'base64url');

/** Identifies the definition that a set-up would approve. Ids are case-insensitive. */
const reviewOf = (application: Application): Review => ({
  subject: `application:${keyOf(application.id)}`,
  version: editionOf(application),
});

export const createApplicationService = (parts: ApplicationParts): ApplicationService => {
  const { store, catalogue, owner, contracts, debits, reviews, writer, events, clock, log } = parts;

  const notify = (tx: Transaction): void => events.notify(tx, 'applications');
  const notifyAsync = (): void => {
    writer
      .write(notify)
      .catch((error: unknown) => log.warn({ err: error }, 'could not send the change event of the applications'));
  };
  const unsubscribeCatalogue = catalogue.onChange(notifyAsync);

  const startSession = (application: { id: string; version: string }, from: RequestOrigin) =>
    owner.applicationToken(application, from, (tx) => {
      // Checked in the transaction that starts the session, so that no session outlives the approval if the owner
      // disables the application concurrently.
      if (store.findWithin(tx, application.id)?.enabled !== true) throw notSetUp();
    });
  const checkTokens = createCheckTokens({
    startSession,
    isSessionAlive: owner.isSessionAlive,
    hostFor: (id) => owner.applicationIssuer(id) ?? parts.ownHost(),
    clock,
  });
  const checks = createStatusChecks({
    ...parts,
    tokenFor: (id) => {
      const approval = store.find(id);
      if (approval?.enabled !== true) throw notSetUp();
      return checkTokens.tokenFor(approval);
    },
    onChange: notifyAsync,
  });
  const applicationStatus = createApplicationStatus({ ...parts, checks, originOf: catalogue.originOf });

  const notFound = (id: string): Failure => new Failure('not_found', `This PDA has no application with the id ${id}.`);

  const findPublished = (id: string): Application => {
    const application = catalogue.find(id);
    if (application === undefined) throw notFound(id);
    return application;
  };

  const findKnown = (id: string): KnownApplication => {
    const approval = store.find(id);
    // An enabled application stays listed even if it is not published, so that it can be disabled.
    const application = catalogue.find(id) ?? (approval?.enabled === true ? approval.definition : undefined);
    if (application === undefined) throw notFound(id);
    return { application, approval };
  };

  const listKnown = (): KnownApplication[] => {
    const listedIds = catalogue.list().map(({ id }) => id);
    const keys = new Set(listedIds.map(keyOf));
    const unlistedApprovals = store.list().filter(({ id, enabled }) => enabled && !keys.has(keyOf(id)));
    return [...listedIds, ...unlistedApprovals.map(({ id }) => id)].map(findKnown);
  };

  const scopesCache = new WeakMap<Approval, ReadonlySet<Scope>>();
  const scopesOf = (id: string): ReadonlySet<Scope> | undefined => {
    const approval = store.find(id);
    if (approval?.enabled !== true) return undefined;
    let scopes = scopesCache.get(approval);
    if (scopes === undefined) {
      scopes = scopesOfRoles(approval.definition.permissions.rolesGranted);
      scopesCache.set(approval, scopes);
    }
    return scopes;
  };

  /** Cached, because each request under a contract reads it. */
  const contractCache = new WeakMap<Approval, ApprovedContract>();
  const contractFrom = (approval: Approval): ApprovedContract => {
    const cachedContract = contractCache.get(approval);
    if (cachedContract !== undefined) return cachedContract;
    const { id, enabled, definition } = approval;
    const { info, developer, permissions } = definition;
    const contract = {
      id,
      enabled,
      name: info.name,
      description: info.description.text,
      developer: developer?.name ?? '',
      scopes: scopesOfRoles(permissions.rolesGranted),
    };
    contractCache.set(approval, contract);
    return contract;
  };

  /** Ends the Data Debits and sessions of an application. */
  const endAccess = (tx: Transaction, id: string): void => {
    // Includes Data Debits in all states, because this transaction may have enabled one.
    for (const { dataDebitKey } of debits.listByApplication(id)) debits.disableWithin(tx, dataDebitKey);
    owner.endApplicationSessions(tx, id);
  };

  const setUpWithin = (tx: Transaction, application: Application, narrowing: Narrowing | undefined): void => {
    const row = store.findWithin(tx, application.id);
    // Keeps the spelling of the first set-up, which the Data Debit and the sessions of the application contain.
    const id = row?.id ?? application.id;
    if (isContract(application)) contracts.joinWithin(tx, id);
    else contracts.leaveWithin(tx, id);
    if (application.kind.kind === 'Data Plug') tx.afterCommit(catalogue.refreshPlugs);
    const origin = catalogue.originOf(application.id);
    const isUnchanged =
      row?.enabled === true &&
      row.origin === origin &&
      narrowing === undefined &&
      applicationStatus.isDataGranted(row) &&
      isSameJson(row.definition, application);
    if (isUnchanged) return;
    // The same id in another catalogue is a different application. It must not inherit consents, and sessions of the
    // previous application must not get its rights.
    if (row !== undefined && row.origin !== origin) endAccess(tx, id);
    const proposal = createDebitProposal({ ...application, id }, clock.now());
    if (proposal === undefined) debits.disableWithin(tx, debitKeyOf(id));
    else debits.proposeAndApproveWithin(tx, debitKeyOf(id), proposal, { kind: 'application', name: id }, narrowing);
    const { version } = application.info;
    store.approve(tx, { id, version, definition: application, approved: clock.now(), origin });
    notify(tx);
  };

  const disableWithin = (tx: Transaction, id: string): void => {
    if (store.findWithin(tx, id)?.enabled !== true) return;
    endAccess(tx, id);
    contracts.leaveWithin(tx, id);
    store.disable(tx, id);
    notify(tx);
  };

  const currentUsage = (): ApplicationUsage => ({
    sessions: owner.applicationSessions(),
    lastRequests: parts.lastRequests(),
  });

  const ownerViewOf = async (
    entry: KnownApplication,
    { sessions, lastRequests }: ApplicationUsage,
    shouldWait = true,
  ): Promise<OwnerApplication> => {
    const { application, approval } = entry;
    const item = await applicationStatus.itemOf(entry, shouldWait);
    const enabledApproval = approval?.enabled === true ? approval : undefined;
    const outcome = applicationStatus.lastOutcome(entry);
    const sessionSummary = sessions.get(approval?.id ?? application.id);
    const lastRequest = lastRequests.get(approval?.id ?? application.id);
    return {
      item,
      edition: editionOf(application),
      asks: rightsOfRoles(application.permissions.rolesGranted),
      asksData: dataOf(application),
      approved:
        enabledApproval === undefined
          ? null
          : {
              version: enabledApproval.version,
              time: isoTime(enabledApproval.approved),
              rights: rightsOfRoles(enabledApproval.definition.permissions.rolesGranted),
              data: applicationStatus.sharedData(enabledApproval),
            },
      debitKey: approval === undefined || dataOf(approval.definition) === null ? null : debitKeyOf(approval.id),
      sessions: sessionSummary?.sessions ?? 0,
      // From the access log, as for contracts, so that all pages show the same time.
      lastSeen: isoTimeOrNull(lastRequest),
      addresses: redirectUrlsOf(application),
      status:
        outcome === undefined ? null : { ok: outcome.ok, problem: outcome.problem, checked: isoTime(outcome.checked) },
    };
  };

  return {
    scopesOf,
    contractOf(id) {
      const approval = store.find(id);
      return approval === undefined || !isContract(approval.definition) ? undefined : contractFrom(approval);
    },
    find: async (id) => applicationStatus.itemOf(findKnown(id)),
    async list() {
      await catalogue.refresh();
      return Promise.all(listKnown().map((entry) => applicationStatus.itemOf(entry)));
    },

    publicDescription(id, isAuthenticated) {
      const application = findPublished(id);
      if (!isAuthenticated && catalogue.originOf(id) === '') throw notFound(id);
      // Only the PDA needs the callback URL.
      return { ...application, info: { ...application.info, callbackUrl: undefined } };
    },

    async setUp(id, { version, edition, narrowing, session } = {}) {
      const application = findPublished(id);
      const currentVersion = application.info.version;
      if (version !== undefined && version !== currentVersion) {
        const reason = `Version ${currentVersion} has been published since. Review it first. Nothing was changed.`;
        throw new Failure('wrong_state', reason);
      }
      const review = reviewOf(application);
      await writer.write((tx) => {
        reviews.requireReviewed(tx, review.subject, review.version, { session, version: edition });
        setUpWithin(tx, application, narrowing);
        reviews.recordWithin(tx, session, review);
      });
      // A status check from before the set-up is outdated.
      checks.forget(id);
      return applicationStatus.itemOf(findKnown(id));
    },

    recordReviews: (principal, definitions) => reviews.record(principal, definitions.map(reviewOf)),

    async disable(id) {
      const { application, approval } = findKnown(id);
      if (approval !== undefined) await writer.write((tx) => disableWithin(tx, approval.id));
      checks.forget(id);
      return applicationStatus.itemOf({ application, approval: store.find(id) });
    },

    async issueAccessToken(id, from) {
      const { approval } = findKnown(id);
      if (approval?.enabled !== true) throw notSetUp();
      const { accessToken, userId } = await startSession(approval, from);
      return { accessToken, userId };
    },

    async ownerList() {
      await catalogue.refresh();
      const usage = currentUsage();
      return Promise.all(listKnown().map((entry) => ownerViewOf(entry, usage)));
    },
    ownerFind: async (id, shouldWait) => ownerViewOf(findKnown(id), currentUsage(), shouldWait),

    view(id) {
      const { approval } = findKnown(id);
      const principal = toPrincipal(id, scopesOf(id) ?? new Set());
      const hidden = { endpoints: 0, records: 0 };
      const reachableEndpoints: ApplicationView['endpoints'] = [];
      for (const { path: endpoint, records } of parts.endpoints.list()) {
        const namespace = namespaceOf(endpoint);
        const read = hasScope(principal, `records:read:${namespace}`);
        const write = hasScope(principal, `records:write:${namespace}`);
        if (read || write) reachableEndpoints.push({ endpoint, records, read, write });
        else {
          hidden.endpoints += 1;
          hidden.records += records;
        }
      }
      return {
        endpoints: reachableEndpoints,
        hidden,
        debits: approval === undefined ? [] : debits.listByApplication(approval.id),
      };
    },

    close() {
      unsubscribeCatalogue();
      checks.close();
    },
  };
};
