import { afterAll, describe, expect, it } from 'vitest';
import { createTestSandbox, outputOf, moduleWithProcess } from './harness.test-support.ts';
import { THOROUGH } from '../../../../tests/support/at-length.ts';

const sandbox = createTestSandbox();
afterAll(async () => sandbox.close());

/**
 * Before each attempt: `foreign(value)` walks from a value over prototypes, constructors and properties to every
 * function that can be reached, and names those whose realm is not the guest's own, or where the host shows.
 */
const TOOLS = `
const own = globalThis;
const { getPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect;
function foreign(start) {
  const found = [];
  const seen = new Set();
  const visit = (value, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || seen.size > 5000) return;
    seen.add(value);
    if (typeof value === 'function') {
      let realm;
      try { realm = value.constructor.constructor('return globalThis')() } catch { realm = undefined }
      if (realm !== undefined && realm !== own) found.push(path);
    }
    visit(getPrototypeOf(value), path + '.__proto__');
    for (const key of ownKeys(value)) {
      const { value: held, get, set } = getOwnPropertyDescriptor(value, key) ?? {};
      const at = path + '.' + String(key);
      if (['process', 'require', 'mainModule', 'binding', 'dlopen', 'applySync', 'derefInto'].includes(key) && value !== exported) found.push(at);
      visit(held, at); visit(get, at); visit(set, at);
    }
  };
  visit(start, 'start');
  return found;
}
const exported = {};
const attempt = (act) => { try { return act() } catch (error) { return error } };
`;

const NOT_THERE = [
  'process',
  'require',
  'module',
  'exports',
  '__dirname',
  'global',
  'Buffer',
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'Worker',
  'SharedWorker',
  'importScripts',
  'navigator',
  'performance',
  'crypto',
  'gc',
  'Deno',
  'Bun',
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'WeakRef',
  'FinalizationRegistry',
  'ShadowRealm',
  'ivm',
  '$0',
  '$1',
  '$2',
];

/** Attempts that modify shared state, or whose result is the attempt: each runs in a separate process. */
const ALONE: ReadonlySet<string> = new Set([
  'call sites of a stack',
  'call sites inside a console call',
  'captureStackTrace',
  'caller of a callback from the prelude',
  'an error when the stack is full, in the log',
  'an error when the stack is full, in an address',
  'an error when the stack is full, in a file',
  'a thenable as the answer',
  'what the runner awaits',
  'the key and holder of toJSON',
  'Function.prototype.call and apply watched',
  'array methods watched',
  'promises watched',
  'setters on the prototypes of everything',
  'Symbol.species and Symbol.hasInstance',
  'stacks that name places of this machine',
]);

