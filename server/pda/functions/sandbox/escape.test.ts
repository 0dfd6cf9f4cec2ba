import { afterAll, describe, expect, it } from 'vitest';
import { createTestSandbox, outputOf, moduleWithProcess } from './harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const sandbox = createTestSandbox();
afterAll(async () => sandbox.close());

/**
 * Code that precedes each attempt: `hostPathsIn(value)` follows prototypes, constructors and properties from a value to
 * every reachable function. It returns the paths of functions from another realm and of names that belong to the host.
 */
const PROBE_SOURCE = `
const sandboxGlobal = globalThis;
const { getPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect;
function hostPathsIn(start) {
  const paths = [];
  const seen = new Set();
  const visit = (value, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || seen.size > 5000) return;
    seen.add(value);
    if (typeof value === 'function') {
      let realm;
      try { realm = value.constructor.constructor('return globalThis')() } catch { realm = undefined }
      if (realm !== undefined && realm !== sandboxGlobal) paths.push(path);
    }
    visit(getPrototypeOf(value), path + '.__proto__');
    for (const key of ownKeys(value)) {
      const { value: propertyValue, get, set } = getOwnPropertyDescriptor(value, key) ?? {};
      const at = path + '.' + String(key);
      if (['process', 'require', 'mainModule', 'binding', 'dlopen', 'applySync', 'derefInto'].includes(key)) paths.push(at);
      visit(propertyValue, at); visit(get, at); visit(set, at);
    }
  };
  visit(start, 'start');
  return paths;
}
const attempt = (act) => { try { return act() } catch (error) { return error } };
`;

