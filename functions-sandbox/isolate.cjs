// @ts-check
'use strict';

/**
 * Loads the native addon of isolated-vm. The package's own search for the right binary takes longer than the rest of
 * the start, so the first sandbox reports the path of the binary to the server, which passes it to later sandboxes as
 * an argument.
 *
 * @returns {typeof import('isolated-vm')}
 */
const loadAddon = () => {
  const path = process.argv[2];
  if (path === undefined) return require('isolated-vm');
  const addon = { exports: { ivm: undefined } };
  process.dlopen(addon, path);
  if (addon.exports.ivm === undefined) throw new Error('not the binary of isolated-vm');
  return addon.exports.ivm;
};

const ivm = loadAddon();
const addonFile = process.argv[2] ?? Object.keys(require.cache).find((path) => path.endsWith('.node')) ?? '';
const { preludeSource } = require('./in-isolate/prelude.cjs');

/**
 * The only boundary between host code and sandboxed code. Apart from three callbacks, only primitive values cross it,
 * in both directions: no objects, functions or errors. Handles of isolated-vm (`Reference`, `Module`, …) stay on the
 * host's side.
 *
 * @typedef {import('./in-isolate/prelude.cjs').PreludeLimits} PreludeLimits
 * @typedef {{ outcome: 'done', text: string }
 *   | { outcome: 'memory' | 'time' | 'error' | 'output', message: string }} StepResult
 * @typedef {(...args: unknown[]) => string | undefined | void} HostCallback
 */

const MAX_MESSAGE_CHARS = 1000;
const OUTPUT_TOO_LARGE = 'the function returned more data than a run may store';
/** File name of the module in messages and stack traces. */
const FILENAME = 'function.mjs';

/**
 * @param {unknown} error
 * @param {import('isolated-vm').Isolate} isolate
 * @param {boolean} isOverdue
 * @returns {StepResult}
 */
const failureOf = (error, isolate, isOverdue) => {
  if (isolate.isDisposed) return { outcome: 'memory', message: 'the function exceeded its memory limit' };
  // isolated-vm creates this error on the host's side, from strings.
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isOverdue && message === 'Error: Script execution timed out.')
    return { outcome: 'time', message: 'the function exceeded its time limit' };
  const outcome = message.includes('Array buffer allocation failed') ? 'memory' : 'error';
  return { outcome, message: message.slice(0, MAX_MESSAGE_CHARS) };
};

/**
 * @param {{
 *   memoryMb: number, limits: PreludeLimits, log: HostCallback, url: HostCallback, scratch: HostCallback,
 * }} options
 */
const createFunctionIsolate = ({ memoryMb, limits, log, url, scratch }) => {
  const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
  const context = isolate.createContextSync();
  const sync = { sync: /** @type {true} */ (true) };
  /** @type {import('isolated-vm').Reference<Function>} */
  const runner = context.evalClosureSync(
    preludeSource(limits),
    [new ivm.Callback(log, sync), new ivm.Callback(url, sync), new ivm.Callback(scratch, sync)],
    { result: { reference: true }, filename: 'prelude' },
  );
  /** @type {import('isolated-vm').Reference<Record<string, unknown>> | undefined} */
  let moduleNamespace;

  /** @param {'state' | 'text'} command @returns {string} */
  const query = (command) => {
    const result = runner.applySync(undefined, [command]);
    return typeof result === 'string' ? result : '';
  };

  return {
    /** @param {string} source @param {number} timeoutMs @returns {StepResult} */
    load(source, timeoutMs) {
      const startedAt = performance.now();
      try {
        const module = isolate.compileModuleSync(source, { filename: FILENAME });
        const [imported] = module.dependencySpecifiers;
        if (imported !== undefined) {
          const name = imported.slice(0, 100);
          const message = `a function is one module and imports nothing, but it imports "${name}"`;
          return { outcome: 'error', message };
        }
        module.instantiateSync(context, () => {
          throw new Error('a function imports nothing');
        });
        module.evaluateSync({ timeout: timeoutMs });
        moduleNamespace = module.namespace;
        return { outcome: 'done', text: '' };
      } catch (error) {
        return failureOf(error, isolate, performance.now() - startedAt >= timeoutMs);
      }
    },
    /** @param {string} name @param {string} argument JSON or empty @param {number} timeoutMs @returns {StepResult} */
    call(name, argument, timeoutMs) {
      const startedAt = performance.now();
      if (moduleNamespace === undefined) return { outcome: 'error', message: 'the module is not loaded' };
      try {
        // All microtasks have run when this returns, because nothing in the isolate waits for anything outside.
        runner.applySync(undefined, ['call', moduleNamespace.derefInto(), name, argument], { timeout: timeoutMs });
        const state = query('state');
        if (state === 'pending')
          return { outcome: 'error', message: `the promise returned by "${name}" never settles` };
        const text = query('text');
        if (state === 'done')
          return text.length > limits.outputChars
            ? { outcome: 'output', message: OUTPUT_TOO_LARGE }
            : { outcome: 'done', text };
        return {
          outcome: state === 'memory' || state === 'output' ? state : 'error',
          message: text.slice(0, MAX_MESSAGE_CHARS),
        };
      } catch (error) {
        return failureOf(error, isolate, performance.now() - startedAt >= timeoutMs);
      }
    },
  };
};

module.exports = { addonFile, createFunctionIsolate, OUTPUT_TOO_LARGE };
