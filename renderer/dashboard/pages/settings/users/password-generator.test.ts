import { describe, expect, it } from 'vitest';
import { generatePassword } from './password-generator.ts';

describe('generatePassword', () => {
  it('returns twenty unambiguous characters in readable groups', () => {
    for (let count = 0; count < 200; count += 1)
      expect(generatePassword()).toMatch(/^[a-km-np-z2-9]{4}(?:-[a-km-np-z2-9]{4}){4}$/u);
  });

  it('returns unique passwords that use the whole alphabet', () => {
    const passwords = Array.from({ length: 200 }, generatePassword);
    expect(new Set(passwords).size).toBe(200);
    expect(new Set(passwords.join('').replaceAll('-', '')).size).toBe(32);
  });
});
