// @ts-check
'use strict';

/**
 * Provides `URL` and `URLSearchParams`. The host parses URLs with the standard parser: it receives strings and returns
 * the parts as JSON text.
 *
 * @param {(operation: 'parse' | 'set', first: string, second: string, third: string) => string | undefined} callHost
 */
function makeUrlClasses(callHost) {
  const { freeze, defineProperty } = Object;
  const { parse } = JSON;
  const PARTS = /** @type {const} */ ([
    'href',
    'origin',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
  ]);
  const encodeText = encodeURIComponent;
  const decodeText = decodeURIComponent;
  /** String conversion as in the standard. @type {(value: unknown) => string} */
  const toText = String;

  /** @param {string} text */
  const escape = (text) =>
    encodeText(text.toWellFormed())
      .replaceAll('%20', '+')
      .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  /** @param {string} text */
  const unescape = (text) => {
    const textWithSpaces = text.replaceAll('+', ' ');
    try {
      return decodeText(textWithSpaces);
    } catch {
      // A stray percent sign is literal. Encoded bytes stay encoded if they and their neighbours are not valid UTF-8.
      return textWithSpaces.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
        try {
          return decodeText(run);
        } catch {
          return run;
        }
      });
    }
  };

  /**
   * Connects the search parameters to a URL. The class below assigns the function, which accesses its private fields.
   *
   * @type {(params: URLSearchParams, text: string, onChange: (text: string) => void) => void}
   */
  let connect;

  class URLSearchParams {
    /** @type {[string, string][]} */
    #pairs = [];
    /** @type {((text: string) => void) | undefined} */
    #onChange;

    /** @param {unknown} init */
    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        const entries = /** @type {Iterable<[unknown, unknown]>} */ (
          Symbol.iterator in init ? init : Object.entries(init)
        );
        for (const [name, value] of entries) this.#pairs.push([toText(name), toText(value)]);
      } else this.#parse(toText(init));
    }

    /** @param {string} text */
    #parse(text) {
      this.#pairs = [];
      for (const part of text.replace(/^\?/, '').split('&')) {
        if (part === '') continue;
        const separator = part.indexOf('=');
        this.#pairs.push(
          separator === -1
            ? [unescape(part), '']
            : [unescape(part.slice(0, separator)), unescape(part.slice(separator + 1))],
        );
      }
    }

    #notify() {
      this.#onChange?.(this.toString());
    }

    /** @param {URLSearchParams} params @param {string} text @param {(text: string) => void} onChange */
    static #connect(params, text, onChange) {
      params.#parse(text);
      params.#onChange = onChange;
    }

    static {
      connect = URLSearchParams.#connect;
    }

    get size() {
      return this.#pairs.length;
    }

    /** @param {string} name @param {string} value */
    append(name, value) {
      this.#pairs.push([toText(name), toText(value)]);
      this.#notify();
    }

    /** @param {string} name @param {string} [value] */
    delete(name, value) {
      this.#pairs = this.#pairs.filter(
        ([key, existingValue]) => key !== toText(name) || (value !== undefined && existingValue !== toText(value)),
      );
      this.#notify();
    }

    /** @param {string} name */
    get(name) {
      return this.#pairs.find(([key]) => key === toText(name))?.[1] ?? null;
    }

    /** @param {string} name */
    getAll(name) {
      return this.#pairs.filter(([key]) => key === toText(name)).map(([, value]) => value);
    }

    /** @param {string} name @param {string} [value] */
    has(name, value) {
      return this.#pairs.some(
        ([key, existingValue]) => key === toText(name) && (value === undefined || existingValue === toText(value)),
      );
    }

    /** @param {string} name @param {string} value */
    set(name, value) {
      const firstIndex = this.#pairs.findIndex(([key]) => key === toText(name));
      if (firstIndex === -1) this.#pairs.push([toText(name), toText(value)]);
      else {
        this.#pairs = this.#pairs.filter(([key], index) => index <= firstIndex || key !== toText(name));
        this.#pairs[firstIndex] = [toText(name), toText(value)];
      }
      this.#notify();
    }

    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#notify();
    }

    /** @param {(value: string, name: string, params: URLSearchParams) => void} visit */
    forEach(visit) {
      for (const [name, value] of this.#pairs) visit(value, name, this);
    }

    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }

    *keys() {
      for (const [name] of this.#pairs) yield name;
    }

    *values() {
      for (const [, value] of this.#pairs) yield value;
    }

    toString() {
      return this.#pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`).join('&');
    }
  }
  defineProperty(URLSearchParams.prototype, Symbol.iterator, { value: URLSearchParams.prototype.entries });

  class URL {
    /** @type {Record<string, string>} */
    #parts = {};
    #params = new URLSearchParams();

    /** @param {unknown} address @param {unknown} [base] */
    constructor(address, base) {
      const parts = callHost(
        'parse',
        toText(address),
        base === undefined ? '' : toText(base),
        base === undefined ? '' : 'base',
      );
      if (parts === undefined) throw new TypeError('Invalid URL');
      this.#setParts(parts);
    }

    /** @param {unknown} address @param {unknown} [base] */
    static canParse(address, base) {
      return URL.parse(address, base) !== null;
    }

    /** @param {unknown} address @param {unknown} [base] */
    static parse(address, base) {
      try {
        return new URL(address, base);
      } catch {
        return null;
      }
    }

    /** @param {string} text */
    #setParts(text) {
      /** @type {string[]} */
      const values = parse(text);
      PARTS.forEach((part, index) => {
        this.#parts[part] = values[index] ?? '';
      });
      connect(this.#params, this.#parts['search'] ?? '', (search) => this.#change('search', search));
    }

    /** @param {string} part @param {unknown} value */
    #change(part, value) {
      const parts = callHost('set', this.#parts['href'] ?? '', part, toText(value));
      if (parts !== undefined) this.#setParts(parts);
      else if (part === 'href') throw new TypeError('Invalid URL');
    }

    get searchParams() {
      return this.#params;
    }

    toString() {
      return this.#parts['href'] ?? '';
    }

    toJSON() {
      return this.toString();
    }

    /** @param {URL} url @param {string} part */
    static #get(url, part) {
      return url.#parts[part];
    }

    /** @param {URL} url @param {string} part @param {unknown} value */
    static #set(url, part, value) {
      url.#change(part, value);
    }

    static {
      for (const part of PARTS) {
        defineProperty(URL.prototype, part, {
          get() {
            return URL.#get(this, part);
          },
          ...(part === 'origin'
            ? {}
            : {
                /** @this {URL} @param {unknown} value */
                set(value) {
                  URL.#set(this, part, value);
                },
              }),
          enumerable: true,
        });
      }
    }
  }

  for (const exported of [URL, URLSearchParams]) {
    freeze(exported);
    freeze(exported.prototype);
  }
  return { URL, URLSearchParams };
}

exports.makeUrlClasses = makeUrlClasses;
