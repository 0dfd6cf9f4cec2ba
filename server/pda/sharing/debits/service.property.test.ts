import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import '../../../../tests/support/bound-properties.ts';
import type { TestPda } from '../../../../tests/support/test-pda.ts';
import { startDebits, store, type DebitCalls } from './harness.test-support.ts';

// Compares random Data Debit lifecycles with a simple model that advances second by second. Each permission requests a
// property with a unique name, so that a response shows which version produced it.

type Entry = {
  version: number;
  /** Seconds after the start of the lifecycle. */
  start: number;
  /** Seconds. */
  period: number;
  endsWithPeriod: boolean;
  requested: { period: number; endsWithPeriod: boolean };
  fields: readonly string[];
  decision: 'waiting' | 'accepted' | 'rejected';
  isCanceled: boolean;
  /** End that a cancellation at period end had set when the entry was stopped immediately, in seconds. */
  endBeforeStop: number | undefined;
};

class Model {
  now = 0;
  isRemoved = false;
  entries: Entry[] = [];
  running: Entry | undefined;
  /** Seconds since the start of the current period. */
  private phase = 0;
  private isLastPeriod = false;
  /** Index of the newest entry that has started. */
  private newestStartedIndex = -1;
  /** Entries that the newest stop cancelled, in the order of their starts. */
  private stopped: Entry[] = [];

  get waiting(): Entry | undefined {
    const newestEntry = this.entries.at(-1);
    return !this.isRemoved && newestEntry?.decision === 'waiting' ? newestEntry : undefined;
  }
  get scheduled(): Entry[] {
    return this.entries.filter(
      (entry, index) =>
        entry.decision === 'accepted' && !entry.isCanceled && index > this.newestStartedIndex && entry.start > this.now,
    );
  }
  /** The running and scheduled entries, without entries that a newer entry replaces before their start. */
  get live(): Entry[] {
    const scheduled = this.scheduled.filter(
      (entry, index, all) => !all.slice(index + 1).some(({ start }) => start <= entry.start),
    );
    return this.running === undefined ? scheduled : [this.running, ...scheduled];
  }
  get state(): string {
    if (this.isRemoved) return 'removed';
    if (this.running !== undefined || this.scheduled.length > 0) return 'enabled';
    const { lastAccepted } = this;
    if (lastAccepted !== undefined) return lastAccepted.isCanceled ? 'disabled' : 'ended';
    return this.waiting === undefined ? 'rejected' : 'pending';
  }
  get lastAccepted(): Entry | undefined {
    return this.entries.findLast(({ decision }) => decision === 'accepted');
  }

