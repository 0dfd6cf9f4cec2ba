import { describe, expect, it, vi } from 'vitest';
import { MAX_FUNCTION_MEMORY_MB } from '../../../wire/limits.ts';
import { isolateMemoryMb } from './limits.ts';
import { createRunLog, toDisplayText } from './run-log.ts';
import { readLinuxMemory, readProcessMemory, residentOfPs, residentOfTasklist } from './process-memory.ts';
import { watchMemory } from './watchdog.ts';

describe('the log of a run', () => {
  it('replaces control characters and keeps ordinary text', () => {
    const log = createRunLog();
    log.add('a\u0000b\u001b[2J é\tx\ny\ud800');
    expect(log.lines()).toEqual(['a b [2J é\tx\ny\ufffd']);
  });

  it('has a limited number of lines', () => {
    const log = createRunLog();
    for (let index = 0; index < 100_000; index += 1) log.add('x');
    expect(log.lines()).toHaveLength(1000);
  });

  it('has a limited size', () => {
    const log = createRunLog();
    for (let index = 0; index < 100; index += 1) log.add('é'.repeat(4000));
    expect(Buffer.byteLength(log.lines().join('\n'))).toBeLessThanOrEqual(64_000);
  });

  it('truncates long text with an ellipsis', () => {
    expect(toDisplayText('abcdef', 3)).toBe('abc…');
    expect(toDisplayText('abc', 3)).toBe('abc');
    expect(toDisplayText('ab😀', 3)).toBe('ab\ufffd…');
  });
});

describe('isolateMemoryMb', () => {
  it('returns the full cap if enough memory remains for Node', () => {
    expect(isolateMemoryMb(MAX_FUNCTION_MEMORY_MB)).toBe(3008);
    expect(isolateMemoryMb(512)).toBe(512);
  });

  it('returns less than a small cap, so that memory remains for Node', () => {
    expect(isolateMemoryMb(128)).toBe(90);
  });
});

describe('the memory of a process', () => {
  it('is reported by the system', async () => {
    const memory = await readProcessMemory(process.pid);
    expect(memory?.resident).toBeGreaterThan(10_000_000);
    expect(memory?.peak).toBeGreaterThanOrEqual(memory?.resident ?? 0);
  });

  it('is undefined for a missing process', () => {
    expect(readLinuxMemory(2 ** 30)).toBeUndefined();
  });

  it('is parsed from the output of ps, and of tasklist with either thousands separator', () => {
    expect(residentOfPs('  51234\n')).toBe(51_234 * 1024);
    expect(residentOfPs('')).toBeUndefined();
    expect(residentOfTasklist('"node.exe","123","Console","1","51,234 K"\r\n')).toBe(51_234 * 1024);
    expect(residentOfTasklist('"node.exe","123","Console","1","51.234 K"\r\n')).toBe(51_234 * 1024);
    expect(residentOfTasklist('INFO: No tasks are running which match the specified criteria.')).toBeUndefined();
  });
});

describe('the watchdog', () => {
  it('reports a process above its limit', async () => {
    const onExceeded = vi.fn<() => void>();
    const watchdog = watchMemory(process.pid, 1_000_000, onExceeded);
    await expect.poll(() => onExceeded).toHaveBeenCalled();
    watchdog.close();
    expect(watchdog.peak()).toBeGreaterThan(10_000_000);
  });

  it('measures the peak without reporting a process within its limit', async () => {
    const onExceeded = vi.fn<() => void>();
    const watchdog = watchMemory(process.pid, 2 ** 50, onExceeded);
    await expect.poll(() => watchdog.peak()).toBeGreaterThan(10_000_000);
    watchdog.close();
    expect(onExceeded).not.toHaveBeenCalled();
  });
});
