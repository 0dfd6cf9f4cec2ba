import { expect, it } from 'vitest';
import { createLateBinding } from './late-binding.ts';

it('a late binding returns the registered value', () => {
  const binding = createLateBinding<() => number>('a counter');
  expect(binding.find()).toBeUndefined();
  binding.register(() => 3);
  expect(binding.get()()).toBe(3);
  expect(binding.find()?.()).toBe(3);
});

it('a late binding throws if its value is requested before it is registered', () => {
  expect(() => createLateBinding('a counter').get()).toThrow('a counter: not registered yet');
});

it('a late binding throws on a second registration and keeps the first value', () => {
  const binding = createLateBinding<{ id: number }>('a counter');
  binding.register({ id: 1 });
  expect(() => binding.register({ id: 2 })).toThrow('a counter: already registered');
  expect(binding.get().id).toBe(1);
});