  request(entry: Omit<Entry, 'version' | 'decision' | 'isCanceled' | 'endBeforeStop' | 'fields' | 'requested'>): void {
    this.entries.push({
      ...entry,
      requested: { period: entry.period, endsWithPeriod: entry.endsWithPeriod },
      version: this.entries.length,
      fields: ['a', 'b'],
      decision: 'waiting',
      isCanceled: false,
      endBeforeStop: undefined,
    });
  }
  accept(entry: Entry): void {
    entry.decision = 'accepted';
    if (entry.start > this.now) return;
    this.begin(entry);
    // The permission started in the past, so earlier periods have passed.
    for (let second = entry.start; second < this.now; second += 1) this.passSecond();
  }
  enable(): boolean {
    if (this.isRemoved) return false;
    if (this.waiting !== undefined) {
      this.accept(this.waiting);
      return true;
    }
    const { lastAccepted } = this;
    if (lastAccepted === undefined) return false;
    if (this.state !== 'enabled' || lastAccepted.isCanceled) {
      const stoppedEntries = lastAccepted.isCanceled ? this.stopped : [lastAccepted];
      const newestDueIndex = stoppedEntries.findLastIndex(({ start }) => start <= this.now);
      const dueEntries = stoppedEntries.slice(Math.max(0, newestDueIndex));
      const [firstEntry, ...laterEntries] = dueEntries;
      const endOf = ({ start, period, endsWithPeriod, endBeforeStop }: Entry): number | undefined =>
        endBeforeStop ?? (endsWithPeriod ? start + period : undefined);
      const hasFirstEnded = firstEntry !== undefined && (endOf(firstEntry) ?? Infinity) <= this.now;
      for (const entry of hasFirstEnded && laterEntries.length > 0 ? laterEntries : dueEntries) {
        const isEndAhead = (endOf(entry) ?? this.now) > this.now;
        this.acceptAgain({ ...entry, start: isEndAhead ? entry.start : Math.max(entry.start, this.now) });
        if (isEndAhead && entry.endBeforeStop !== undefined) this.stop(true);
      }
    }
    return true;
  }
  /** Changes a live entry or the last accepted entry. */
  change(entry: Entry, fields: readonly string[]): void {
    const isLive = this.live.includes(entry);
    const { period, endsWithPeriod } = entry.requested;
    const isSame =
      !entry.isCanceled &&
      period === entry.period &&
      endsWithPeriod === entry.endsWithPeriod &&
      fields.length === entry.fields.length;
    if (isLive && isSame) return;
    const { waiting } = this;
    const successors = this.live.filter((candidate) => this.entries.indexOf(candidate) > this.entries.indexOf(entry));
    const start = isLive ? entry.start : Math.max(entry.start, this.now);
    this.acceptAgain({ ...entry, ...entry.requested, fields, start });
    for (const successor of successors) this.acceptAgain(successor);
    if (waiting !== undefined) this.entries.push({ ...waiting });
  }
  stop(atPeriodEnd: boolean): void {
    const stoppedEntries = this.live.filter(({ isCanceled }) => !isCanceled || !atPeriodEnd);
    if (stoppedEntries.length > 0) this.stopped = stoppedEntries;
    for (const entry of this.scheduled) entry.isCanceled = true;
    if (this.running === undefined) return;
    if (this.running.isCanceled && !atPeriodEnd)
      this.running.endBeforeStop = this.now + this.running.period - this.phase;
    this.running.isCanceled = true;
    if (atPeriodEnd) this.isLastPeriod = true;
    else this.running = undefined;
  }
  remove(): void {
    if (this.waiting !== undefined) this.waiting.decision = 'rejected';
    this.stop(false);
    this.isRemoved = true;
  }
  advanceSecond(): void {
    this.now += 1;
    this.passSecond();
    for (const entry of this.entries)
      if (entry.start === this.now && entry.decision === 'accepted' && !entry.isCanceled) this.begin(entry);
  }

  private acceptAgain(entry: Entry): void {
    const copy = { ...entry, isCanceled: false, endBeforeStop: undefined };
    this.entries.push(copy);
    this.accept(copy);
  }
  private begin(entry: Entry): void {
    const index = this.entries.indexOf(entry);
    if (index < this.newestStartedIndex) return;
    this.newestStartedIndex = index;
    this.running = entry;
    this.phase = 0;
    this.isLastPeriod = entry.endsWithPeriod;
  }
  private passSecond(): void {
    if (this.running === undefined) return;
    this.phase += 1;
    if (this.phase < this.running.period) return;
    this.phase = 0;
    if (this.isLastPeriod) this.running = undefined;
  }
}

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let count = 0;
beforeAll(async () => {
  ({ pda, owner, requester } = await startDebits());
  await store(pda, 'data/values', { a: 1, b: 2, c: 3 });
});
afterAll(() => pda.close());

