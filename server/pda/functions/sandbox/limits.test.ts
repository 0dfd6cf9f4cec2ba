import { describe, expect, it, vi } from 'vitest';
import { MAX_FUNCTION_MEMORY_MB } from '../../../wire/limits.ts';
import { isolateMemoryMb } from './limits.ts';
import { createLogLines, fitToShow } from './run-log.ts';
import { readLinuxMemory, readProcessMemory, residentOfPs, residentOfTasklist } from './process-memory.ts';
import { watchMemory } from './watchdog.ts';

describe('the log of a run', () => {
  it('loses control characters and keeps what people write', () => {
    const log = createLogLines();
    log.add('a\u0000b\u001b[2J é\tx\ny\ud800');
    expect(log.lines()).toEqual(['a b [2J é\tx\ny\ufffd']);
  });

  it('is bounded in lines, whatever a sandbox sends', () => {
    const log = createLogLines();
    for (let index = 0; index < 100_000; index += 1) log.add('x');
    expect(log.lines()).toHaveLength(1000);
  });

  it('is bounded in bytes', () => {
    const log = createLogLines();
    for (let index = 0; index < 100; index += 1) log.add('é'.repeat(4000));
    expect(Buffer.byteLength(log.lines().join('\n'))).toBeLessThanOrEqual(64_000);
  });

  it('cuts a long text with a sign that it was cut', () => {
    expect(fitToShow('abcdef', 3)).toBe('abc…');
    expect(fitToShow('abc', 3)).toBe('abc');
  });
});

describe('what the isolate may have', () => {
  it('is the whole cap where there is room for Node beside it', () => {
    expect(isolateMemoryMb(MAX_FUNCTION_MEMORY_MB)).toBe(3008);
    expect(isolateMemoryMb(512)).toBe(512);
  });

  it('leaves room for Node within small caps', () => {
    expect(isolateMemoryMb(128)).toBe(90);
  });
});

describe('the memory of a process', () => {
  it('is what the system says of it', async () => {
    const memory = await readProcessMemory(process.pid);
    expect(memory?.resident).toBeGreaterThan(10_000_000);
    expect(memory?.peak).toBeGreaterThanOrEqual(memory?.resident ?? 0);
  });

  it('is unknown of a process that is not there', () => {
    expect(readLinuxMemory(2 ** 30)).toBeUndefined();
  });

  it('is read from ps and from tasklist in any country', () => {
    expect(residentOfPs('  51234\n')).toBe(51_234 * 1024);
    expect(residentOfPs('')).toBeUndefined();
    expect(residentOfTasklist('"node.exe","123","Console","1","51,234 K"\r\n')).toBe(51_234 * 1024);
    expect(residentOfTasklist('"node.exe","123","Console","1","51.234 K"\r\n')).toBe(51_234 * 1024);
    expect(residentOfTasklist('INFO: No tasks are running which match the specified criteria.')).toBeUndefined();
  });
});

describe('the watchdog', () => {
  it('barks when the process has more than it may', async () => {
    const bark = vi.fn<() => void>();
    const watchdog = watchMemory(process.pid, 1_000_000, bark);
    await expect.poll(() => bark).toHaveBeenCalled();
    watchdog.close();
    expect(watchdog.peak()).toBeGreaterThan(10_000_000);
  });

  it('knows the peak and is quiet of a process that keeps within its limit', async () => {
    const bark = vi.fn<() => void>();
    const watchdog = watchMemory(process.pid, 2 ** 50, bark);
    await expect.poll(() => watchdog.peak()).toBeGreaterThan(10_000_000);
    watchdog.close();
    expect(bark).not.toHaveBeenCalled();
  });
});