/** Expressions; each must lead nowhere but into the guest's own realm. */
const ATTEMPTS: readonly (readonly [name: string, body: string])[] = [
  ['everything that is global', 'return foreign(globalThis)'],
  ['the constructor of a console function', 'return foreign(console.log.constructor("return this")())'],
  [
    'the constructors of the prelude',
    'return foreign([URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, scratch, console])',
  ],
  ['the constructor of async functions', 'return foreign((async () => {}).constructor("return globalThis"))'],
  ['the constructor of generators', 'return foreign((function* () {}).constructor("yield globalThis")().next())'],
  ['indirect eval', 'return foreign((0, eval)("this"))'],
  ['sloppy this', 'return foreign(new Function("return this")())'],
  ['arguments.callee.caller', 'return foreign(new Function("return [arguments.callee, arguments.callee.caller]")())'],
  [
    'caller of a callback from the prelude',
    'let seen = []; new URLSearchParams("a=1").forEach(new Function("v", "k", "p", "globalThis.seen = [arguments.callee.caller, this, p]")); return foreign(globalThis.seen)',
  ],
  [
    'call sites of a stack',
    'Error.prepareStackTrace = (e, sites) => sites.map((s) => [s.getThis(), s.getFunction(), s.getEvalOrigin(), s]); return foreign(new Error().stack)',
  ],
  [
    'call sites inside a console call',
    'let got; Error.prepareStackTrace = (e, sites) => sites; console.log({ toJSON() { got = new Error().stack.map((s) => [s.getThis(), s.getFunction()]) } }); return foreign(got)',
  ],
  [
    'captureStackTrace',
    'Error.prepareStackTrace = (e, s) => s; const o = {}; Error.captureStackTrace(o); return foreign(o.stack)',
  ],
  ['an error of the scratch files', 'return foreign(attempt(() => scratch.read("nope")))'],
  ['an error of an address', 'return foreign(attempt(() => new URL("nope")))'],
  ['an error of the decoder', 'return foreign(attempt(() => new TextDecoder("latin1")))'],
  ['an error of cloning', 'return foreign(attempt(() => structuredClone(() => 1)))'],
  [
    'an error when the stack is full, in the log',
    'let last; const f = () => { try { f() } catch (e) { last = e; try { console.log("x") } catch (e) { last = e } } }; f(); return foreign(last)',
  ],
  [
    'an error when the stack is full, in an address',
    'let all = []; const f = () => { try { new URL("https://a.example") } catch (e) { all.push(e) } f() }; attempt(f); return foreign(all)',
  ],
  [
    'an error when the stack is full, in a file',
    'let all = []; const f = () => { try { scratch.list() } catch (e) { all.push(e) } f() }; attempt(f); return foreign(all)',
  ],
  [
    'inspect symbols in the log',
    'let got = []; console.log({ [Symbol.for("nodejs.util.inspect.custom")](...a) { got.push(a) } }); return foreign(got)',
  ],
  [
    'a thenable as the answer',
    'let got = []; const r = { then(...a) { got.push(...a); a[0](1) } }; Promise.resolve(r); return new Promise((d) => r.then((...x) => d(foreign([got, x]))))',
  ],
  ['what the runner awaits', 'return { then(resolve, reject) { resolve(foreign([resolve, reject, this])) } }'],
  ['the key and holder of toJSON', 'let got; return { toJSON(...a) { return foreign([a, this]) } }'],
  [
    'Function.prototype.call and apply watched',
    'let got = []; const { apply, call } = Function.prototype; Function.prototype.apply = function (...a) { got.push(this, a); return Reflect.apply(this, ...a) }; Function.prototype.call = function (t, ...a) { got.push(this, t, a); return Reflect.apply(this, t, a) }; console.log("x"); new URL("https://a.example").href = "https://b.example"; scratch.write("a", "b"); scratch.read("a"); structuredClone({ a: [1] }); return foreign(got)',
  ],
  [
    'array methods watched',
    'let got = []; for (const k of ["push", "map", "forEach", "filter", "slice", Symbol.iterator]) { const o = Array.prototype[k]; Array.prototype[k] = function (...a) { got[got.length] = this; got[got.length] = a; return Reflect.apply(o, this, a) } } console.log("x", [1]); new URL("https://a.example?x=1").searchParams.append("a", "b"); scratch.list(); return foreign(got)',
  ],
  [
    'promises watched',
    'let got = []; const then = Promise.prototype.then; Promise.prototype.then = function (...a) { got.push(this, a); return then.apply(this, a) }; return (async () => { await null; await Promise.resolve(1).then(() => 1); return foreign(got) })()',
  ],
  [
    'setters on the prototypes of everything',
    'const keys = ["outcome", "text", "message", "code", "stack", "result", "url", "log"]; const got = new Set(); for (const k of keys) Object.defineProperty(Object.prototype, k, { set(v) { got.add(this).add(v) }, get() { got.add(this) }, configurable: true }); attempt(() => scratch.read("nope")); console.log({}); attempt(() => new URL("x:")); scratch.write("a", "b"); for (const k of keys) delete Object.prototype[k]; return foreign([...got])',
  ],
  [
    'Symbol.species and Symbol.hasInstance',
    'let got = []; class A extends Array { static get [Symbol.species]() { got.push(this); return A } } Object.defineProperty(Error, Symbol.hasInstance, { value(x) { got.push(x); return true } }); console.log(new A(3).map((x) => x)); return foreign(got)',
  ],
  [
    'proxies handed to everything',
    'let got = []; const p = new Proxy(function () {}, new Proxy({}, { get(t, trap) { return (...a) => { got.push(a); return Reflect[trap](...a) } } })); for (const f of [console.log, structuredClone, (x) => new URL(x), (x) => scratch.write("a", x), (x) => scratch.read(x), (x) => new TextEncoder().encode(x), (x) => new TextDecoder().decode(x)]) attempt(() => f(p)); return foreign(got)',
  ],
  [
    'a revoked proxy handed to everything',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return foreign([console.log, structuredClone, (x) => new URL(x), (x) => scratch.write("a", x)].map((f) => attempt(() => f(proxy))))',
  ],
  [
    'new.target and Reflect.construct',
    'return foreign([attempt(() => Reflect.construct(URL, ["https://a.example"], function () {})), attempt(() => Reflect.construct(ArrayBuffer, [8, { maxByteLength: 99 }], Object))])',
  ],
  [
    'private state through a subclass',
    'class X extends URL { constructor(u) { super(u); this.x = new.target } } return foreign(new X("https://a.example"))',
  ],
  [
    'buffers that were transferred',
    'const b = new ArrayBuffer(8); const c = b.transfer(16); return foreign([b, c, attempt(() => new Uint8Array(b)), attempt(() => new TextDecoder().decode(b)), attempt(() => scratch.write("a", b))])',
  ],
  [
    'a resizable buffer by any way',
    'const A = new Uint8Array(1).buffer.constructor; const tries = [new A(8, { maxByteLength: 64 }), Reflect.construct(A, [8, { maxByteLength: 64 }]), new (class extends A {})(8, { maxByteLength: 64 }), new A(8, { maxByteLength: 64 }).slice(0)]; return tries.filter((b) => b.resize !== undefined || b.resizable || "maxByteLength" in b).length === 0 ? [] : ["resizable"]',
  ],
  [
    'names of files that lead elsewhere',
    'return ["../x", "/etc/passwd", "a/b", "a\\\\b", "..", ".", "", "con\\u0000", "x".repeat(101), ".pid", "C:x"].filter((n) => !String(attempt(() => scratch.write(n, "x"))).includes("a name is"))',
  ],
  [
    'writing over the frozen globals',
    'for (const k of ["console", "URL", "scratch", "structuredClone"]) { attempt(() => { globalThis[k] = 1 }); attempt(() => { delete globalThis[k] }); attempt(() => Object.defineProperty(globalThis, k, { value: 1 })) } return [typeof console.log, typeof URL, typeof scratch.read, typeof structuredClone].filter((t) => t !== "function")',
  ],
  [
    'stacks that name places of this machine',
    'Error.stackTraceLimit = 100; const stacks = [new Error().stack, attempt(() => scratch.read("nope")).stack, attempt(() => new URL("nope")).stack, attempt(() => null.x).stack]; return stacks.filter((s) => /[\\\\/](?!function\\.mjs)|node:|sandbox|wall/.test(s))',
  ],
];

