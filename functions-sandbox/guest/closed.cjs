// @ts-check
'use strict';

/**
 * Takes away what could hold memory or time beyond the function's cap, or act after its step has ended. Runs inside
 * the isolate before anything of the function does: every function of this folder is handed over as its own source
 * text, so it may use only its arguments and what the language gives.
 *
 * - `WebAssembly`: its memories are not counted, a guest took gigabytes through them.
 * - `SharedArrayBuffer`, `Atomics`: memory outside the cap, and waits that never end.
 * - `FinalizationRegistry`, `WeakRef`: code that runs when the garbage collector pleases.
 * - Resizable buffers: their memory comes straight from the system, past the allocator that counts.
 */
function close() {
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef']) {
    if (!Reflect.deleteProperty(globalThis, name)) throw new Error(`${name} cannot be taken away`);
  }

  const Whole = ArrayBuffer;
  const { construct, defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
  for (const name of ['resize', 'resizable', 'maxByteLength']) {
    if (!deleteProperty(Whole.prototype, name)) throw new Error(`ArrayBuffer.prototype.${name} cannot be taken away`);
  }
  /** @this {unknown} @param {unknown} length */
  const Fixed = function ArrayBuffer(length) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    // The second argument is what would make it resizable.
    return construct(Whole, [length], new.target);
  };
  const isView = Whole.isView;
  defineProperty(Fixed, 'isView', { value: isView, writable: true, configurable: true });
  defineProperty(Fixed, Symbol.species, {
    get() {
      return this;
    },
    configurable: true,
  });
  defineProperty(Fixed, 'length', { value: 1, configurable: true });
  defineProperty(Fixed, 'prototype', { value: Whole.prototype, writable: false, enumerable: false });
  defineProperty(Whole.prototype, 'constructor', { value: Fixed, writable: true, configurable: true });
  defineProperty(globalThis, 'ArrayBuffer', { value: Fixed, writable: true, configurable: true });
  if (getOwnPropertyDescriptor(Whole.prototype, 'constructor')?.value !== Fixed) throw new Error('ArrayBuffer');
}

exports.close = close;
