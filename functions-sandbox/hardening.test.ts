import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FORBIDDEN_EXPRESSIONS = [
  "require('node:net')",
  "require('node:fs')",
  "process.binding('tcp_wrap')",
  "process._linkedBinding('fs')",
  "process.getBuiltinModule('fs')",
  "process.dlopen({ exports: {} }, '/x.node')",
  'process.kill(1, 0)',
  "process.mainModule.require('fs')",
  "module.constructor._load('fs')",
  "module.constructor.createRequire('/x')('fs')",
  "fetch('http://127.0.0.1/')",
  "new WebSocket('ws://127.0.0.1/')",
  "new EventSource('http://127.0.0.1/')",
];

describe('a hardened process', () => {
  it('cannot load modules for files, sockets or addons', () => {
    const hardening = JSON.stringify(join(import.meta.dirname, 'hardening.cjs'));
    const script = `
      require(${hardening}).harden();
      const reached = ${JSON.stringify(FORBIDDEN_EXPRESSIONS)}.filter((text) => { try { (0, eval)(text); return true } catch { return false } });
      const localAttempts = [() => require('node:net'), () => process.mainModule.require('fs'), () => module.constructor._load('fs')];
      const local = localAttempts.filter((act) => { try { act(); return true } catch { return false } }).map(String);
      process.stdout.write(JSON.stringify({ reached, local, environment: Object.keys(process.env), cached: Object.keys(require.cache) }));
    `;
    const result: unknown = JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
    expect(result).toEqual({ reached: [], local: [], environment: [], cached: [] });
  });
});
