import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLifecycle } from './lifecycle.ts';

const createRecordingLog = () => {
  const lines: { step?: string; msg: string }[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }) };
};

describe('closing', () => {
  it('runs the steps in reverse order, one at a time', async () => {
    const order: string[] = [];
    const { log } = createRecordingLog();
    const lifecycle = createLifecycle(log);
    for (const name of ['home', 'storage', 'http']) {
      lifecycle.onClose(name, async () => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
      });
    }
    await lifecycle.close();
    expect(order).toStrictEqual(['http', 'storage', 'home'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('runs the steps once, and later calls wait for their end', async () => {
    const order: string[] = [];
    const lifecycle = createLifecycle(createRecordingLog().log);
    lifecycle.onClose('database', async () => {
      order.push('begins');
      await new Promise(setImmediate);
      order.push('ends');
    });
    const firstCall = lifecycle.close();
    await lifecycle.close();
    expect(order).toStrictEqual(['begins', 'ends']);
    await firstCall;
    await lifecycle.close();
    expect(order).toStrictEqual(['begins', 'ends']);
  });

  it('continues after a step that fails, and logs it', async () => {
    const { log, lines } = createRecordingLog();
    const lifecycle = createLifecycle(log);
    let hasReachedNext = false;
    lifecycle.onClose('last', () => void (hasReachedNext = true));
    lifecycle.onClose('rejects', () => Promise.reject(new Error('no')));
    lifecycle.onClose('throws', () => {
      throw new Error('no');
    });
    await lifecycle.close();
    expect(hasReachedNext).toBe(true);
    expect(lines.map((line) => line.step)).toStrictEqual(['throws', 'rejects']);
  });

  it('continues after a step that hangs, with time for the rest', async () => {
    const { log, lines } = createRecordingLog();
    const lifecycle = createLifecycle(log, 400);
    let hasReachedNext = false;
    lifecycle.onClose('database', () => void (hasReachedNext = true));
    lifecycle.onClose('hangs', () => new Promise(() => undefined));
    await lifecycle.close();
    expect(hasReachedNext).toBe(true);
    expect(lines).toMatchObject([{ step: 'hangs', msg: 'closing timed out, continuing' }]);
  });

  it('leaves no timer behind', async () => {
    const lifecycle = createLifecycle(createRecordingLog().log);
    lifecycle.onClose('quick', () => undefined);
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const timersBefore = timers();
    await lifecycle.close();
    expect(timers()).toBeLessThanOrEqual(timersBefore);
  });
});
