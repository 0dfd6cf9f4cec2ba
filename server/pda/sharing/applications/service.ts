import { hash } from 'node:crypto';
import type { z } from 'zod';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { hasScope, type Principal, type Scope } from '../../../platform/auth/principal.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type {
  Application,
  ApplicationItem,
  applicationViewSchema,
  OwnerApplication,
} from '../../../wire/applications.ts';
import type { Narrowing } from '../../../wire/debits.ts';
import type { EndpointSummary } from '../../../wire/owner.ts';
import type { ApprovedContract, ContractService } from '../contracts/service.ts';
import type { DebitService } from '../debits/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { From, OwnerService, SignedIn } from '../../identity/owner/service.ts';
import type { Review, ReviewService } from '../reviews/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { Catalogue } from './catalogue.ts';
import { createCheckTokens } from './status/check-tokens.ts';
import { sameJson } from './status/version-comparison.ts';
import { returnAddresses } from './login/rules.ts';
import { proposalOf } from './debit-proposal.ts';
import { asPrincipal, dataOf, debitKeyOf, keyOf, rightsOfRoles, scopesOfRoles } from './rules.ts';
import { createStanding, type Known } from './status/application-status.ts';
import { createStatusChecks } from './status/service-checks.ts';
import type { ApplicationStore, Approval } from './store.ts';

export type ApplicationView = z.infer<typeof applicationViewSchema>;

/** What the owner was shown when they approved an application. */
export type SetUpApproval = {
  version?: string | undefined;
  /** Identifies the published definition exactly; a maker can publish another one under the same version. */
  edition?: string | undefined;
  narrowing?: Narrowing | undefined;
  /** The owner session that approves. */
  session?: string | undefined;
};

/** What other rooms may ask about applications. */
export type ApplicationService = {
  /** Scopes of the rights that the owner approved; undefined when it is not set up, or disabled. Asked for each call. */
  scopesOf(application: string): ReadonlySet<Scope> | undefined;
  /** An application of kind Contract as the owner approved it last; undefined when it never was one. */
  contractOf(id: string): ApprovedContract | undefined;
  /** @throws Failure not_found */
  find(id: string): Promise<ApplicationItem>;
  list(): Promise<ApplicationItem[]>;
  /** @throws Failure not_found */
  /** @param isKnown false for anonymous callers: they see what the exchange published, and not what config.json lists. @throws Failure not_found */
  publicDescription(id: string, isKnown: boolean): Application;
  /**
   * Everything, or nothing. `approval` names what the owner was shown, and how much less they give.
   * @throws Failure not_found | wrong_state, or what the Data Debit is refused for
   */
  setUp(id: string, approval?: SetUpApproval): Promise<ApplicationItem>;
  /** Records that a response shows these applications, as published now, to the owner session that calls. */
  recordReviews(principal: Principal, shown: readonly Application[]): Promise<void>;
  /** Ends its Data Debits and sessions at once. @throws Failure not_found */
  disable(id: string): Promise<ApplicationItem>;
  /** @throws Failure not_found | forbidden */
  accessToken(id: string, from: From): Promise<SignedIn>;
  ownerList(): Promise<OwnerApplication[]>;
  /** @param wait false: its service is not waited for (`active` is as of the last check). @throws Failure not_found */
  ownerFind(id: string, wait?: boolean): Promise<OwnerApplication>;
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
  /** Hears in the transaction of it that a contract is joined or left. */
  contracts: Pick<ContractService, 'joinWithin' | 'leaveWithin'>;
  reviews: ReviewService;
  debits: Pick<DebitService, 'agreeWithin' | 'disableWithin' | 'isRunning' | 'ofApplication' | 'find'>;
  /** What is here, by endpoint. */
  endpoints: () => EndpointSummary[];
  /** Unix milliseconds of the newest record of an endpoint; null when there is none. */
  newestAt: (endpoint: string) => number | null;
  fetch: SafeFetch;
  /** host[:port] by which others reach this PDA. */
  ownHost: () => string;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  clock: Clock;
  log: Log;
};

const notSetUp = (): Failure =>
  new Failure('forbidden', 'This application is not set up, or it is disabled. Set it up first.');

const isContract = (application: Application): boolean => application.kind.kind === 'Contract';

const editionOf = (application: Application): string => hash('sha256', JSON.stringify(application), 'base64url');

/** The version of an application that setting it up would approve. Ids are matched without case. */
const reviewOf = (application: Application): Review => ({
  subject: `application:${keyOf(application.id)}`,
  version: editionOf(application),
});

