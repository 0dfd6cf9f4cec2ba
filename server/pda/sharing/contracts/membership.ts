import { z } from 'zod';
import { backoffMsOf, isTimeDue } from '../../../platform/async/backoff.ts';
import { isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { signPdaToken } from '../../../platform/auth/pda-token.ts';
import type { SafeFetch, SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { contractSchema } from '../../../wire/contracts.ts';
import { errorBodySchema } from '../../../wire/errors.ts';
import type { OwnerContract } from '../../../wire/network.ts';
import type { EventService } from '../../core/events/service.ts';
import type { PrincipalSummary } from '../access-log/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { namespacesOf, verdictOf } from './rules.ts';
import type { ApprovedContract, ContractService } from './service.ts';
import type { ContractStore, MemberRow, Registration } from './store.ts';

export type MembershipParts = {
  store: ContractStore;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  safeFetch: SafeFetch;
  keys: () => readonly SigningKey[];
  /** Returns the URL without a trailing slash; undefined if no contracts service is configured. */
  contractsUrl: () => string | undefined;
  /** Returns the host[:port] under which others reach this PDA; undefined if there is none. */
  publicAddress: () => string | undefined;
  /** Returns the public host[:port], or a local one if there is no public address. */
  address: () => string;
  pdaName: () => string;
  approvedContract: (id: string) => ApprovedContract | undefined;
  disable: (id: string) => Promise<unknown>;
  usageOf: (contract: string) => PrincipalSummary;
  clock: Clock;
  log: Log;
  random?: () => number;
};

const REQUEST_TIMEOUT_MS = 15_000;
const RESPONSE_MAX_BYTES = 100_000;
const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 3_600_000;
/** Limits timers, so that requests are sent soon after the machine wakes from sleep. */
const MAX_TIMER_MS = 60_000;
const MIN_TIMER_MS = 1000;
/** Period in which the departure report is retried. After it, the membership is deleted without a report. */
const LEAVE_RETRY_PERIOD_MS = 30 * 86_400_000;
const MAX_PROBLEM_CHARS = 300;
const NO_ADDRESS = 'This PDA has no public address yet, so the contracts service cannot reach it.';

const descriptionSchema = z.pipe(
  z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  }),
  contractSchema,
);

const firstNonEmpty = (...texts: (string | undefined)[]): string =>
  texts.find((text) => text !== undefined && text !== '') ?? '';

const causeOf = (response: Extract<SafeFetchResult, { ok: true }>): string => {
  try {
    const body = errorBodySchema.safeParse(JSON.parse(response.body.toString()));
    if (body.success) return body.data.cause.slice(0, MAX_PROBLEM_CHARS);
  } catch {
    // The body is not JSON, so the status code is used.
  }
  return `The contracts service answered ${response.status}.`;
};

