// @ts-check
'use strict';

/**
 * Provides `console`, which writes lines to the log of the run. The limits here only save calls to the host, which
 * enforces its own limits.
 *
 * @param {(level: string, text: string) => void} write
 * @param {{ lineChars: number, lines: number }} limits
 */
function makeConsole(write, limits) {
  const { stringify } = JSON;
  const { freeze } = Object;
  const toText = String;
  let linesLeft = limits.lines;

  /** @param {unknown} value */
  const toDisplayText = (value) => {
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
  const createLogger =
    (level) =>
    /** @param {unknown[]} values */
    (...values) => {
      if (linesLeft <= 0) return;
      linesLeft -= 1;
      let text = '';
      for (let index = 0; index < values.length && text.length < limits.lineChars; index += 1) {
        const next = toDisplayText(values[index]);
        text += (index === 0 ? '' : ' ') + (next.length > limits.lineChars ? next.slice(0, limits.lineChars) : next);
      }
      write(level, text.length > limits.lineChars ? `${text.slice(0, limits.lineChars)}…` : text);
    };

  return freeze({
    log: freeze(createLogger('log')),
    info: freeze(createLogger('log')),
    debug: freeze(createLogger('log')),
    warn: freeze(createLogger('warn')),
    error: freeze(createLogger('error')),
  });
}

exports.makeConsole = makeConsole;
