// @ts-check
'use strict';

/**
 * The console: lines of text into the log of the run. The bounds here spare the way over the wall; those that count
 * are kept outside.
 *
 * @param {(level: string, text: string) => void} write
 * @param {{ lineChars: number, lines: number }} limits
 */
function makeConsole(write, limits) {
  const { stringify } = JSON;
  const { freeze } = Object;
  const toText = String;
  let left = limits.lines;

  /** @param {unknown} value */
  const show = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (value instanceof Error) return toText(value.stack ?? value);
      if (typeof value === 'object' && value !== null) return stringify(value) ?? toText(value);
      return toText(value);
    } catch {
      return '[cannot be shown]';
    }
  };

  /** @param {string} level */
  const say =
    (level) =>
    /** @param {unknown[]} values */
    (...values) => {
      if (left <= 0) return;
      left -= 1;
      let text = '';
      for (let index = 0; index < values.length && text.length < limits.lineChars; index += 1) {
        const next = show(values[index]);
        text += (index === 0 ? '' : ' ') + (next.length > limits.lineChars ? next.slice(0, limits.lineChars) : next);
      }
      write(level, text.length > limits.lineChars ? `${text.slice(0, limits.lineChars)}…` : text);
    };

  return freeze({
    log: freeze(say('log')),
    info: freeze(say('log')),
    debug: freeze(say('log')),
    warn: freeze(say('warn')),
    error: freeze(say('error')),
  });
}

exports.makeConsole = makeConsole;