const proposals = fc.record({
  startsIn: fc.integer({ min: -6, max: 6 }),
  period: fc.integer({ min: 1, max: 6 }),
  cancelAtPeriodEnd: fc.boolean(),
});
const step = fc.oneof(
  { weight: 3, arbitrary: proposals.map((terms) => ({ do: 'update' as const, ...terms })) },
  { weight: 5, arbitrary: fc.constant({ do: 'enable' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      drop: fc.boolean(),
      shorter: fc.boolean(),
      end: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('change' as const), newest: fc.boolean(), drop: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('disable' as const), atPeriodEnd: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reject' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'remove' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 7 }) }) },
);

/** The bundle has one property, which is named after the version. */
const bundleOf = (key: string, version: number) => ({
  name: `${key}-${version % 2}`,
  bundle: { [`v${version}`]: { endpoints: [{ endpoint: 'data/values', mapping: { a: 'a', b: 'b' } }] } },
});

/** Steps that cause more than twenty reads without a change in between. */
const WAITS = Array.from({ length: 6 }, () => ({ do: 'wait' as const, seconds: 7 }));

it('shares values only under a running permission, exactly as approved', async () => {
  const coverage = { shared: 0, refused: 0, states: new Set<string>() };
  await fc.assert(
    fc.asyncProperty(proposals, fc.array(step, { maxLength: 14 }), async (firstTerms, steps) => {
      count += 1;
      const key = `life-${count}`;
      const model = new Model();
      const startTime = pda.clock.now();
      const toProposal = (terms: typeof firstTerms) => ({
        bundle: bundleOf(key, model.entries.length),
        start: new Date(startTime + (model.now + terms.startsIn) * 1000).toISOString(),
        period: terms.period,
        cancelAtPeriodEnd: terms.cancelAtPeriodEnd,
      });
      const request = ({ startsIn, period, cancelAtPeriodEnd }: typeof firstTerms): void =>
        model.request({ start: model.now + startsIn, period, endsWithPeriod: cancelAtPeriodEnd });

      const expectSameAsModel = async (): Promise<void> => {
        const { running } = model;
        const { state } = await requester.find(key);
        expect(state).toBe(model.state);
        coverage.states.add(state);
        if (running === undefined) {
          expect(await owner.expectRefusal('GET', `data-debit/${key}/values`)).toStrictEqual([
            400,
            'data_debit_not_enabled',
          ]);
          coverage.refused += 1;
        } else {
          const sharedFields = Object.fromEntries(
            [
              ['a', 1],
              ['b', 2],
            ].filter(([name]) => running.fields.includes(String(name))),
          );
          expect(await owner.values(key)).toStrictEqual({ [`v${running.version}`]: [sharedFields] });
          coverage.shared += 1;
        }
      };

      await requester.propose(key, toProposal(firstTerms));
      request(firstTerms);
      await expectSameAsModel();
      for (const action of steps) {
        switch (action.do) {
          case 'update': {
            if (model.isRemoved) break;
            await requester.update(key, toProposal(action));
            request(action);
            break;
          }
          case 'enable': {
            await owner.find(key);
            const reply = await owner.call('GET', `data-debit/${key}/enable`);
            expect(reply.status).toBe(model.enable() ? 200 : 409);
            break;
          }
          case 'grant': {
            const { waiting } = await owner.findAsOwner(key);
            const entry = model.waiting;
            expect(waiting === null).toBe(entry === undefined);
            if (waiting === null || entry === undefined) break;
            const period = action.shorter ? Math.max(1, entry.period - 1) : entry.period;
            await owner.grant(key, {
              permissionId: waiting,
              period,
              ...(action.end ? { cancelAtPeriodEnd: true } : {}),
              ...(action.drop
                ? { narrowing: { drop: [{ property: `v${entry.version}`, entry: 0, fields: ['b'] }] } }
                : {}),
            });
            entry.period = period;
            entry.endsWithPeriod ||= action.end;
            if (action.drop) entry.fields = ['a'];
            model.accept(entry);
            break;
          }
          case 'change': {
            const { liveGrants, lastGranted } = await owner.findAsOwner(key);
            const { live, lastAccepted } = model;
            expect(liveGrants).toHaveLength(live.length);
            const index = action.newest ? -1 : 0;
            const permissionId = (liveGrants.at(index) ?? lastGranted)?.permissionId;
            const entry = live.at(index) ?? lastAccepted;
            expect(permissionId === undefined).toBe(entry === undefined);
            if (model.isRemoved || permissionId === undefined || entry === undefined) break;
            const drop = [{ property: `v${entry.version}`, entry: 0, fields: ['b'] }];
            await owner.change(key, { permissionId, ...(action.drop ? { narrowing: { drop } } : {}) });
            model.change(entry, action.drop ? ['a'] : ['a', 'b']);
            break;
          }
          case 'disable':
            await owner.disable(key, action.atPeriodEnd);
            model.stop(action.atPeriodEnd);
            // The next decision must be later, so that the times distinguish two stops.
            pda.clock.advance(1);
            break;
          case 'reject': {
            const reply = await owner.call('POST', `data-debit/${key}/reject`);
            expect(reply.status).toBe(model.waiting === undefined ? 409 : 200);
            if (model.waiting !== undefined) model.waiting.decision = 'rejected';
            break;
          }
          case 'remove':
            await owner.remove(key);
            if (!model.isRemoved) model.remove();
            break;
          case 'restart':
            if (count % 5 === 0) await pda.restart();
            break;
          case 'wait':
            for (let second = 0; second < action.seconds; second += 1) {
              pda.clock.advance(1000);
              model.advanceSecond();
              if (second % 3 === 0) await expectSameAsModel();
            }
            await pda.pda.debitNotifier.flushDue();
            break;
        }
        await expectSameAsModel();
      }
      // The number of pending requests is limited, so each lifecycle removes its Data Debit at the end.
      if (!model.isRemoved) await owner.remove(key);
    }),
    {
      numRuns: Number(process.env['PDA_RUNS'] ?? 12),
      // Random lifecycles can miss states, so these examples cover every state.
      examples: [
        [
          { startsIn: 0, period: 6, cancelAtPeriodEnd: false },
          [{ do: 'enable' }, { do: 'disable', atPeriodEnd: false }],
        ],
        [
          { startsIn: 0, period: 1, cancelAtPeriodEnd: true },
          [{ do: 'enable' }, { do: 'wait', seconds: 2 }, { do: 'remove' }],
        ],
        [{ startsIn: 0, period: 1, cancelAtPeriodEnd: true }, [{ do: 'reject' }]],
        [{ startsIn: 0, period: 60, cancelAtPeriodEnd: false }, [{ do: 'enable' }, ...WAITS]],
        [{ startsIn: 0, period: 60, cancelAtPeriodEnd: false }, WAITS],
        [
          { startsIn: 0, period: 60, cancelAtPeriodEnd: false },
          [
            { do: 'enable' },
            { do: 'change', newest: false, drop: true },
            { do: 'update', startsIn: 6, period: 6, cancelAtPeriodEnd: false },
            { do: 'enable' },
            { do: 'disable', atPeriodEnd: false },
            { do: 'wait', seconds: 1 },
            { do: 'enable' },
            { do: 'wait', seconds: 7 },
          ],
        ],
        [
          { startsIn: 0, period: 6, cancelAtPeriodEnd: false },
          [
            { do: 'enable' },
            { do: 'wait', seconds: 7 },
            { do: 'disable', atPeriodEnd: true },
            { do: 'wait', seconds: 1 },
            { do: 'disable', atPeriodEnd: false },
            { do: 'wait', seconds: 1 },
            { do: 'enable' },
            { do: 'wait', seconds: 7 },
          ],
        ],
        [
          { startsIn: 0, period: 3, cancelAtPeriodEnd: true },
          [
            { do: 'enable' },
            { do: 'update', startsIn: 6, period: 6, cancelAtPeriodEnd: false },
            { do: 'enable' },
            { do: 'disable', atPeriodEnd: false },
            { do: 'wait', seconds: 4 },
            { do: 'enable' },
            { do: 'wait', seconds: 7 },
          ],
        ],
      ],
    },
  );
  // The lifecycles covered every state, with many successful and refused reads.
  expect([...coverage.states].toSorted()).toStrictEqual([
    'disabled',
    'enabled',
    'ended',
    'pending',
    'rejected',
    'removed',
  ]);
  expect(coverage.shared).toBeGreaterThan(20);
  expect(coverage.refused).toBeGreaterThan(20);
});
