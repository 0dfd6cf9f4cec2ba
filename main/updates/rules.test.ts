import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  atStart,
  compareVersions,
  couldNotGoBack,
  isOffered,
  readRecord,
  wentBack,
  type UpdateRecord,
} from './rules.ts';

const PREPARED = { from: '1.2.0', to: '1.3.0', kept: '/kept/1.2.0', copy: 'before-1.3.0' } as const;
const SETTLED: UpdateRecord = { phase: 'settled' };
const record = (phase: Exclude<UpdateRecord['phase'], 'settled' | 'proving'>): UpdateRecord =>
  phase === 'installing' ? { phase, ...PREPARED } : { phase, ...PREPARED, reason: 'it crashed' };
const proving = (attempts: number): UpdateRecord => ({ phase: 'proving', ...PREPARED, attempts });

describe('a version', () => {
  it.each([
    ['1.2.3', '1.2.3', 0],
    ['1.2.3', '1.2.4', -1],
    ['1.10.0', '1.9.9', 1],
    ['2.0.0', '10.0.0', -1],
    ['1.0.0-beta.2', '1.0.0', -1],
    ['1.0.0', '1.0.0-beta.2', 1],
    ['1.0.0-beta.10', '1.0.0-beta.9', 1],
    ['1.0.0+build', '1.0.0', 0],
  ])('compares %s with %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b) ?? NaN)).toBe(sign);
  });

  it.each(['', 'v1.0.0', '1.0', '1.0.0.0', '1.0.x', '9'.repeat(20), '../1.0.0'])('is not %j', (text) => {
    expect(compareVersions(text, '1.0.0')).toBeNull();
    expect(isOffered(text, '0.0.1', SETTLED)).toBe(false);
  });

  it('is offered if it is newer and was not rolled back', () => {
    expect(isOffered('1.3.0', '1.2.0', SETTLED)).toBe(true);
    expect(isOffered('1.2.0', '1.2.0', SETTLED)).toBe(false);
    expect(isOffered('1.1.0', '1.2.0', SETTLED)).toBe(false);
    expect(isOffered('1.3.0', '1.2.0', record('gone-back'))).toBe(false);
    expect(isOffered('1.3.1', '1.3.0', record('gone-back'))).toBe(true);
  });
});

describe('a start', () => {
  it('runs its own server without a pending update', () => {
    expect(atStart(SETTLED, '1.2.0')).toEqual({ kind: 'run-ours', next: null, notice: null });
  });

  it('tests the new version', () => {
    expect(atStart(record('installing'), '1.3.0')).toEqual({ kind: 'testNewServer', next: proving(0), notice: null });
  });

  it('tests an even newer version that was installed manually', () => {
    const next = { ...proving(0), to: '1.4.0' };
    expect(atStart(record('installing'), '1.4.0')).toMatchObject({ kind: 'testNewServer', next });
    expect(atStart(record('gone-back'), '1.4.0')).toMatchObject({ kind: 'testNewServer', next });
  });

  it('reports in the old version that nothing was installed', () => {
    const start = atStart(record('installing'), '1.2.0');
    expect(start).toMatchObject({ kind: 'run-ours', next: SETTLED });
    expect(start.notice?.message).toBe('Version 1.3.0 was not installed');
  });

  it('is normal in the old version that was reinstalled after a failure', () => {
    expect(atStart(record('gone-back'), '1.2.0')).toEqual({ kind: 'run-ours', next: SETTLED, notice: null });
  });

  it('retries after an attempt with an unknown outcome, then rolls back', () => {
    expect(atStart(proving(1), '1.3.0').kind).toBe('testNewServer');
    expect(atStart(proving(2), '1.3.0')).toMatchObject({ kind: 'go-back', next: { phase: 'going-back', ...PREPARED } });
  });

  it('continues a rollback, then runs the preserved server', () => {
    expect(atStart(record('going-back'), '1.3.0')).toEqual({ kind: 'go-back', next: null, notice: null });
    expect(atStart(record('gone-back'), '1.3.0')).toEqual({ kind: 'run-kept', next: null, notice: null });
  });

  it('terminates for any sequence of failures and interruptions', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (cuts) => {
        let now: UpdateRecord = record('installing');
        for (const truncated of cuts) {
          const start = atStart(now, '1.3.0');
          if (start.next !== null) now = start.next;
          if (now.phase === 'proving') {
            const attempts: number = now.attempts + 1;
            now = truncated ? { ...now, attempts } : afterFailure(now, attempts, 'it crashed');
          } else if (now.phase === 'going-back' && !truncated) {
            now = { ...now, phase: 'gone-back' };
          }
        }
        expect(['going-back', 'gone-back']).toContain(now.phase);
        expect(now).toMatchObject(PREPARED);
      }),
    );
  });
});

describe('an attempt that failed', () => {
  it('is retried once, then rolled back with its reason', () => {
    expect(afterFailure(PREPARED, 1, 'x')).toEqual(proving(1));
    expect(afterFailure(PREPARED, 2, 'it ended')).toEqual({ phase: 'going-back', ...PREPARED, reason: 'it ended' });
  });
});

describe('the record', () => {
  it.each([SETTLED, record('installing'), proving(0), proving(2), record('going-back'), record('gone-back')])(
    'is read as it was written: $phase',
    (record) => {
      expect(readRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
    },
  );

  it('is settled if it is invalid', () => {
    for (const value of [
      null,
      [],
      7,
      'text',
      {},
      { phase: 'proving', ...PREPARED },
      { phase: 'gone-back', ...PREPARED },
      { ...proving(1), kept: 7 },
      { ...proving(1), attempts: -1 },
      { phase: 'other', ...PREPARED },
    ])
      expect(readRecord(value)).toEqual(SETTLED);
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readRecord(value).phase).toBe('settled');
      }),
    );
  });
});

describe('the owner', () => {
  it('reports the outcome, the running version and the data folder', () => {
    const { message, detail } = wentBack(PREPARED, 'it exited with code 3', 'the database stays as it is');
    expect(message).toBe('Your PDA went back to version 1.2.0');
    for (const path of ['1.3.0', 'exited with code 3', 'the database stays as it is', 'Nothing was deleted'])
      expect(detail).toContain(path);
    expect(couldNotGoBack(PREPARED, 'it ended', 'no space left').detail).toContain('no space left');
  });
});
