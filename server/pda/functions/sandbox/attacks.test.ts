import { afterAll, describe, expect, it } from 'vitest';
import { createTestSandbox, outputOf, moduleWithProcess } from './harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const sandbox = createTestSandbox();
afterAll(async () => sandbox.close());

/**
 * Code that precedes each attempt. `hostPathsIn(value)` returns the paths of all reachable functions from another realm
 * and of names that belong to the host. It calls few built-ins, because the attempts replace them.
 */
const PROBE_SOURCE = `
const sandboxGlobal = globalThis;
const R = Reflect;
const { getPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect;
const O = Object, E = Error, S = String, F = Function;
const add = Set.prototype.add, has = Set.prototype.has;
function hostPathsIn(start) {
  const paths = [];
  const seen = new Set();
  let remaining = 5000;
  const visit = (value, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || R.apply(has, seen, [value]) || remaining-- < 0) return;
    R.apply(add, seen, [value]);
    if (typeof value === 'function') {
      let realm;
      try { realm = value.constructor.constructor('return globalThis')() } catch { realm = undefined }
      if (realm !== undefined && realm !== sandboxGlobal) paths[paths.length] = path;
    }
    visit(getPrototypeOf(value), path + '.__proto__');
    const keys = ownKeys(value);
    for (let i = 0; i < keys.length; i += 1) {
      const descriptor = getOwnPropertyDescriptor(value, keys[i]) || {};
      const at = path + '.' + S(keys[i]);
      if (['process', 'require', 'mainModule', 'binding', 'dlopen', 'applySync', 'derefInto'].includes(keys[i])) paths[paths.length] = at;
      visit(descriptor.value, at); visit(descriptor.get, at); visit(descriptor.set, at);
    }
  };
  visit(start, 'start');
  return paths;
}
const attempt = (act) => { try { return act() } catch (error) { return error } };
const useAll = () => [
  attempt(() => console.log({ a: 1 }, 'x', [1], new Error('x'))), attempt(() => console.error('y'.repeat(9000))),
  attempt(() => new URL('https://a.example/?x=1#y', 'https://b.example')), attempt(() => { const u = new URL('https://a.example'); u.href = 'nope'; return u }),
  attempt(() => new URLSearchParams({ a: 'b' }).toString()), attempt(() => structuredClone({ a: [1, new Map([[1, 2]]), new Date(), new Uint8Array(3)] })),
  attempt(() => scratch.write('a', 'text')), attempt(() => scratch.read('a')), attempt(() => scratch.list()), attempt(() => scratch.read('nope')),
  attempt(() => new TextEncoder().encode('é')), attempt(() => new TextDecoder().decode(new Uint8Array([0xc3, 0xa9]))), attempt(() => new TextDecoder('x')),
];
`;

