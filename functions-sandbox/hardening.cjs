// @ts-check
'use strict';

const Module = require('node:module');

/**
 * Removes capabilities that this process no longer needs. Code in the isolate has no access to them anyway: this is
 * defence in depth in case of an escape.
 */
const harden = () => {
  const refuse = () => {
    throw new Error('This API is disabled in the sandbox.');
  };
  const disabledProperty = { value: refuse, writable: false, configurable: false };
  for (const name of [
    'binding',
    '_linkedBinding',
    'dlopen',
    'getBuiltinModule',
    'kill',
    '_kill',
    'chdir',
    'setuid',
    'setgid',
  ]) {
    Object.defineProperty(process, name, disabledProperty);
  }
  for (const name of ['_load', '_resolveFilename', 'createRequire', 'register', 'registerHooks']) {
    Object.defineProperty(Module, name, disabledProperty);
  }
  for (const name of Object.keys(require.cache)) delete require.cache[name];
  for (const name of [
    'fetch',
    'WebSocket',
    'EventSource',
    'XMLHttpRequest',
    'Worker',
    'BroadcastChannel',
    'MessageChannel',
  ]) {
    Reflect.deleteProperty(globalThis, name);
  }
  for (const name of Object.keys(process.env)) delete process.env[name];
};

module.exports = { harden };
