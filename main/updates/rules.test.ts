import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  recordAfterFailure,
  decideStart,
  compareVersions,
  failedRollbackNotice,
  shouldOffer,
  parseRecord,
  rollbackNotice,
  type UpdateRecord,
} from './rules.ts';

const PREPARED = { from: '1.2.0', to: '1.3.0', preservedServer: '/kept/1.2.0', copy: 'before-1.3.0' } as const;
const SETTLED: UpdateRecord = { phase: 'settled' };
const buildRecord = (phase: Exclude<UpdateRecord['phase'], 'settled' | 'proving'>): UpdateRecord =>
  phase === 'installing' ? { phase, ...PREPARED } : { phase, ...PREPARED, reason: 'it crashed' };
const buildProvingRecord = (attempts: number): UpdateRecord => ({ phase: 'proving', ...PREPARED, attempts });

describe('versions', () => {
  it.each([
    ['1.2.3', '1.2.3', 0],
    ['1.2.3', '1.2.4', -1],
    ['1.10.0', '1.9.9', 1],
    ['2.0.0', '10.0.0', -1],
    ['1.0.0-beta.2', '1.0.0', -1],
    ['1.0.0', '1.0.0-beta.2', 1],
    ['1.0.0-beta.10', '1.0.0-beta.9', 1],
    ['1.0.0+build', '1.0.0', 0],
  ])('are compared by semantic versioning: %s with %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b) ?? NaN)).toBe(sign);
  });

  it.each(['', 'v1.0.0', '1.0', '1.0.0.0', '1.0.x', '9'.repeat(20), '../1.0.0'])('are not valid: %j', (text) => {
    expect(compareVersions(text, '1.0.0')).toBeNull();
    expect(shouldOffer(text, '0.0.1', SETTLED)).toBe(false);
  });

  it('are offered if they are newer and were not rolled back', () => {
    expect(shouldOffer('1.3.0', '1.2.0', SETTLED)).toBe(true);
    expect(shouldOffer('1.2.0', '1.2.0', SETTLED)).toBe(false);
    expect(shouldOffer('1.1.0', '1.2.0', SETTLED)).toBe(false);
    expect(shouldOffer('1.3.0', '1.2.0', buildRecord('gone-back'))).toBe(false);
    expect(shouldOffer('1.3.1', '1.3.0', buildRecord('gone-back'))).toBe(true);
  });
});

describe('a start', () => {
  it('runs the server of the app if no update is pending', () => {
    expect(decideStart(SETTLED, '1.2.0')).toEqual({ kind: 'run-own', next: null, notice: null });
  });

  it('tests the new version', () => {
    expect(decideStart(buildRecord('installing'), '1.3.0')).toEqual({
      kind: 'test-new',
      next: buildProvingRecord(0),
      notice: null,
    });
  });

  it('tests an even newer version that was installed manually', () => {
    const newerRecord = { ...buildProvingRecord(0), to: '1.4.0' };
    expect(decideStart(buildRecord('installing'), '1.4.0')).toMatchObject({ kind: 'test-new', next: newerRecord });
    expect(decideStart(buildRecord('gone-back'), '1.4.0')).toMatchObject({ kind: 'test-new', next: newerRecord });
  });

  it('of the old version reports that nothing was installed', () => {
    const start = decideStart(buildRecord('installing'), '1.2.0');
    expect(start).toMatchObject({ kind: 'run-own', next: SETTLED });
    expect(start.notice?.message).toBe('Version 1.3.0 was not installed');
  });

  it('ignores the record of a failed update if the old version was reinstalled', () => {
    expect(decideStart(buildRecord('gone-back'), '1.2.0')).toEqual({ kind: 'run-own', next: SETTLED, notice: null });
  });

  it('retries after an attempt with an unknown outcome, then rolls back', () => {
    expect(decideStart(buildProvingRecord(1), '1.3.0').kind).toBe('test-new');
    expect(decideStart(buildProvingRecord(2), '1.3.0')).toMatchObject({
      kind: 'roll-back',
      next: { phase: 'going-back', ...PREPARED },
    });
  });

  it('continues a rollback, then runs the preserved server', () => {
    expect(decideStart(buildRecord('going-back'), '1.3.0')).toEqual({ kind: 'roll-back', next: null, notice: null });
    expect(decideStart(buildRecord('gone-back'), '1.3.0')).toEqual({ kind: 'run-preserved', next: null, notice: null });
  });

  it('leads to a rollback after any sequence of failures and interruptions', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (interruptions) => {
        let updateRecord: UpdateRecord = buildRecord('installing');
        for (const isInterrupted of interruptions) {
          const start = decideStart(updateRecord, '1.3.0');
          if (start.next !== null) updateRecord = start.next;
          if (updateRecord.phase === 'proving') {
            const attempts: number = updateRecord.attempts + 1;
            updateRecord = isInterrupted
              ? { ...updateRecord, attempts }
              : recordAfterFailure(updateRecord, attempts, 'it crashed');
          } else if (updateRecord.phase === 'going-back' && !isInterrupted) {
            updateRecord = { ...updateRecord, phase: 'gone-back' };
          }
        }
        expect(['going-back', 'gone-back']).toContain(updateRecord.phase);
        expect(updateRecord).toMatchObject(PREPARED);
      }),
    );
  });
});

describe('a failed attempt', () => {
  it('is retried once; a second failure leads to a rollback with its reason', () => {
    expect(recordAfterFailure(PREPARED, 1, 'x')).toEqual(buildProvingRecord(1));
    expect(recordAfterFailure(PREPARED, 2, 'it ended')).toEqual({
      phase: 'going-back',
      ...PREPARED,
      reason: 'it ended',
    });
  });
});

describe('the record', () => {
  it.each([
    SETTLED,
    buildRecord('installing'),
    buildProvingRecord(0),
    buildProvingRecord(2),
    buildRecord('going-back'),
    buildRecord('gone-back'),
  ])('survives serialisation: $phase', (record) => {
    expect(parseRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  it('of an earlier version is read', () => {
    const { preservedServer: kept, ...otherFields } = PREPARED;
    expect(parseRecord({ phase: 'proving', ...otherFields, kept, attempts: 1 })).toEqual(buildProvingRecord(1));
  });

  it('counts as settled if it is invalid', () => {
    for (const value of [
      null,
      [],
      7,
      'text',
      {},
      { phase: 'proving', ...PREPARED },
      { phase: 'gone-back', ...PREPARED },
      { ...buildProvingRecord(1), preservedServer: 7 },
      { ...buildProvingRecord(1), attempts: -1 },
      { phase: 'other', ...PREPARED },
    ])
      expect(parseRecord(value)).toEqual(SETTLED);
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(parseRecord(value).phase).toBe('settled');
      }),
    );
  });
});

describe('the notice of a rollback', () => {
  it('states the failure, the running version and the state of the database', () => {
    const { message, detail } = rollbackNotice(PREPARED, 'it exited with code 3', 'the database was not changed');
    expect(message).toBe('Your PDA went back to version 1.2.0');
    for (const text of ['1.3.0', 'exited with code 3', 'the database was not changed', 'Nothing was deleted'])
      expect(detail).toContain(text);
    expect(failedRollbackNotice(PREPARED, 'it ended', 'no space left').detail).toContain('no space left');
  });
});
