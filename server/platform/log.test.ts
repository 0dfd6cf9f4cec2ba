import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

const LOG_MODULE = new URL('./log.ts', import.meta.url).href;

/** Runs code in a separate process, because the log writes to its process's stderr. */
const runWithLog = (code: string, level = 'trace'): { out: string; lines: Record<string, unknown>[] } => {
  const script = `
    import { createLog } from '${LOG_MODULE}';
    const log = createLog({ level: ${JSON.stringify(level)} });
    ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  return { out: stdout, lines: lines.map((line) => JSON.parse(line)) };
};

describe('the log', () => {
  it('writes JSON lines to stderr and nothing to stdout', () => {
    const { out, lines } = runWithLog(`log.info({ a: 1 }, 'hello');`);
    expect(out).toBe('');
    expect(lines).toMatchObject([{ a: 1, msg: 'hello', level: 30 }]);
    expect(String(lines[0]?.['time'])).toMatch(/^\d{4}-\d\d-\d\dT/u);
  });

  it('redacts fields that may contain secrets or personal data, at the top level and one below', () => {
    const names = [
      'password',
      'newPassword',
      'token',
      'accessToken',
      'code',
      'authorization',
      'data',
      'body',
      'x-auth-token',
    ];
    const { lines } = runWithLog(`
      for (const name of ${JSON.stringify(names)}) {
        log.info({ [name]: 'planted-canary' }, 'top');
        log.info({ request: { [name]: 'planted-canary' } }, 'below');
        log.error({ err: Object.assign(new Error('x'), { [name]: 'planted-canary' }) }, 'on an error');
      }`);
    expect(lines).toHaveLength(3 * names.length);
    expect(JSON.stringify(lines)).not.toContain('planted-canary');
    expect(JSON.stringify(lines)).toContain('[redacted]');
  });

  it('writes the code of a system error, or an SQLSTATE, as `errorCode`', () => {
    const { lines } = runWithLog(`
      for (const code of ['ENOSPC', 'ERR_INVALID_URL', 'SQLITE_IOERR_FSYNC', '40P01', '123456'])
        log.error({ err: Object.assign(new Error('x'), { code }) }, 'failed');
      log.error({ err: 'not an error' }, 'failed');`);
    expect(lines).toMatchObject([
      { err: { type: 'Error', message: 'x', errorCode: 'ENOSPC', code: '[redacted]' } },
      { err: { errorCode: 'ERR_INVALID_URL' } },
      { err: { errorCode: 'SQLITE_IOERR_FSYNC' } },
      { err: { errorCode: '40P01' } },
      { err: { code: '[redacted]' } },
      { err: 'not an error' },
    ]);
    expect(lines[4]).not.toHaveProperty('err.errorCode');
  });

  it('drops lines below its level and rejects unknown levels', () => {
    const logCalls = ['debug', 'info', 'warn', 'error'].map((level) => `log.${level}('${level}');`).join('');
    const levelLog = `log.error({ debug: log.isLevelEnabled('debug'), warn: log.isLevelEnabled('warn') }, 'enabled');`;
    expect(runWithLog(logCalls + levelLog, 'warn').lines).toMatchObject([
      { msg: 'warn', level: 40 },
      { msg: 'error' },
      { debug: false, warn: true },
    ]);
    expect(runWithLog(logCalls, 'silent').lines).toEqual([]);
    expect(() => createLog({ level: 'loud' })).toThrow('Unknown log level loud.');
  });
});
