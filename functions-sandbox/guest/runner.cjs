// @ts-check
'use strict';

/**
 * Calls what the module exports and keeps the outcome as text. All that leaves the isolate is what `run` returns: a
 * word or a text. What the guest throws is described in here, among its own kind, where its getters can do no more
 * than the guest can anyway.
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
      const said = typeof message === 'string' ? message.slice(0, limits.messageChars) : '';
      return typeof name === 'string' && name !== ''
        ? `${name.slice(0, 100)}: ${said}`
        : said || 'an object was thrown';
    } catch {
      return 'something was thrown that cannot be shown';
    }
  };

  /** @param {'memory' | 'error' | 'output'} outcome @param {string} message */
  const fail = (outcome, message) => {
    state = outcome;
    text = message;
  };

  /** @param {unknown} error */
  const failed = (error) => {
    const message = describe(error);
    fail(message.includes('Array buffer allocation failed') ? 'memory' : 'error', message);
    try {
      const { stack } = /** @type {{ stack?: unknown }} */ (error);
      if (typeof stack === 'string') write('error', stack.slice(0, limits.lineChars));
    } catch {
      // The stack is a help to authors; an error that does not let it be read has been described all the same.
    }
  };

  /** @param {unknown} value */
  const finish = (value) => {
    let json;
    try {
      json = stringify(value);
    } catch (error) {
      fail('output', `what the function returned cannot be written as JSON (${describe(error)})`);
      return;
    }
    if (typeof json !== 'string') fail('output', 'the function returned nothing that can be written as JSON');
    else if (json.length > limits.outputChars) fail('output', 'the function returned too much');
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
      failed(error);
    }
  };

  /**
   * @param {'call' | 'state' | 'text'} what
   * @param {Record<string, unknown>} [exported] @param {string} [name] @param {string} [argument]
   */
  return (what, exported, name, argument) => {
    if (what === 'state') return state;
    if (what === 'text') {
      const taken = text;
      text = '';
      return taken;
    }
    state = 'pending';
    text = '';
    if (exported !== undefined && name !== undefined) void call(exported, name, argument ?? '');
    return '';
  };
}

exports.makeRunner = makeRunner;
