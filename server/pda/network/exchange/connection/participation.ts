import { isoTime } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { urlOfPda } from '../../../../platform/outbound/pda-address.ts';
import { knownOfPdaSchema } from '../../../../wire/exchange.ts';
import type { Network, NetworkChange } from '../../../../wire/network.ts';
import type { Transaction } from '../../../storage/index.ts';
import { jsonOf, problemOf, type ExchangeClient } from './client.ts';
import type { Registration } from './registration.ts';
import { exchangeAt } from '../rules.ts';
import type { NetworkService, ReportCounts } from '../service.ts';
import type { Choices } from './settings.ts';
import type { SettingsRow } from '../store.ts';

export type NetworkParts = {
  client: ExchangeClient;
  choices: Choices;
  registration: Registration;
  address: () => string | undefined;
  /** When the applications were read last. */
  catalogueAt: () => number | null;
  reports: ReportCounts;
  known: NetworkService['known'];
  /** Another exchange, or none: what came from the one before it goes, in the transaction of the choice. */
  givenUp: (tx: Transaction, now: string | null) => void;
  /** Registers, leaves, or refreshes, whenever that was due. */
  registerNow: () => Promise<void>;
  tell: (tx: Transaction) => void;
  onChange: (listener: () => void) => () => void;
};

const isoOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : isoTime(ms);

const NO_ADDRESS = 'This PDA has no public address yet, so no exchange can reach it.';

/** Tokens go there: in the clear they would be anybody's on the way. */
const isInTheClear = (url: string): boolean => {
  const { protocol, host } = new URL(url);
  return protocol === 'http:' && urlOfPda(host).startsWith('https:');
};

/** @throws Failure invalid_input */
const serviceUrl = (path: string, url: string): string => {
  const { username, password } = new URL(url);
  const problem =
    username !== '' || password !== ''
      ? 'holds a name or a password'
      : isInTheClear(url)
        ? 'is not https: what goes there could be read on the way'
        : undefined;
  if (problem === undefined) return exchangeAt(url).url;
  throw new Failure('invalid_input', `The address ${problem}. Nothing was changed.`, {
    details: [{ path, problem }],
  });
};

/** Creates the function that asks the exchange what it has stored about this PDA. */
export const createKnownReader =
  (
    parts: Pick<NetworkParts, 'client' | 'choices' | 'registration'> & { signal: AbortSignal },
  ): NetworkService['known'] =>
  async () => {
    const { client, choices, registration, signal } = parts;
    const exchange = choices.exchange();
    if (exchange === undefined) return { known: null, problem: 'No exchange is chosen.' };
    const as = registration.as();
    if (as === undefined) return { known: null, problem: 'This PDA is not registered with the exchange.' };
    const result = await client.call(exchange, { path: '/api/pdas/self', signal }, as);
    if (!result.ok || result.status !== 200) return { known: null, problem: problemOf(result) };
    const known = knownOfPdaSchema.safeParse(jsonOf(result.body)).data;
    return known === undefined
      ? { known: null, problem: 'The exchange answered something else than what it knows.' }
      : { known, problem: null };
  };

export const createNetwork = (parts: NetworkParts): NetworkService => {
  const { client, choices, registration } = parts;
  const view = (): Network => {
    const exchange = choices.exchange();
    const contracts = choices.contractsUrl();
    const { waiting, sent, lastSent } = parts.reports();
    const row = registration.row();
    const address = parts.address() ?? null;
    return {
      exchange:
        exchange === undefined
          ? null
          : {
              url: exchange.url,
              fixed: choices.exchangeFixed,
              state: registration.state(),
              address: row?.address ?? null,
              since: isoOrNull(row?.since),
              problem: choices.takesPart() && address === null ? NO_ADDRESS : (row?.problem ?? null),
              reachable: client.reachable(exchange),
              catalogueAt: isoOrNull(parts.catalogueAt()),
            },
      contracts: contracts === undefined ? null : { url: contracts, fixed: choices.contractsFixed },
      publicAddress: address,
      reports: { on: choices.reportsOn(), waiting, sent, lastSent: isoOrNull(lastSent) },
    };
  };

  const requireExchange = (): void => {
    if (choices.exchange() === undefined) throw new Failure('wrong_state', 'No exchange is chosen. Choose one first.');
  };

  const requested = (change: NetworkChange): Partial<SettingsRow> => {
    const fixed =
      (change.exchange !== undefined && choices.exchangeFixed) ||
      (change.contracts !== undefined && choices.contractsFixed);
    if (fixed) throw new Failure('wrong_state', 'This is set in config.json. Change it there. Nothing was changed.');
    const { exchange, contracts, reports } = change;
    return {
      ...(exchange === undefined
        ? {}
        : { exchange: exchange === null ? null : serviceUrl('body.exchange', exchange), takes_part: 1 }),
      ...(contracts === undefined
        ? {}
        : { contracts: contracts === null ? null : serviceUrl('body.contracts', contracts) }),
      ...(reports === undefined ? {} : { reports: reports ? 1 : 0 }),
    };
  };

  return {
    registered: () => (registration.as() === undefined ? undefined : choices.exchange()),
    address: parts.address,
    contractsUrl: choices.contractsUrl,
    reportsOn: choices.reportsOn,
    reportsTo: () => (choices.takesPart() ? choices.exchange()?.url : undefined),
    async call(wanted) {
      const exchange = choices.exchange();
      const as = registration.as();
      if (exchange === undefined || as === undefined)
        return { ok: false, failure: 'unreachable', cause: 'This PDA is not registered with an exchange.' };
      const result = await client.call(exchange, wanted, as);
      if (result.ok && result.status === 401) await registration.doubt();
      return result;
    },
    onChange: parts.onChange,

    view,

    async change(change) {
      const wanted = requested(change);
      const before = choices.exchange()?.url ?? null;
      await choices.set(wanted, (tx) => {
        if (wanted.exchange !== undefined && wanted.exchange !== before) parts.givenUp(tx, wanted.exchange);
        parts.tell(tx);
      });
      if (wanted.exchange !== undefined) await parts.registerNow();
      return view();
    },

    async register() {
      requireExchange();
      await choices.set({ takes_part: 1 }, parts.tell);
      await parts.registerNow();
      return view();
    },

    async leave() {
      requireExchange();
      await choices.set({ takes_part: 0 }, (tx) => {
        parts.givenUp(tx, choices.exchange()?.url ?? null);
        parts.tell(tx);
      });
      await parts.registerNow();
      return view();
    },

    known: parts.known,
  };
};