/** Names and function bodies. Some replace built-ins with recorders, to obtain host objects that pass through them. */
const ATTEMPTS: readonly (readonly [name: string, body: string])[] = [
  [
    'String.prototype.slice returns objects while a log line is truncated',
    `let got = []; const cut = S.prototype.slice; S.prototype.slice = function () { got[got.length] = this; return { length: 1e9, slice() { return new Proxy({}, {}) }, toString() { return 'x' } } }; got[got.length] = useAll(); S.prototype.slice = cut; return hostPathsIn(got)`,
  ],
  [
    'String.prototype.slice returns a function while an error is formatted',
    `S.prototype.slice = function () { return () => 1 }; throw new Error('x')`,
  ],
  [
    'an error whose stack is not a string',
    `const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { return Object.assign(() => 1, { slice: () => Symbol('x') }) } }); throw e`,
  ],
  [
    'accessors on Object.prototype for the keys of property descriptors',
    `let got = []; for (const k of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable', 'timeout', 'result', 'arguments', 'reference', 'copy', 'sync', 'then']) Object.defineProperty(Object.prototype, k, { get() { got[got.length] = this; return undefined }, set(v) { got[got.length] = v }, configurable: true }); got[got.length] = useAll(); for (const k of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable', 'timeout', 'result', 'arguments', 'reference', 'copy', 'sync', 'then']) delete Object.prototype[k]; return hostPathsIn(got)`,
  ],
  [
    'setters on Array.prototype for array indices',
    `let got = []; for (let i = 0; i < 12; i += 1) Object.defineProperty(Array.prototype, String(i), { get() { return undefined }, set(v) { got = Object.assign({}, got, { ['k' + i + Math.random()]: [v, this] }) }, configurable: true }); attempt(useAll); for (let i = 0; i < 12; i += 1) delete Array.prototype[i]; return hostPathsIn(got)`,
  ],
  [
    'every method of the built-in prototypes replaced by a recorder',
    `let got = []; const real = []; let on = true; for (const p of [String.prototype, Array.prototype, RegExp.prototype, Map.prototype, Promise.prototype, Number.prototype, getPrototypeOf(Uint8Array.prototype), getPrototypeOf([][Symbol.iterator]())]) for (const k of ownKeys(p)) { const d = getOwnPropertyDescriptor(p, k); if (k === 'constructor' || typeof d.value !== 'function' || !d.configurable) continue; const f = d.value; real[real.length] = [p, k, d]; Object.defineProperty(p, k, { value: function (...a) { if (on) { on = false; got[got.length] = [this, a, new.target]; on = true } return R.apply(f, this, a) }, configurable: true, writable: true }) } const used = useAll(); on = false; for (let i = 0; i < real.length; i += 1) R.defineProperty(real[i][0], real[i][1], real[i][2]); return hostPathsIn([got, used])`,
  ],
  [
    'the constructors that the prelude calls replaced by proxies',
    `let got = []; for (const k of ['Uint8Array', 'Error', 'TypeError', 'RangeError', 'Map', 'Set', 'Date', 'RegExp', 'Number', 'Symbol', 'Boolean', 'Array', 'Object', 'Promise', 'JSON', 'Reflect']) { const real = sandboxGlobal[k]; try { sandboxGlobal[k] = new Proxy(typeof real === 'function' ? real : real, { construct(t, a, n) { got[got.length] = [a, n]; return R.construct(t, a) }, apply(t, s, a) { got[got.length] = [s, a]; return R.apply(t, s, a) }, get(t, p, r) { got[got.length] = r; return R.get(t, p) } }) } catch {} } return hostPathsIn([useAll(), got])`,
  ],
  [
    'arguments with Symbol.split, Symbol.replace and Symbol.toPrimitive',
    `let got = []; const trick = { [Symbol.split](...a) { got.push(a, this); return [] }, [Symbol.replace](...a) { got.push(a); return '' }, [Symbol.toPrimitive](...a) { got.push(a, this, new Error().stack); return 'https://a.example' }, toString() { return 'x' } }; return hostPathsIn([got, attempt(() => new URL(trick, trick)), attempt(() => scratch.write(trick, 'x')), attempt(() => new URLSearchParams(trick)), attempt(() => new TextDecoder(trick))])`,
  ],
  [
    're-entrant calls across the isolate boundary',
    `let got = []; const deep = (n) => ({ toString() { if (n > 0) got.push(attempt(() => new URL(deep(n - 1), deep(n - 1))), attempt(() => scratch.write('f' + n, 'x')), attempt(() => console.log({ toJSON() { return attempt(() => scratch.list()) } }))); return 'https://a.example' } }); got.push(attempt(() => new URL(deep(6)))); return hostPathsIn(got)`,
  ],
  [
    'a dynamic import whose rejection is inspected',
    `return (async () => { const ns = await attempt(() => import('x').catch((e) => e)); return hostPathsIn([ns]) })()`,
  ],
  [
    'a Promise.prototype.constructor that returns a custom class',
    `let got = []; Object.defineProperty(Promise.prototype, 'constructor', { get() { got.push(this); return class { constructor(x) { got.push(x); x((v) => got.push(v), (v) => got.push(v)) } static get [Symbol.species]() { return this } } } }); return (async () => { await Promise.resolve(1); return hostPathsIn(got) })()`,
  ],
  [
    'async generators and their constructors',
    `let got = []; async function* g() { try { yield 1; yield* { [Symbol.asyncIterator]() { return { next(...a) { got.push(a, this); return { done: true, get value() { return 1 } } } } } } } finally { got.push(new Error().stack) } } return (async () => { for await (const x of g()) got.push(x); return hostPathsIn([got, g.constructor, attempt(() => g.constructor('yield this')())]) })()`,
  ],
  [
    'errors of arguments above the size limit',
    `return hostPathsIn([attempt(() => new URL('https://a.example/' + 'x'.repeat(20_000_000))), attempt(() => scratch.write('big', 'x'.repeat(3_000_000))), attempt(() => scratch.list())])`,
  ],
  [
    'the source text of prelude functions',
    `return [console.log, URL, scratch.read, structuredClone, TextEncoder].map((f) => F.prototype.toString.call(f)).filter((s) => /require|process|ivm|node:/.test(s))`,
  ],
  [
    'Symbol.dispose, DisposableStack and Iterator helpers',
    `let got = []; try { { const x = { [Symbol.dispose ?? 'd'](...a) { got.push(a, this) } }; (x[Symbol.dispose ?? 'd'])() } } catch (e) { got.push(e) } return hostPathsIn([got, typeof DisposableStack === 'function' ? new DisposableStack() : 1, typeof Iterator === 'function' ? Iterator.from([1]).map((x) => x) : 1])`,
  ],
];

