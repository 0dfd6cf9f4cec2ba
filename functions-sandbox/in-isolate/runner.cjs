// @ts-check
'use strict';

/**
 * Returns the runner, which calls exported functions of the module and stores the outcome as text. It returns only
 * strings. Thrown values are converted to text inside the isolate, where their getters have no more power than the
 * function.
 *
 * @param {(level: string, text: string) => void} write
 * @param {{ messageChars: number, lineChars: number, outputChars: number }} limits
 */
function makeRunner(write, limits) {
  const { parse, stringify } = JSON;
  const toText = String;
  /** @type {'done' | 'memory' | 'error' | 'output' | 'pending'} */
  let state = 'pending';
  let text = '';

  /** @param {unknown} error */
  const describe = (error) => {
    try {
      if (typeof error !== 'object' || error === null) return toText(error).slice(0, limits.messageChars);
      const { name, message } = /** @type {Record<string, unknown>} */ (error);
      const shortMessage = typeof message === 'string' ? message.slice(0, limits.messageChars) : '';
      return typeof name === 'string' && name !== ''
        ? `${name.slice(0, 100)}: ${shortMessage}`
        : shortMessage || 'an object was thrown';
    } catch {
      return 'the thrown value cannot be shown';
    }
  };

  /** @param {'memory' | 'error' | 'output'} outcome @param {string} message */
  const fail = (outcome, message) => {
    state = outcome;
    text = message;
  };

  /** @param {unknown} error */
  const failWith = (error) => {
    const message = describe(error);
    fail(message.includes('Array buffer allocation failed') ? 'memory' : 'error', message);
    try {
      const { stack } = /** @type {{ stack?: unknown }} */ (error);
      if (typeof stack === 'string') write('error', stack.slice(0, limits.lineChars));
    } catch {
      // An error whose stack cannot be read has already been described.
    }
  };

  /** @param {unknown} value */
  const finish = (value) => {
    let json;
    try {
      json = stringify(value);
    } catch (error) {
      fail('output', `the return value cannot be written as JSON (${describe(error)})`);
      return;
    }
    if (typeof json !== 'string') fail('output', 'the function returned nothing that can be written as JSON');
    else if (json.length > limits.outputChars) fail('output', 'the function returned more data than a run may store');
    else {
      state = 'done';
      text = json;
    }
  };

  /** @param {Record<string, unknown>} exported @param {string} name @param {string} argument JSON text, or empty */
  const call = async (exported, name, argument) => {
    try {
      const operation = exported[name];
      if (typeof operation !== 'function') {
        fail('error', `the module exports no function "${name}"`);
        return;
      }
      finish(await (argument === '' ? operation() : operation(parse(argument))));
    } catch (error) {
      failWith(error);
    }
  };

  /**
   * @param {'call' | 'state' | 'text'} command
   * @param {Record<string, unknown>} [exported] @param {string} [name] @param {string} [argument]
   */
  return (command, exported, name, argument) => {
    if (command === 'state') return state;
    if (command === 'text') {
      const result = text;
      text = '';
      return result;
    }
    state = 'pending';
    text = '';
    if (exported !== undefined && name !== undefined) void call(exported, name, argument ?? '');
    return '';
  };
}

exports.makeRunner = makeRunner;