const IMPORTS = [
  'fs',
  'node:process',
  'isolated-vm',
  './other.mjs',
  'data:text/javascript,export default 1',
  'file:///etc/passwd',
  'https://example.org/x.mjs',
];

describe.concurrent('a guest', () => {
  it('finds nothing of the host in global names of hosts', async () => {
    const body = `return ${JSON.stringify(NOT_THERE)}.filter((name) => { try { return (0, eval)('typeof ' + name) !== 'undefined' } catch { return false } })`;
    expect(outputOf((await sandbox.run(`export function process() { ${body} }`)).step)).toEqual([]);
  });

  it.for(ATTEMPTS)('finds nothing of the host: %s', async ([name, body], { skip }) => {
    skip(!THOROUGH && !ALONE.has(name));
    expect(outputOf((await sandbox.run(TOOLS + moduleWithProcess(body))).step)).toEqual([]);
  });

  it('finds nothing of the host in the other attempts, in sequence', async () => {
    const others = ATTEMPTS.filter(([name]) => !ALONE.has(name));
    const acts = others.map(([name, body]) => `[${JSON.stringify(name)}, () => { ${body} }]`).join(',\n');
    const code = `const found = {}; for (const [name, act] of [${acts}]) found[name] = act(); return found`;
    const { step } = await sandbox.run(TOOLS + moduleWithProcess(code));
    expect(outputOf(step)).toEqual(Object.fromEntries(others.map(([name]) => [name, []])));
  });

  it('cannot hide known leaks from the detection tool (control)', async () => {
    // Otherwise the list above would be green for a blind tool.
    const body = 'return foreign({ a: { process: 1 } })';
    expect(outputOf((await sandbox.run(TOOLS + moduleWithProcess(body))).step)).toEqual(['start.a.process']);
  });
});

describe.concurrent('a module', () => {
  it.each(IMPORTS)('imports nothing statically: %s', async (name) => {
    const { step } = await sandbox.run(`import x from ${JSON.stringify(name)}; ${moduleWithProcess('return 1')}`);
    expect(outputOf(step)).toMatch(/^error: a function is one module and imports nothing/);
  });

  it.each(['export * from "fs";', 'export { x } from "fs";', 'import "fs";'])(
    'imports nothing as %s',
    async (statement) => {
      const { step } = await sandbox.run(`${statement} ${moduleWithProcess('return 1')}`);
      expect(outputOf(step)).toMatch(/^error: a function is one module and imports nothing/);
    },
  );

  it('imports nothing dynamically', async () => {
    const expressions = IMPORTS.map((name) => `import(${JSON.stringify(name)})`);
    const { step } = await sandbox.run(
      `export async function process() { const got = []; for (const load of [${expressions.map((load) => `() => ${load}`).join(', ')}]) { try { await load(); got.push('imported') } catch { got.push('refused') } } return got }`,
    );
    expect(outputOf(step)).toEqual(IMPORTS.map(() => 'refused'));
  });

  it('receives no path of its location', async () => {
    const { step } = await sandbox.run(moduleWithProcess('return [Object.keys(import.meta), typeof import.meta.url]'));
    expect(outputOf(step)).toEqual([[], 'undefined']);
  });
});

