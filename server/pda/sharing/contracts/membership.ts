import { z } from 'zod';
import { backoff } from '../../../platform/async/backoff.ts';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { signPdaToken } from '../../../platform/auth/pda-token.ts';
import type { SafeFetch, SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { contractSchema } from '../../../wire/contracts.ts';
import { errorBodySchema } from '../../../wire/errors.ts';
import type { OwnerContract } from '../../../wire/network.ts';
import type { EventService } from '../../core/events/service.ts';
import type { ContractCalls } from '../access-log/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { namespacesOf, verdictOf } from './rules.ts';
import type { ApprovedContract, ContractService } from './service.ts';
import type { ContractStore, MemberRow } from './store.ts';

export type MembershipParts = {
  store: ContractStore;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  safeFetch: SafeFetch;
  keys: () => readonly SigningKey[];
  /** Where the contracts service is, without an end slash; undefined when there is none. */
  contractsUrl: () => string | undefined;
  /** host[:port] by which others reach this PDA. */
  address: () => string;
  /** The name under which this PDA joins. */
  pdaName: () => string;
  approved: (id: string) => ApprovedContract | undefined;
  /** Disables the application of a contract. @throws Failure not_found */
  disable: (id: string) => Promise<unknown>;
  useOf: (contract: string) => ContractCalls;
  clock: Clock;
  log: Log;
  random?: () => number;
};

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 100_000;
const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 3_600_000;
/** However far off the next try is, the clock is looked at again: a machine that slept finds out by that. */
const LONGEST_SLEEP_MS = 60_000;
/** Period in which a left service is notified. After that it has noticed by itself, or no longer exists. */
const TELL_LEAVING_MS = 30 * 86_400_000;
const MAX_PROBLEM_CHARS = 300;

const described = z.pipe(
  z.string().transform((text): unknown => JSON.parse(text)),
  contractSchema,
);

const firstSaid = (...texts: (string | undefined)[]): string =>
  texts.find((text) => text !== undefined && text !== '') ?? '';

/** What a service says of its refusal, as far as it is in our own words. */
const causeOf = (answer: Extract<SafeFetchResult, { ok: true }>): string => {
  try {
    const body = errorBodySchema.safeParse(JSON.parse(answer.body.toString()));
    if (body.success) return body.data.cause.slice(0, MAX_PROBLEM_CHARS);
  } catch {
    // Not ours to understand: the status says enough.
  }
  return `The contracts service answered ${answer.status}.`;
};

/** Joins and leaves contracts: here in the transaction that the owner decides by, at the contracts service as soon as it hears. */
export const createMembership = (parts: MembershipParts): ContractService => {
  const { store, writer, events, clock, log, random = Math.random } = parts;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;
  const stopped = new AbortController();

  const tell = (tx: Transaction): void => events.tell(tx, 'contracts');

  const joinWithin = (tx: Transaction, id: string): void => {
    const row = store.findWithin(tx, id);
    // What is joined, or being joined, stays so: the owner only looked at it again.
    if (row !== undefined && (row.state === 'joined' || row.state === 'joining')) return;
    store.begin(tx, id, 'joining', clock.now());
    tell(tx);
    tx.afterCommit(wake);
  };

  const leaveWithin = (tx: Transaction, id: string): void => {
    const row = store.findWithin(tx, id);
    if (row === undefined || row.state === 'leaving') return;
    // The service was never notified of the membership.
    if (row.service === null) store.remove(tx, id, row.turn);
    else store.begin(tx, id, 'leaving', clock.now());
    tell(tx);
    tx.afterCommit(wake);
  };

  const call = async (
    row: MemberRow,
    { service, name }: { service: string; name: string },
    method: 'PUT' | 'DELETE',
  ): Promise<SafeFetchResult> => {
    const key = parts.keys().find((candidate) => !candidate.retired);
    if (key === undefined) throw new Error('no signing key');
    const token = await signPdaToken(
      key,
      { iss: parts.address(), sub: name, contract: row.id, resource: new URL(service).host, accessScope: 'contract' },
      clock,
    );
    return parts.safeFetch(`${service}/v1/contracts/${encodeURIComponent(row.id)}/pdas/${encodeURIComponent(name)}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal: stopped.signal,
    });
  };

  /** What the service says of a contract, for the owner's page. A contract that cannot be looked at is joined all the same. */
  const describe = async (service: string, id: string): Promise<void> => {
    const answer = await parts.safeFetch(`${service}/v1/contracts/${encodeURIComponent(id)}`, {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal: stopped.signal,
    });
    const found = answer.ok && answer.status === 200 ? described.safeParse(answer.body.toString()) : undefined;
    if (found?.success !== true || found.data.contractId !== id) return;
    await writer.write((tx) => store.describe(tx, id, JSON.stringify(found.data)));
  };

  const settle = async (row: MemberRow, answer: SafeFetchResult): Promise<void> => {
    const leaving = row.state === 'leaving';
    const verdict = answer.ok ? verdictOf(answer.status, leaving) : 'again';
    const problem = answer.ok ? causeOf(answer) : answer.cause;
    const now = clock.now();
    const attempts = row.attempts + 1;
    const { id, turn, state } = row;
    const delay = backoff(attempts, { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS, random: random() });
    const settled = { id, turn, joined: null, attempts, next_attempt: now + delay, problem };
    await writer.write((tx) => {
      if (leaving && (verdict === 'done' || now - row.since > TELL_LEAVING_MS)) store.remove(tx, id, turn);
      else if (verdict === 'again') store.settled(tx, { ...settled, state });
      else if (verdict === 'refused') store.settled(tx, { ...settled, state: 'failed' });
      else store.settled(tx, { ...settled, state: 'joined', joined: now, problem: null });
      tell(tx);
    });
    if (verdict === 'refused')
      log.warn({ contract: id, problem }, 'the contracts service refused to let this PDA join');
  };

  const join = async (row: MemberRow, service: string): Promise<void> => {
    const name = parts.pdaName();
    // Before it hears: should we stop in between, it is known whom to tell of leaving.
    if (!(await writer.write((tx) => store.telling(tx, row, service, name)))) return;
    const answer = await call(row, { service, name }, 'PUT');
    if (stopped.signal.aborted) return;
    await settle(row, answer);
    await describe(service, row.id);
  };

  const leave = async (row: MemberRow): Promise<void> => {
    const { service, pda_name: name } = row;
    if (service === null || name === null) {
      await writer.write((tx) => store.remove(tx, row.id, row.turn));
      return;
    }
    const answer = await call(row, { service, name }, 'DELETE');
    if (!stopped.signal.aborted) await settle(row, answer);
  };

  /** What is to be told now; a time that is further off than any delay was set by a clock that was set back since. */
  const isDue = (row: MemberRow, service: string | undefined): boolean => {
    const wanted = row.state === 'leaving' || (row.state === 'joining' && service !== undefined);
    const wait = row.next_attempt - clock.now();
    return wanted && (wait <= 0 || wait > LONGEST_DELAY_MS);
  };

  const handle = async (row: MemberRow, service: string | undefined): Promise<void> => {
    if (row.state === 'leaving') await leave(row);
    else if (service !== undefined) await join(row, service);
  };

  /** Rejoins at the current service what was joined at another one, and notifies the former service once. */
  const move = async (service: string | undefined): Promise<void> => {
    for (const row of store.list()) {
      if (row.state !== 'joined' || row.service === null || row.pda_name === null || row.service === service) continue;
      await writer.write((tx) => store.begin(tx, row.id, 'joining', clock.now()));
      await call(row, { service: row.service, name: row.pda_name }, 'DELETE');
    }
  };

  const run = async (): Promise<void> => {
    do {
      again = false;
      const service = parts.contractsUrl();
      await move(service);
      for (const row of store.list().filter((candidate) => isDue(candidate, service))) {
        if (closed) return;
        await handle(row, service);
      }
    } while (again);
  };

  const sleep = (): void => {
    clearTimeout(timer);
    if (closed || !store.list().some(({ state }) => state === 'joining' || state === 'leaving')) return;
    const next = Math.min(
      ...store
        .list()
        .map((row) => row.next_attempt - clock.now())
        .filter((wait) => wait > 0),
    );
    timer = setTimeout(wake, Math.min(LONGEST_SLEEP_MS, Math.max(1000, next))).unref();
  };

  const wake = (): void => {
    if (closed) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    const failed = (error: unknown): void =>
      log.error({ err: error }, 'what the contracts service is to know could not be told');
    running = run()
      .catch(failed)
      .then(() => {
        running = undefined;
        sleep();
      })
      // A database that is damaged does not even say when to try again.
      .catch(failed);
  };

  const shown = (row: MemberRow): OwnerContract => {
    const approval = parts.approved(row.id);
    const said = row.description === null ? undefined : described.safeParse(row.description).data;
    const use = parts.useOf(row.id);
    const waitsForService = row.state === 'joining' && parts.contractsUrl() === undefined;
    return {
      contractId: row.id,
      name: firstSaid(said?.name, approval?.name, row.id),
      description: firstSaid(said?.description, approval?.description),
      developer: firstSaid(said?.developer, approval?.developer),
      namespaces: approval === undefined ? [] : namespacesOf(approval.scopes),
      state: row.state,
      problem: waitsForService ? 'No contracts service is set.' : row.problem,
      joined: row.joined === null ? null : isoTime(row.joined),
      lastUsed: use.lastUsed === null ? null : isoTime(use.lastUsed),
      reads: use.reads,
      writes: use.writes,
      refused: use.refused,
      application: approval?.id ?? row.id,
    };
  };

  return {
    joinWithin,
    leaveWithin,
    rejoin(tx) {
      for (const row of store.list()) if (row.state === 'joined') store.begin(tx, row.id, 'joining', clock.now());
      tell(tx);
    },
    list: () => store.list().map(shown),
    async leave(id) {
      if (store.find(id) === undefined) throw new Failure('not_found', 'This PDA has not joined that contract.');
      await parts.disable(id);
    },
    wake,
    async close() {
      closed = true;
      clearTimeout(timer);
      stopped.abort();
      await running;
    },
  };
};
