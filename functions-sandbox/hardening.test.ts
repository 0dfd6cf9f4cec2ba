import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DISABLED_EXPRESSIONS = [
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
  it('cannot load modules, use the network, send signals or read its environment', () => {
    const hardening = JSON.stringify(join(import.meta.dirname, 'hardening.cjs'));
    const script = `
      require(${hardening}).harden();
      const succeeds = (act) => {
        try {
          act();
          return true;
        } catch {
          return false;
        }
      };
      const globalSuccesses = ${JSON.stringify(DISABLED_EXPRESSIONS)}.filter((text) => succeeds(() => (0, eval)(text)));
      const moduleSuccesses = [
        () => require('node:net'),
        () => process.mainModule.require('fs'),
        () => module.constructor._load('fs'),
      ].filter(succeeds).map(String);
      const environment = Object.keys(process.env);
      const cachedModules = Object.keys(require.cache);
      process.stdout.write(JSON.stringify({ globalSuccesses, moduleSuccesses, environment, cachedModules }));
    `;
    const result: unknown = JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
    expect(result).toEqual({ globalSuccesses: [], moduleSuccesses: [], environment: [], cachedModules: [] });
  });
});