/** Joining and leaving take effect locally at once, and are reported to the contracts service with retries. */
export const createMembership = (parts: MembershipParts): ContractService => {
  const { store, writer, events, clock, log, random = Math.random } = parts;
  let timer: NodeJS.Timeout | undefined;
  let currentRun: Promise<void> | undefined;
  let isRerunRequested = false;
  let isStarted = false;
  let isClosed = false;
  const abortController = new AbortController();

  const notify = (tx: Transaction): void => events.notify(tx, 'contracts');

  const currentRegistration = (service: string): Registration => ({
    service,
    name: parts.pdaName(),
    address: parts.address(),
  });

  /** Returns undefined if no service knows this PDA as a member. */
  const registrationOf = ({ service, pda_name: name, address }: MemberRow): Registration | undefined =>
    service === null || name === null ? undefined : { service, name, address: address ?? parts.address() };

  /**
   * Returns true if the service knows this PDA by a previous name or address. Developers would send requests there.
   * Without a public address, the previous one counts, because it may be available again later.
   */
  const hasFormerAddress = (row: MemberRow, service: string | undefined): boolean =>
    row.service === service &&
    row.address !== null &&
    parts.publicAddress() !== undefined &&
    (row.address !== parts.address() || row.pda_name !== parts.pdaName());

  const joinWithin = (tx: Transaction, id: string): void => {
    const row = store.findWithin(tx, id);
    // Joined contracts, and contracts that are being joined, stay unchanged when the set-up is repeated.
    if (row !== undefined && (row.state === 'joined' || row.state === 'joining')) return;
    store.begin(tx, id, 'joining', clock.now());
    notify(tx);
    tx.afterCommit(wake);
  };

  const leaveWithin = (tx: Transaction, id: string): void => {
    const row = store.findWithin(tx, id);
    if (row === undefined || row.state === 'leaving') return;
    // The service does not know this PDA, so it needs no departure report.
    if (row.service === null) store.remove(tx, id, row.turn);
    else store.begin(tx, id, 'leaving', clock.now());
    notify(tx);
    tx.afterCommit(wake);
  };

  const request = async (
    row: MemberRow,
    { service, name, address }: Registration,
    method: 'PUT' | 'DELETE',
  ): Promise<SafeFetchResult> => {
    const key = parts.keys().find((candidate) => !candidate.retired);
    if (key === undefined) throw new Error('this PDA has no active signing key');
    const token = await signPdaToken(
      key,
      { iss: address, sub: name, contract: row.id, resource: new URL(service).host, accessScope: 'contract' },
      clock,
    );
    return parts.safeFetch(`${service}/v1/contracts/${encodeURIComponent(row.id)}/pdas/${encodeURIComponent(name)}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxBytes: RESPONSE_MAX_BYTES,
      signal: abortController.signal,
    });
  };

  /** Stores the published description of a contract. An unusable response does not affect the membership. */
  const fetchDescription = async (service: string, id: string): Promise<void> => {
    const response = await parts.safeFetch(`${service}/v1/contracts/${encodeURIComponent(id)}`, {
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxBytes: RESPONSE_MAX_BYTES,
      signal: abortController.signal,
    });
    const parsed =
      response.ok && response.status === 200 ? descriptionSchema.safeParse(response.body.toString()) : undefined;
    if (parsed?.success !== true || parsed.data.contractId !== id) return;
    await writer.write((tx) => {
      store.setDescription(tx, id, JSON.stringify(parsed.data));
      notify(tx);
    });
  };

  const storeOutcome = async (row: MemberRow, response: SafeFetchResult): Promise<void> => {
    const isLeaving = row.state === 'leaving';
    const verdict = response.ok ? verdictOf(response.status, isLeaving) : 'retry';
    const problem = response.ok ? causeOf(response) : response.cause;
    const now = clock.now();
    const attempts = row.attempts + 1;
    const { id, turn, state } = row;
    const delayMs = backoffMsOf(attempts, { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS, random: random() });
    const outcome = { id, turn, joined: null, attempts, next_attempt: now + delayMs, problem };
    await writer.write((tx) => {
      if (isLeaving && (verdict === 'done' || now - row.since > LEAVE_RETRY_PERIOD_MS)) store.remove(tx, id, turn);
      else if (verdict === 'retry') store.setOutcome(tx, { ...outcome, state });
      else if (verdict === 'refused') store.setOutcome(tx, { ...outcome, state: 'failed' });
      else store.setOutcome(tx, { ...outcome, state: 'joined', joined: now, problem: null });
      notify(tx);
    });
    if (verdict === 'refused')
      log.warn({ contract: id, problem }, 'the contracts service refused to let this PDA join');
  };

  const join = async (row: MemberRow, service: string): Promise<void> => {
    const registration = currentRegistration(service);
    // Stored before the request, so that a departure can be reported even after a crash.
    if (!(await writer.write((tx) => store.setRegistration(tx, row, registration)))) return;
    const response = await request(row, registration, 'PUT');
    if (abortController.signal.aborted) return;
    await storeOutcome(row, response);
    await fetchDescription(service, row.id);
  };

  const leave = async (row: MemberRow): Promise<void> => {
    const registration = registrationOf(row);
    if (registration === undefined) {
      await writer.write((tx) => store.remove(tx, row.id, row.turn));
      return;
    }
    const response = await request(row, registration, 'DELETE');
    if (!abortController.signal.aborted) await storeOutcome(row, response);
  };

  /**
   * Returns true if a request to join or leave is due. Without a public address, the service would refuse this PDA for
   * good, because it requests the key of the PDA there.
   */
  const isDue = (row: MemberRow, service: string | undefined): boolean => {
    const mayJoin = service !== undefined && parts.publicAddress() !== undefined;
    const isPending = row.state === 'leaving' || (row.state === 'joining' && mayJoin);
    return isPending && isTimeDue(row.next_attempt, clock.now(), LONGEST_DELAY_MS);
  };

  /** Begins to join again. Returns false if the owner has left the contract in the meantime. */
  const beginToRejoin = ({ id, turn }: MemberRow): Promise<boolean> =>
    writer.write((tx) => {
      if (store.findWithin(tx, id)?.turn !== turn) return false;
      store.begin(tx, id, 'joining', clock.now());
      return true;
    });

  /** Begins to rejoin contracts that were joined at a previous service, and reports the departure there once. */
  const rejoinAtCurrentService = async (service: string | undefined): Promise<void> => {
    for (const row of store.list()) {
      const registration = registrationOf(row);
      if (row.state !== 'joined' || registration === undefined || registration.service === service) continue;
      if (await beginToRejoin(row)) await request(row, registration, 'DELETE');
    }
  };

  /** Fetches descriptions that could not be fetched when this PDA joined, for example because it was stopped. */
  const fetchMissingDescriptions = async (rows: readonly MemberRow[]): Promise<void> => {
    for (const { id, state, description, service } of rows) {
      if (isClosed) return;
      if (state === 'joined' && description === null && service !== null) await fetchDescription(service, id);
    }
  };

  /**
   * Reports the departure of memberships under a previous name or address, so that this PDA can join under the current
   * one. A report that the service refuses is not repeated: an operator may have removed this PDA.
   */
  const leaveFormerAddresses = async (service: string | undefined): Promise<void> => {
    const isMember = ({ state }: MemberRow): boolean => state === 'joined' || state === 'joining';
    const isAffected = (row: MemberRow): boolean => isMember(row) && hasFormerAddress(row, service);
    for (const row of store.list().filter(isAffected)) if (row.state === 'joined') await beginToRejoin(row);
    for (const row of store.list().filter((candidate) => isAffected(candidate) && isDue(candidate, service))) {
      const registration = registrationOf(row);
      if (isClosed || registration === undefined) return;
      const response = await request(row, registration, 'DELETE');
      if (abortController.signal.aborted) return;
      if (!response.ok || verdictOf(response.status, false) === 'retry') await storeOutcome(row, response);
      else await writer.write((tx) => store.setRegistration(tx, row, undefined));
    }
  };

  const run = async (): Promise<void> => {
    do {
      isRerunRequested = false;
      const service = parts.contractsUrl();
      await rejoinAtCurrentService(service);
      await leaveFormerAddresses(service);
      const rows = store.list();
      const formerRows = new Set(rows.filter((row) => row.state !== 'failed' && hasFormerAddress(row, service)));
      // The service binds a name to one address until all memberships with that address have ended.
      const isNameBound = [...formerRows].some(({ pda_name: name }) => name === parts.pdaName());
      for (const row of rows.filter((candidate) => isDue(candidate, service))) {
        if (isClosed) return;
        if (row.state === 'leaving') await leave(row);
        else if (service !== undefined && !isNameBound && !formerRows.has(row)) await join(row, service);
      }
      await fetchMissingDescriptions(rows);
    } while (isRerunRequested);
  };

  const scheduleNext = (): void => {
    clearTimeout(timer);
    if (isClosed || !store.list().some(({ state }) => state === 'joining' || state === 'leaving')) return;
    const waitsMs = store.list().map((row) => row.next_attempt - clock.now());
    const nextMs = Math.min(...waitsMs.filter((waitMs) => waitMs > 0));
    timer = setTimeout(wake, Math.min(MAX_TIMER_MS, Math.max(MIN_TIMER_MS, nextMs))).unref();
  };

  const wake = (): void => {
    if (!isStarted || isClosed) return;
    if (currentRun !== undefined) {
      isRerunRequested = true;
      return;
    }
    const logError = (error: unknown): void => log.error({ err: error }, 'requests to the contracts service failed');
    currentRun = run()
      .catch(logError)
      .then(() => {
        currentRun = undefined;
        // Requested after the run had checked for it.
        if (isRerunRequested) wake();
        else scheduleNext();
      })
      // `scheduleNext` throws if the database is damaged.
      .catch(logError);
  };

  const descriptionOf = (row: MemberRow | undefined) =>
    row === undefined || row.description === null ? undefined : descriptionSchema.safeParse(row.description).data;
  const nameOf = (id: string): string =>
    firstNonEmpty(descriptionOf(store.find(id))?.name, parts.approvedContract(id)?.name, id);

  const obstacleToJoining = (): string | undefined => {
    if (parts.contractsUrl() === undefined) return 'No contracts service is configured.';
    if (parts.publicAddress() === undefined) return NO_ADDRESS;
    return undefined;
  };

  const toOwnerContract = (row: MemberRow): OwnerContract => {
    const approval = parts.approvedContract(row.id);
    const description = descriptionOf(row);
    const usage = parts.usageOf(row.id);
    return {
      contractId: row.id,
      name: nameOf(row.id),
      description: firstNonEmpty(description?.description, approval?.description),
      developer: firstNonEmpty(description?.developer, approval?.developer),
      namespaces: approval === undefined ? [] : namespacesOf(approval.scopes),
      state: row.state,
      problem: row.state === 'joining' ? (obstacleToJoining() ?? row.problem) : row.problem,
      joined: isoTimeOrNull(row.joined),
      lastUsed: isoTimeOrNull(usage.lastUsed),
      reads: usage.reads,
      writes: usage.writes,
      refused: usage.refused,
      application: approval?.id ?? row.id,
    };
  };

  return {
    joinWithin,
    leaveWithin,
    rejoin(tx) {
      for (const row of store.list()) if (row.state === 'joined') store.begin(tx, row.id, 'joining', clock.now());
      notify(tx);
    },
    list: () => store.list().map(toOwnerContract),
    nameOf,
    async leave(id) {
      if (store.find(id) === undefined) throw new Failure('not_found', 'This PDA has not joined that contract.');
      await parts.disable(id);
    },
    start() {
      isStarted = true;
      wake();
    },
    wake,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      abortController.abort();
      await currentRun;
    },
  };
};