describe.concurrent('a result', () => {
  const RETURNED: readonly (readonly [name: string, body: string, expected: unknown])[] = [
    ['a getter', 'return { get a() { return 1 } }', { a: 1 }],
    ['a proxy', 'return new Proxy({ a: 1 }, {})', { a: 1 }],
    [
      'an own property called __proto__',
      'return JSON.parse(\'{"__proto__": {"a": 1}}\')',
      JSON.parse('{"__proto__": {"a": 1}}'),
    ],
    ['raw JSON', 'return [JSON.rawJSON("1e1000")]', [Infinity]],
    ['words of the runner', 'return { outcome: "memory", message: "x" }', { outcome: 'memory', message: 'x' }],
    ['lone surrogates', 'return "\\ud800"', '\ud800'],
    ['a promise of a promise', 'return Promise.resolve(Promise.resolve(1))', 1],
    ['JSON.stringify replaced', 'JSON.stringify = () => "no JSON"; return 1', 1],
    [
      'JSON.parse replaced',
      'JSON.parse = () => { throw 1 }; return request',
      { functionConfiguration: {}, request: {} },
    ],
    ['String.prototype replaced', 'String.prototype.toString = () => { throw 1 }; return "x"', 'x'],
    ['Array.prototype[Symbol.iterator] gone', 'delete Array.prototype[Symbol.iterator]; return [1]', [1]],
  ];

  const FORMS = new Set(['JSON.parse replaced', 'nothing', 'a symbol']);
  /** Returns true for cases that affect later return values. */
  const spoils = ([name]: readonly [name: string, ...unknown[]]): boolean => /replaced|gone/u.test(name);

  it('contains only text across calls', async () => {
    const harmless = RETURNED.filter((one) => !spoils(one));
    const turns = harmless.map(([, body], turn) => `if (request.turn === ${turn}) { ${body} }`);
    const session = sandbox.open(moduleWithProcess(turns.join('\n')));
    for (const [turn, [name, , expected]] of harmless.entries())
      expect([name, outputOf(await session.process(JSON.stringify({ turn })))]).toEqual([name, expected]);
    await session.close();
  });

  it.for(RETURNED)('contains only text: %s', async ([name, body, expected], { skip }) => {
    skip(!THOROUGH && (FORMS.has(name) || !spoils([name])));
    expect(outputOf((await sandbox.run(moduleWithProcess(body))).step)).toEqual(expected);
  });

  const THROWN: readonly (readonly [name: string, body: string, expected: RegExp])[] = [
    ['a text', 'throw "just text"', /^error: just text$/],
    ['nothing', 'throw undefined', /^error: undefined$/],
    ['a symbol', 'throw Symbol("s")', /^error: Symbol\(s\)$/],
    [
      'a getter that throws itself',
      'throw { get name() { throw this } }',
      /^error: something was thrown that cannot be shown$/,
    ],
    ['a proxy', 'throw new Proxy({}, { get() { throw 1 } })', /^error: something was thrown that cannot be shown$/],
    ['a message that is an object', 'throw { name: "X", message: { toString() { throw 1 } } }', /^error: X: $/],
    [
      'several lines and control characters',
      'throw new Error("a\\nb\\u0000\\u001b[31mc")',
      /^error: Error: a b {2}\[31mc$/,
    ],
    ['a long message', 'throw new Error("x".repeat(100000))', /^error: Error: x{900,1000}…?$/],
    [
      'an error that says it was the memory',
      'throw new Error("Script execution timed out.")',
      /^error: Error: Script execution timed out\.$/,
    ],
  ];

  it.for(THROWN)('contains only text if the function throws %s', async ([name, body, expected], { skip }) => {
    skip(!THOROUGH && FORMS.has(name));
    expect(outputOf((await sandbox.run(moduleWithProcess(body))).step)).toMatch(expected);
  });

  it.for(THROWN.filter(([name]) => name !== 'a long message'))(
    'contains only text if the module throws %s',
    async ([name, body], { skip }) => {
      skip(!THOROUGH && !name.startsWith('a getter'));
      expect(outputOf((await sandbox.run(body)).step)).toMatch(/^error: .{1,1100}$/);
    },
  );

  it('contains only text if the module does not parse', async () => {
    expect(outputOf((await sandbox.run('export function process( {')).step)).toMatch(/^error: SyntaxError: /);
  });

  it('contains only text if an export is missing or not a function', async () => {
    expect(outputOf((await sandbox.run('export const process = 1')).step)).toBe(
      'error: the module exports no function "process"',
    );
    expect(outputOf((await sandbox.run('export let process; throw 1')).step)).toBe('error: 1');
  });
});