const HOST_GLOBALS = [
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

/** Attempts that modify shared state or depend on their call stack. Each runs in a separate process. */
const ISOLATED_ATTEMPTS: ReadonlySet<string> = new Set([
  'call sites of a stack trace',
  'call sites during a console call',
  'captureStackTrace',
  'arguments.callee.caller in a callback of the prelude',
  'a stack overflow in console.log',
  'a stack overflow in the URL constructor',
  'a stack overflow in scratch.list',
  'a thenable as the return value of a promise',
  'a thenable that the runner awaits',
  'the key and holder of toJSON',
  'Function.prototype.call and apply replaced by recorders',
  'array methods replaced by recorders',
  'Promise.prototype.then replaced by a recorder',
  'setters on Object.prototype',
  'Symbol.species and Symbol.hasInstance',
  'stack traces that contain paths of this machine',
]);

/**
 * Names and function bodies. Each body returns the violations that it finds, such as paths of host objects; an empty
 * list is expected.
 */
const ATTEMPTS: readonly (readonly [name: string, body: string])[] = [
  ['all globals', 'return hostPathsIn(globalThis)'],
  ['the constructor of a console function', 'return hostPathsIn(console.log.constructor("return this")())'],
  [
    'the constructors of the prelude',
    'return hostPathsIn([URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, scratch, console])',
  ],
  ['the constructor of async functions', 'return hostPathsIn((async () => {}).constructor("return globalThis"))'],
  ['the constructor of generators', 'return hostPathsIn((function* () {}).constructor("yield globalThis")().next())'],
  ['indirect eval', 'return hostPathsIn((0, eval)("this"))'],
  ['sloppy this', 'return hostPathsIn(new Function("return this")())'],
  [
    'arguments.callee.caller',
    'return hostPathsIn(new Function("return [arguments.callee, arguments.callee.caller]")())',
  ],
  [
    'arguments.callee.caller in a callback of the prelude',
    'let seen = []; new URLSearchParams("a=1").forEach(new Function("v", "k", "p", "globalThis.seen = [arguments.callee.caller, this, p]")); return hostPathsIn(globalThis.seen)',
  ],
  [
    'call sites of a stack trace',
    'Error.prepareStackTrace = (e, sites) => sites.map((s) => [s.getThis(), s.getFunction(), s.getEvalOrigin(), s]); return hostPathsIn(new Error().stack)',
  ],
  [
    'call sites during a console call',
    'let got; Error.prepareStackTrace = (e, sites) => sites; console.log({ toJSON() { got = new Error().stack.map((s) => [s.getThis(), s.getFunction()]) } }); return hostPathsIn(got)',
  ],
  [
    'captureStackTrace',
    'Error.prepareStackTrace = (e, s) => s; const o = {}; Error.captureStackTrace(o); return hostPathsIn(o.stack)',
  ],
  ['an error of the scratch files', 'return hostPathsIn(attempt(() => scratch.read("nope")))'],
  ['an error of the URL constructor', 'return hostPathsIn(attempt(() => new URL("nope")))'],
  ['an error of TextDecoder', 'return hostPathsIn(attempt(() => new TextDecoder("latin1")))'],
  ['an error of structuredClone', 'return hostPathsIn(attempt(() => structuredClone(() => 1)))'],
  [
    'a stack overflow in console.log',
    'let last; const f = () => { try { f() } catch (e) { last = e; try { console.log("x") } catch (e) { last = e } } }; f(); return hostPathsIn(last)',
  ],
  [
    'a stack overflow in the URL constructor',
    'let all = []; const f = () => { try { new URL("https://a.example") } catch (e) { all.push(e) } f() }; attempt(f); return hostPathsIn(all)',
  ],
  [
    'a stack overflow in scratch.list',
    'let all = []; const f = () => { try { scratch.list() } catch (e) { all.push(e) } f() }; attempt(f); return hostPathsIn(all)',
  ],
  [
    'the inspect symbol of Node in a logged object',
    'let got = []; console.log({ [Symbol.for("nodejs.util.inspect.custom")](...a) { got.push(a) } }); return hostPathsIn(got)',
  ],
  [
    'a thenable as the return value of a promise',
    'let got = []; const r = { then(...a) { got.push(...a); a[0](1) } }; Promise.resolve(r); return new Promise((d) => r.then((...x) => d(hostPathsIn([got, x]))))',
  ],
  [
    'a thenable that the runner awaits',
    'return { then(resolve, reject) { resolve(hostPathsIn([resolve, reject, this])) } }',
  ],
  ['the key and holder of toJSON', 'let got; return { toJSON(...a) { return hostPathsIn([a, this]) } }'],
  [
    'Function.prototype.call and apply replaced by recorders',
    'let got = []; const { apply, call } = Function.prototype; Function.prototype.apply = function (...a) { got.push(this, a); return Reflect.apply(this, ...a) }; Function.prototype.call = function (t, ...a) { got.push(this, t, a); return Reflect.apply(this, t, a) }; console.log("x"); new URL("https://a.example").href = "https://b.example"; scratch.write("a", "b"); scratch.read("a"); structuredClone({ a: [1] }); return hostPathsIn(got)',
  ],
  [
    'array methods replaced by recorders',
    'let got = []; for (const k of ["push", "map", "forEach", "filter", "slice", Symbol.iterator]) { const o = Array.prototype[k]; Array.prototype[k] = function (...a) { got[got.length] = this; got[got.length] = a; return Reflect.apply(o, this, a) } } console.log("x", [1]); new URL("https://a.example?x=1").searchParams.append("a", "b"); scratch.list(); return hostPathsIn(got)',
  ],
  [
    'Promise.prototype.then replaced by a recorder',
    'let got = []; const then = Promise.prototype.then; Promise.prototype.then = function (...a) { got.push(this, a); return then.apply(this, a) }; return (async () => { await null; await Promise.resolve(1).then(() => 1); return hostPathsIn(got) })()',
  ],
  [
    'setters on Object.prototype',
    'const keys = ["outcome", "text", "message", "code", "stack", "result", "url", "log"]; const got = new Set(); for (const k of keys) Object.defineProperty(Object.prototype, k, { set(v) { got.add(this).add(v) }, get() { got.add(this) }, configurable: true }); attempt(() => scratch.read("nope")); console.log({}); attempt(() => new URL("x:")); scratch.write("a", "b"); for (const k of keys) delete Object.prototype[k]; return hostPathsIn([...got])',
  ],
  [
    'Symbol.species and Symbol.hasInstance',
    'let got = []; class A extends Array { static get [Symbol.species]() { got.push(this); return A } } Object.defineProperty(Error, Symbol.hasInstance, { value(x) { got.push(x); return true } }); console.log(new A(3).map((x) => x)); return hostPathsIn(got)',
  ],
  [
    'a proxy as an argument of every built-in',
    'let got = []; const p = new Proxy(function () {}, new Proxy({}, { get(t, trap) { return (...a) => { got.push(a); return Reflect[trap](...a) } } })); for (const f of [console.log, structuredClone, (x) => new URL(x), (x) => scratch.write("a", x), (x) => scratch.read(x), (x) => new TextEncoder().encode(x), (x) => new TextDecoder().decode(x)]) attempt(() => f(p)); return hostPathsIn(got)',
  ],
  [
    'a revoked proxy as an argument of every built-in',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return hostPathsIn([console.log, structuredClone, (x) => new URL(x), (x) => scratch.write("a", x)].map((f) => attempt(() => f(proxy))))',
  ],
  [
    'new.target and Reflect.construct',
    'return hostPathsIn([attempt(() => Reflect.construct(URL, ["https://a.example"], function () {})), attempt(() => Reflect.construct(ArrayBuffer, [8, { maxByteLength: 99 }], Object))])',
  ],
  [
    'private state through a subclass',
    'class X extends URL { constructor(u) { super(u); this.x = new.target } } return hostPathsIn(new X("https://a.example"))',
  ],
  [
    'transferred buffers',
    'const b = new ArrayBuffer(8); const c = b.transfer(16); return hostPathsIn([b, c, attempt(() => new Uint8Array(b)), attempt(() => new TextDecoder().decode(b)), attempt(() => scratch.write("a", b))])',
  ],
  [
    'resizable buffers',
    'const A = new Uint8Array(1).buffer.constructor; const tries = [new A(8, { maxByteLength: 64 }), Reflect.construct(A, [8, { maxByteLength: 64 }]), new (class extends A {})(8, { maxByteLength: 64 }), new A(8, { maxByteLength: 64 }).slice(0)]; return tries.filter((b) => b.resize !== undefined || b.resizable || "maxByteLength" in b).length === 0 ? [] : ["resizable"]',
  ],
  [
    'file names that escape the scratch folder',
    'return ["../x", "/etc/passwd", "a/b", "a\\\\b", "..", ".", "", "con\\u0000", "x".repeat(101), ".pid", "C:x"].filter((n) => !String(attempt(() => scratch.write(n, "x"))).includes("a name has"))',
  ],
  [
    'overwriting the frozen globals',
    'for (const k of ["console", "URL", "scratch", "structuredClone"]) { attempt(() => { globalThis[k] = 1 }); attempt(() => { delete globalThis[k] }); attempt(() => Object.defineProperty(globalThis, k, { value: 1 })) } return [typeof console.log, typeof URL, typeof scratch.read, typeof structuredClone].filter((t) => t !== "function")',
  ],
  [
    'stack traces that contain paths of this machine',
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

describe.concurrent('sandboxed code', () => {
  it('has no globals for modules, network access, timers, threads, shared memory, weak references or realms', async () => {
    const body = `return ${JSON.stringify(HOST_GLOBALS)}.filter((name) => { try { return (0, eval)('typeof ' + name) !== 'undefined' } catch { return false } })`;
    expect(outputOf((await sandbox.run(`export function process() { ${body} }`)).step)).toEqual([]);
  });

  it.for(ATTEMPTS)('reaches no host object: %s', async ([name, body], { skip }) => {
    skip(!IS_THOROUGH_RUN && !ISOLATED_ATTEMPTS.has(name));
    expect(outputOf((await sandbox.run(PROBE_SOURCE + moduleWithProcess(body))).step)).toEqual([]);
  });

  it('reaches no host object in the other attempts, in sequence', async () => {
    const sharedAttempts = ATTEMPTS.filter(([name]) => !ISOLATED_ATTEMPTS.has(name));
    const acts = sharedAttempts.map(([name, body]) => `[${JSON.stringify(name)}, () => { ${body} }]`).join(',\n');
    const code = `const results = {}; for (const [name, act] of [${acts}]) results[name] = act(); return results`;
    const { step } = await sandbox.run(PROBE_SOURCE + moduleWithProcess(code));
    expect(outputOf(step)).toEqual(Object.fromEntries(sharedAttempts.map(([name]) => [name, []])));
  });

  it('is detected by the probe if it reaches a property that is named like a host object (control)', async () => {
    // Otherwise the attempts above would pass with a probe that detects nothing.
    const body = 'return hostPathsIn({ a: { process: 1 } })';
    expect(outputOf((await sandbox.run(PROBE_SOURCE + moduleWithProcess(body))).step)).toEqual(['start.a.process']);
  });
});

describe.concurrent('a module', () => {
  it.each(IS_THOROUGH_RUN ? IMPORTS : IMPORTS.slice(0, 2))('imports nothing statically: %s', async (name) => {
    const { step } = await sandbox.run(`import x from ${JSON.stringify(name)}; ${moduleWithProcess('return 1')}`);
    expect(outputOf(step)).toMatch(/^error: a function is one module and imports nothing/);
  });

  it.each(['export * from "fs";', 'export { x } from "fs";', 'import "fs";'])(
    'imports nothing with %s',
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

  it('cannot read its own path from import.meta', async () => {
    const { step } = await sandbox.run(moduleWithProcess('return [Object.keys(import.meta), typeof import.meta.url]'));
    expect(outputOf(step)).toEqual([[], 'undefined']);
  });
});

describe.concurrent('a result', () => {
  const RETURN_CASES: readonly (readonly [name: string, body: string, expected: unknown])[] = [
    ['a getter', 'return { get a() { return 1 } }', { a: 1 }],
    ['a proxy', 'return new Proxy({ a: 1 }, {})', { a: 1 }],
    [
      'an own property called __proto__',
      'return JSON.parse(\'{"__proto__": {"a": 1}}\')',
      JSON.parse('{"__proto__": {"a": 1}}'),
    ],
    ['raw JSON', 'return [JSON.rawJSON("1e1000")]', [Infinity]],
    ['property names of the runner', 'return { outcome: "memory", message: "x" }', { outcome: 'memory', message: 'x' }],
    ['lone surrogates', 'return "\\ud800"', '\ud800'],
    ['a promise of a promise', 'return Promise.resolve(Promise.resolve(1))', 1],
    ['JSON.stringify replaced', 'JSON.stringify = () => "no JSON"; return 1', 1],
    [
      'JSON.parse replaced',
      'JSON.parse = () => { throw 1 }; return request',
      { functionConfiguration: {}, request: {} },
    ],
    ['String.prototype.toString replaced', 'String.prototype.toString = () => { throw 1 }; return "x"', 'x'],
    ['Array.prototype[Symbol.iterator] deleted', 'delete Array.prototype[Symbol.iterator]; return [1]', [1]],
  ];

  const LONG_RUN_ONLY = new Set(['JSON.parse replaced', 'undefined', 'a symbol']);
  /** Returns true for cases that affect later return values. */
  const hasSideEffects = ([name]: readonly [name: string, ...unknown[]]): boolean => /replaced|deleted/u.test(name);

  it('is the returned value as JSON in every call of a session', async () => {
    const withoutSideEffects = RETURN_CASES.filter((testCase) => !hasSideEffects(testCase));
    const branches = withoutSideEffects.map(([, body], turn) => `if (request.turn === ${turn}) { ${body} }`);
    const session = sandbox.open(moduleWithProcess(branches.join('\n')));
    for (const [turn, [name, , expected]] of withoutSideEffects.entries())
      expect([name, outputOf(await session.process(JSON.stringify({ turn })))]).toEqual([name, expected]);
    await session.close();
  });

  it.for(RETURN_CASES)('is the returned value as JSON: %s', async ([name, body, expected], { skip }) => {
    skip(!IS_THOROUGH_RUN && (LONG_RUN_ONLY.has(name) || !hasSideEffects([name])));
    expect(outputOf((await sandbox.run(moduleWithProcess(body))).step)).toEqual(expected);
  });

  const THROW_CASES: readonly (readonly [name: string, body: string, expected: RegExp])[] = [
    ['a string', 'throw "just text"', /^error: just text$/],
    ['undefined', 'throw undefined', /^error: undefined$/],
    ['a symbol', 'throw Symbol("s")', /^error: Symbol\(s\)$/],
    [
      'an object whose getter throws the object',
      'throw { get name() { throw this } }',
      /^error: the thrown value cannot be shown$/,
    ],
    ['a proxy', 'throw new Proxy({}, { get() { throw 1 } })', /^error: the thrown value cannot be shown$/],
    ['a message that is an object', 'throw { name: "X", message: { toString() { throw 1 } } }', /^error: X: $/],
    [
      'several lines and control characters',
      'throw new Error("a\\nb\\u0000\\u001b[31mc")',
      /^error: Error: a b {2}\[31mc$/,
    ],
    ['a long message', 'throw new Error("x".repeat(100000))', /^error: Error: x{900,1000}…?$/],
    [
      'an error with a message of the runner',
      'throw new Error("Script execution timed out.")',
      /^error: Error: Script execution timed out\.$/,
    ],
  ];

  it.for(THROW_CASES)(
    'is an error with a one-line message if the function throws %s',
    async ([name, body, expected], { skip }) => {
      skip(!IS_THOROUGH_RUN && LONG_RUN_ONLY.has(name));
      expect(outputOf((await sandbox.run(moduleWithProcess(body))).step)).toMatch(expected);
    },
  );

  it.for(THROW_CASES.filter(([name]) => name !== 'a long message'))(
    'is an error with a one-line message if the module throws %s',
    async ([name, body], { skip }) => {
      skip(!IS_THOROUGH_RUN && !name.startsWith('an object whose getter'));
      expect(outputOf((await sandbox.run(body)).step)).toMatch(/^error: .{1,1100}$/);
    },
  );

  it('is an error if the module does not parse', async () => {
    expect(outputOf((await sandbox.run('export function process( {')).step)).toMatch(/^error: SyntaxError: /);
  });

  it('is an error if `process` is not a function, or if the module throws before it defines `process`', async () => {
    expect(outputOf((await sandbox.run('export const process = 1')).step)).toBe(
      'error: the module exports no function "process"',
    );
    expect(outputOf((await sandbox.run('export let process; throw 1')).step)).toBe('error: 1');
  });
});
