import { describe, expect, it } from 'vitest';
import { makePassword } from './password-generator.ts';

describe('a password that is made here', () => {
  it('has twenty unambiguous characters in groups that can be read out', () => {
    for (let made = 0; made < 200; made += 1)
      expect(makePassword()).toMatch(/^[a-km-np-z2-9]{4}(?:-[a-km-np-z2-9]{4}){4}$/u);
  });

  it('is another one each time, and uses all of its characters', () => {
    const made = Array.from({ length: 200 }, makePassword);
    expect(new Set(made).size).toBe(200);
    expect(new Set(made.join('').replaceAll('-', '')).size).toBe(32);
  });
});
