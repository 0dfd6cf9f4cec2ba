// @ts-check
'use strict';

/**
 * Removes globals and resizable buffers, which could use memory or time beyond the function's limits, or act after the
 * end of a step (the loading of the module, or a call). The code is passed to the isolate as source text, so it may use
 * only built-ins of the language.
 *
 * - `WebAssembly`: its memory is not counted; a function could allocate gigabytes.
 * - `SharedArrayBuffer`, `Atomics`: memory outside the cap, and endless waits.
 * - `FinalizationRegistry`, `WeakRef`: behaviour that depends on the garbage collector, such as callbacks after a step.
 * - Resizable buffers: their memory comes directly from the system and bypasses the counting allocator.
 */
function removeGlobals() {
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef']) {
    if (!Reflect.deleteProperty(globalThis, name)) throw new Error(`${name} cannot be removed`);
  }

  const OriginalArrayBuffer = ArrayBuffer;
  const { construct, defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
  for (const name of ['resize', 'resizable', 'maxByteLength']) {
    if (!deleteProperty(OriginalArrayBuffer.prototype, name))
      throw new Error(`ArrayBuffer.prototype.${name} cannot be removed`);
  }
  /** @this {unknown} @param {unknown} length */
  const FixedArrayBuffer = function ArrayBuffer(length) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    // Drops the second argument, which would make the buffer resizable.
    return construct(OriginalArrayBuffer, [length], new.target);
  };
  const isView = OriginalArrayBuffer.isView;
  defineProperty(FixedArrayBuffer, 'isView', { value: isView, writable: true, configurable: true });
  defineProperty(FixedArrayBuffer, Symbol.species, {
    get() {
      return this;
    },
    configurable: true,
  });
  defineProperty(FixedArrayBuffer, 'length', { value: 1, configurable: true });
  defineProperty(FixedArrayBuffer, 'prototype', {
    value: OriginalArrayBuffer.prototype,
    writable: false,
    enumerable: false,
  });
  defineProperty(OriginalArrayBuffer.prototype, 'constructor', {
    value: FixedArrayBuffer,
    writable: true,
    configurable: true,
  });
  defineProperty(globalThis, 'ArrayBuffer', { value: FixedArrayBuffer, writable: true, configurable: true });
  if (getOwnPropertyDescriptor(OriginalArrayBuffer.prototype, 'constructor')?.value !== FixedArrayBuffer)
    throw new Error('ArrayBuffer cannot be replaced');
}

exports.removeGlobals = removeGlobals;