/** Attempts without side effects. They share one process; `npm run test:long` also runs each in its own. */
const WITHOUT_SIDE_EFFECTS: ReadonlySet<string> = new Set([
  'arguments with Symbol.split, Symbol.replace and Symbol.toPrimitive',
  're-entrant calls across the isolate boundary',
  'a dynamic import whose rejection is inspected',
  'async generators and their constructors',
  'errors of arguments above the size limit',
  'the source text of prelude functions',
  'Symbol.dispose, DisposableStack and Iterator helpers',
]);

describe.concurrent('sandboxed code that tampers with built-ins', () => {
  it('reaches no host object in attempts without side effects, in sequence', async () => {
    const attempts = ATTEMPTS.filter(([name]) => WITHOUT_SIDE_EFFECTS.has(name));
    const acts = attempts.map(([name, body]) => `[${JSON.stringify(name)}, () => { ${body} }]`).join(',\n');
    const body = `return (async () => { const results = {}; for (const [name, act] of [${acts}]) results[name] = await act(); return results })()`;
    const { step } = await sandbox.run(PROBE_SOURCE + moduleWithProcess(body));
    expect(outputOf(step)).toEqual(Object.fromEntries(attempts.map(([name]) => [name, []])));
  });

  it.for(ATTEMPTS)('reaches no host object: %s', async ([name, body], { skip }) => {
    skip(!IS_THOROUGH_RUN && WITHOUT_SIDE_EFFECTS.has(name));
    const { step } = await sandbox.run(PROBE_SOURCE + moduleWithProcess(body));
    const results = outputOf(step);
    // Code that breaks its own strings may fail, but must not reach host objects.
    if (step.outcome === 'done') expect(results).toEqual([]);
    else expect(step.outcome).toMatch(/^(?:error|output|time)$/);
  });

  it.each([
    ['Object.prototype.toJSON', 'Object.prototype.toJSON = function () { return "x" }; return { a: 1 }', '"x"'],
    [
      'Array.prototype.join and JSON.stringify',
      'Array.prototype.join = () => "]"; JSON.stringify = () => "{"; return [1]',
      '[1]',
    ],
  ])('returns only text after replacing %s', async (_name, body, expected) => {
    const { step } = await sandbox.run(moduleWithProcess(body));
    expect(step).toEqual({ outcome: 'done', text: expected });
  });
});

// Sequential, because concurrent runs would slow each other down.
describe('abusive sandboxed code', () => {
  it.each([
    [
      'Intl formatters',
      'const a = []; for (;;) a.push(new Intl.DateTimeFormat("en-u-ca-islamic", { dateStyle: "full" }), new Intl.Segmenter("ja"), new Intl.NumberFormat("ar"))',
    ],
    ['registered symbols', 'const a = []; for (let i = 0; ; i += 1) a.push(Symbol.for("s" + i))'],
    [
      'regular expressions',
      'const a = []; for (let i = 0; ; i += 1) { const r = new RegExp("(a|b|c|d){1,500}" + i); r.test("abcd".repeat(200)); a.push(r) }',
    ],
    ['large log lines', 'for (;;) console.log("x".repeat(1e7))'],
    ['large file names', 'for (;;) { try { scratch.write("x".repeat(5e7), "x") } catch {} }'],
    ['large URLs', 'for (;;) { try { new URL("x".repeat(5e7)) } catch {} }'],
    ['Unicode normalisation of megabytes', 'const s = "\\ufdfa".repeat(1e6); for (;;) s.normalize("NFKD")'],
    ['endless BigInt divisions', 'const n = 1n << 30000000n; for (;;) n / 3n'],
  ])('is ended without a crash and within its memory limit: %s', async (_name, body) => {
    const { step, report } = await sandbox.run(moduleWithProcess(body), { timeoutMs: 500 });
    expect(step.outcome).not.toBe('crashed');
    expect(report.peakMemoryBytes).toBeLessThanOrEqual(160 * 1024 * 1024);
  });
});
