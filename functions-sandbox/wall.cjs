// @ts-check
'use strict';

/**
 * The addon. Its package looks for the file that fits this machine, which takes longer than all the rest of ours; so the
 * server, which was told by the first sandbox, names the file to those that follow.
 *
 * @returns {typeof import('isolated-vm')}
 */
const loadAddon = () => {
  const known = process.argv[2];
  if (known === undefined) return require('isolated-vm');
  const addon = { exports: { ivm: undefined } };
  process.dlopen(addon, known);
  if (addon.exports.ivm === undefined) throw new Error('not the file of isolated-vm');
  return addon.exports.ivm;
};

const ivm = loadAddon();
/** The file that it was loaded from. */
const addonFile = process.argv[2] ?? Object.keys(require.cache).find((path) => path.endsWith('.node')) ?? '';
const { preludeSource } = require('./guest/prelude.cjs');

/**
 * The one place where code of ours and code of the guest meet. Over it go texts, both ways, and nothing else: no
 * object, function or error. isolated-vm's handles (`Reference`, `Module`, …) stay on this side.
 *
 * @typedef {import('./guest/prelude.cjs').PreludeLimits} PreludeLimits
 * @typedef {{ outcome: 'done', text: string } | { outcome: 'memory' | 'time' | 'error' | 'output', message: string }} Ended
 * @typedef {(...given: unknown[]) => string | undefined | void} Bridge
 */

/** Characters of a message. */
const MAX_MESSAGE_CHARS = 1000;
/** So the module is called in messages and stacks. */
const FILENAME = 'function.mjs';

/** @param {unknown} error @param {import('isolated-vm').Isolate} isolate @param {boolean} overdue @returns {Ended} */
const failureOf = (error, isolate, overdue) => {
  if (isolate.isDisposed) return { outcome: 'memory', message: 'the function used more memory than its cap' };
  // isolated-vm made this error on our side, of texts.
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (overdue && message === 'Error: Script execution timed out.')
    return { outcome: 'time', message: 'the function took too long' };
  const outcome = message.includes('Array buffer allocation failed') ? 'memory' : 'error';
  return { outcome, message: message.slice(0, MAX_MESSAGE_CHARS) };
};

/**
 * @param {{ memoryMb: number, limits: PreludeLimits, log: Bridge, url: Bridge, scratch: Bridge }} options
 */
const createGuest = ({ memoryMb, limits, log, url, scratch }) => {
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
  let exported;

  /** @param {'state' | 'text'} what @returns {string} */
  const ask = (what) => {
    const answer = runner.applySync(undefined, [what]);
    return typeof answer === 'string' ? answer : '';
  };

  return {
    /**
     * Compiles and evaluates the module.
     *
     * @param {string} source @param {number} timeoutMs @returns {Ended}
     */
    load(source, timeoutMs) {
      const began = performance.now();
      try {
        const module = isolate.compileModuleSync(source, { filename: FILENAME });
        const [imported] = module.dependencySpecifiers;
        if (imported !== undefined) {
          const name = imported.slice(0, 100);
          return {
            outcome: 'error',
            message: `a function is one module and imports nothing, but it imports "${name}"`,
          };
        }
        module.instantiateSync(context, () => {
          throw new Error('a function imports nothing');
        });
        module.evaluateSync({ timeout: timeoutMs });
        exported = module.namespace;
        return { outcome: 'done', text: '' };
      } catch (error) {
        return failureOf(error, isolate, performance.now() - began >= timeoutMs);
      }
    },
    /**
     * Calls what the module exports by this name.
     *
     * @param {string} name @param {string} argument JSON text, or empty @param {number} timeoutMs @returns {Ended}
     */
    call(name, argument, timeoutMs) {
      const began = performance.now();
      if (exported === undefined) return { outcome: 'error', message: 'the module is not loaded' };
      try {
        // Microtasks have all run when this returns: nothing in here waits for anything outside.
        runner.applySync(undefined, ['call', exported.derefInto(), name, argument], { timeout: timeoutMs });
        const state = ask('state');
        if (state === 'pending')
          return {
            outcome: 'error',
            message: `the promise of "${name}" is never settled: there is nothing left to run`,
          };
        const text = ask('text');
        if (state === 'done')
          return text.length > limits.outputChars
            ? { outcome: 'output', message: 'the function returned too much' }
            : { outcome: 'done', text };
        return {
          outcome: state === 'memory' || state === 'output' ? state : 'error',
          message: text.slice(0, MAX_MESSAGE_CHARS),
        };
      } catch (error) {
        return failureOf(error, isolate, performance.now() - began >= timeoutMs);
      }
    },
  };
};

module.exports = { addonFile, createGuest };
