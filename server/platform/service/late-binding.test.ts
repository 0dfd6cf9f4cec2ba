import { expect, it } from 'vitest';
import { createLateBinding } from './late-binding.ts';

it('returns the registered value', () => {
  const binding = createLateBinding<() => number>('a counter');
  expect(binding.find()).toBeUndefined();
  binding.register(() => 3);
  expect(binding.get()()).toBe(3);
  expect(binding.find()?.()).toBe(3);
});

it('throws when it is used before a value is registered', () => {
  expect(() => createLateBinding('a counter').get()).toThrow('a counter: not registered yet');
});

it('throws at a second registration and keeps the first value', () => {
  const binding = createLateBinding<{ id: number }>('a counter');
  binding.register({ id: 1 });
  expect(() => binding.register({ id: 2 })).toThrow('a counter: already registered');
  expect(binding.get().id).toBe(1);
});