export const createApplicationService = (parts: ApplicationParts): ApplicationService => {
  const { store, catalogue, owner, contracts, debits, reviews, writer, events, clock, log } = parts;

  const tell = (tx: Transaction): void => events.tell(tx, 'applications');
  const tellLater = (): void => {
    writer.write(tell).catch((error: unknown) => log.warn({ err: error }, 'a change of applications was not told'));
  };
  const ignoreCatalogue = catalogue.onChange(tellLater);

  const startSession = (application: { id: string; version: string }, from: From) =>
    owner.applicationToken(application, from, (tx) => {
      // In the transaction that starts it: a session that began while the application was being disabled would outlive that.
      if (store.findWithin(tx, application.id)?.enabled !== true) throw notSetUp();
    });
  const { isSessionAlive } = owner;
  const checkTokens = createCheckTokens({
    start: startSession,
    isSessionAlive,
    hostFor: (id) => owner.applicationIssuer(id) ?? parts.ownHost(),
    clock,
  });
  const checks = createStatusChecks({
    fetch: parts.fetch,
    tokenFor: (id) => {
      const approval = store.find(id);
      if (approval?.enabled !== true) throw notSetUp();
      return checkTokens.tokenFor(approval);
    },
    clock,
    log,
    onChange: tellLater,
  });
  const standing = createStanding({ store, debits, checks, newestAt: parts.newestAt, originOf: catalogue.originOf });

  const unknown = (id: string): Failure =>
    new Failure('not_found', `There is no application ${id} in the lists that this PDA knows.`);

  const published = (id: string): Application => {
    const application = catalogue.find(id);
    if (application === undefined) throw unknown(id);
    return application;
  };

  const lookUp = (id: string): Known => {
    const approval = store.find(id);
    // What holds rights here is shown, and can be disabled, also when it is published no more.
    const application = catalogue.find(id) ?? (approval?.enabled === true ? approval.definition : undefined);
    if (application === undefined) throw unknown(id);
    return { application, approval };
  };

  const all = (): Known[] => {
    const listed = catalogue.list().map(({ id }) => id);
    const keys = new Set(listed.map(keyOf));
    const unlisted = store.list().filter(({ id, enabled }) => enabled && !keys.has(keyOf(id)));
    return [...listed, ...unlisted.map(({ id }) => id)].map(lookUp);
  };

  /** Scopes by approval: worked out once for each. */
  const scopes = new WeakMap<Approval, ReadonlySet<Scope>>();
  const scopesOf = (id: string): ReadonlySet<Scope> | undefined => {
    const approval = store.find(id);
    if (approval?.enabled !== true) return undefined;
    let known = scopes.get(approval);
    if (known === undefined) {
      known = scopesOfRoles(approval.definition.permissions.rolesGranted);
      scopes.set(approval, known);
    }
    return known;
  };

  /** Contracts by approval: asked for at each contracted call. */
  const contractsFrom = new WeakMap<Approval, ApprovedContract>();
  const contractFrom = (approval: Approval): ApprovedContract => {
    const known = contractsFrom.get(approval);
    if (known !== undefined) return known;
    const { id, enabled, definition } = approval;
    const { info, developer, permissions } = definition;
    const found = {
      id,
      enabled,
      name: info.name,
      description: info.description.text,
      developer: developer?.name ?? '',
      scopes: scopesOfRoles(permissions.rolesGranted),
    };
    contractsFrom.set(approval, found);
    return found;
  };

  const setUpWithin = (tx: Transaction, application: Application, narrowing: Narrowing | undefined): void => {
    const row = store.findWithin(tx, application.id);
    // An id keeps the case in which it was set up first: its Data Debit and its sessions go by it.
    const id = row?.id ?? application.id;
    if (isContract(application)) contracts.joinWithin(tx, id);
    else contracts.leaveWithin(tx, id);
    if (application.kind.kind === 'Data Plug') tx.afterCommit(catalogue.connected);
    const runs = row?.enabled === true && standing.dataRuns(row) && narrowing === undefined;
    const origin = catalogue.originOf(application.id);
    if (runs && sameJson(row.definition, application) && row.origin === origin) return;
    // The same id in another list is a different application, possibly with more rights: it must not inherit open sessions.
    if (row !== undefined && row.origin !== origin) owner.endApplicationSessions(tx, id);
    const proposal = proposalOf({ ...application, id }, clock.now());
    // While the same data is asked for, what the owner made less of stays less.
    const staysLess =
      runs &&
      sameJson(dataOf(row.definition), dataOf(application)) &&
      !sameJson(dataOf(row.definition), standing.sharedData(row));
    if (proposal === undefined) debits.disableWithin(tx, debitKeyOf(id));
    else if (!staysLess) debits.agreeWithin(tx, debitKeyOf(id), proposal, { kind: 'application', name: id }, narrowing);
    const { version } = application.info;
    store.approve(tx, { id, version, definition: application, approved: clock.now(), origin });
    tell(tx);
  };

  const disableWithin = (tx: Transaction, id: string): void => {
    if (store.findWithin(tx, id)?.enabled !== true) return;
    // All of them, whatever their state: one may have been enabled a moment ago, in this very transaction.
    for (const { dataDebitKey } of debits.ofApplication(id)) debits.disableWithin(tx, dataDebitKey);
    owner.endApplicationSessions(tx, id);
    contracts.leaveWithin(tx, id);
    store.disable(tx, id);
    tell(tx);
  };

  const ownerViewOf = async (
    known: Known,
    sessions: ReturnType<OwnerService['applicationSessions']>,
    wait = true,
  ): Promise<OwnerApplication> => {
    const { application, approval } = known;
    const item = await standing.itemOf(known, wait);
    const given = approval?.enabled === true ? approval : undefined;
    const outcome = standing.lastOutcome(known);
    const seen = sessions.get(approval?.id ?? application.id);
    return {
      item,
      edition: editionOf(application),
      asks: rightsOfRoles(application.permissions.rolesGranted),
      asksData: dataOf(application),
      approved:
        given === undefined
          ? null
          : {
              version: given.version,
              time: isoTime(given.approved),
              rights: rightsOfRoles(given.definition.permissions.rolesGranted),
              data: standing.sharedData(given),
            },
      debitKey: approval === undefined || dataOf(approval.definition) === null ? null : debitKeyOf(approval.id),
      sessions: seen?.sessions ?? 0,
      lastSeen: seen === undefined ? null : isoTime(seen.lastSeen),
      addresses: returnAddresses(application),
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
    find: async (id) => standing.itemOf(lookUp(id)),
    async list() {
      await catalogue.refresh();
      return Promise.all(all().map((known) => standing.itemOf(known)));
    },

    publicDescription(id, isKnown) {
      const application = published(id);
      if (!isKnown && catalogue.originOf(id) === '') throw unknown(id);
      // The callback URL is known only to the PDA and the application.
      return { ...application, info: { ...application.info, callbackUrl: undefined } };
    },

    async setUp(id, { version, edition, narrowing, session } = {}) {
      const application = published(id);
      const current = application.info.version;
      if (version !== undefined && version !== current) {
        const reason = `Version ${current} was published meanwhile. Review what it asks for. Nothing was changed.`;
        throw new Failure('wrong_state', reason);
      }
      const review = reviewOf(application);
      await writer.write((tx) => {
        reviews.requireReviewed(tx, review.subject, review.version, { session, version: edition });
        setUpWithin(tx, application, narrowing);
        reviews.recordWithin(tx, session, review);
      });
      // "Status refreshed": the service's status from before the new set-up is outdated.
      checks.forget(id);
      return standing.itemOf(lookUp(id));
    },

    recordReviews: (principal, shown) => reviews.record(principal, shown.map(reviewOf)),

    async disable(id) {
      const { application, approval } = lookUp(id);
      if (approval !== undefined) await writer.write((tx) => disableWithin(tx, approval.id));
      checks.forget(id);
      return standing.itemOf({ application, approval: store.find(id) });
    },

    async accessToken(id, from) {
      const { approval } = lookUp(id);
      if (approval?.enabled !== true) throw notSetUp();
      const { accessToken, userId } = await startSession(approval, from);
      return { accessToken, userId };
    },

    async ownerList() {
      await catalogue.refresh();
      const sessions = owner.applicationSessions();
      return Promise.all(all().map((known) => ownerViewOf(known, sessions)));
    },
    ownerFind: async (id, wait) => ownerViewOf(lookUp(id), owner.applicationSessions(), wait),

    view(id) {
      const { approval } = lookUp(id);
      const caller = asPrincipal(id, scopesOf(id) ?? new Set());
      const hidden = { endpoints: 0, records: 0 };
      const reached: ApplicationView['endpoints'] = [];
      for (const { endpoint, records } of parts.endpoints()) {
        const namespace = endpoint.slice(0, endpoint.indexOf('/'));
        const read = hasScope(caller, `records:read:${namespace}`);
        const write = hasScope(caller, `records:write:${namespace}`);
        if (read || write) reached.push({ endpoint, records, read, write });
        else {
          hidden.endpoints += 1;
          hidden.records += records;
        }
      }
      return { endpoints: reached, hidden, debits: approval === undefined ? [] : debits.ofApplication(approval.id) };
    },

    close() {
      ignoreCatalogue();
      checks.close();
    },
  };
};
