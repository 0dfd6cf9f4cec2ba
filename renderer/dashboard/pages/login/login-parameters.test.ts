import { describe, expect, it } from 'vitest';
import { askedOf, withProblem } from './login-parameters.ts';
import { placeOfJourney } from './plain-url.ts';

const asked = (query: string) => askedOf(new URLSearchParams(query));

describe('the address of the journey', () => {
  it('names the application, where to return to and where to go when it fails', () => {
    expect(asked('name=notes&redirect=https%3A%2F%2Fa.example%2F%3Fx%3D1&fallback=b')).toStrictEqual({
      name: 'notes',
      redirect: 'https://a.example/?x=1',
      fallback: 'b',
    });
  });

  it('may use the other names, in any case', () => {
    const other = { name: 'notes', redirect: 'r', fallback: undefined };
    expect(asked('application_id=notes&redirect_uri=r')).toStrictEqual(other);
    expect(asked('Application_ID=notes&REDIRECT=r&name=')).toStrictEqual(other);
  });

  it('means the first of two that say the same', () => {
    expect(asked('redirect=good&redirect=evil&Redirect=evil').redirect).toBe('good');
    expect(asked('redirect_uri=evil&redirect=good').redirect).toBe('good');
  });

  it.each(['/pdalogin', '/hatlogin', '/pdalogin/', '/PDALOGIN'])('in its plain form %s is that of the hash', (path) => {
    expect(placeOfJourney(path, '?name=a&redirect=b%26c')).toBe('/#/pdalogin?name=a&redirect=b%26c');
  });

  it.each(['/', '/pdalogin/x', '/x/pdalogin', '/pdaloginx', '/data'])('is no other one: %s', (path) => {
    expect(placeOfJourney(path, '?name=a')).toBeUndefined();
  });
});

it('a failure of another kind takes the place of the reason that was there', () => {
  expect(withProblem('https://a.example/?x=1&error=a&error_reason=b', 'pda_exception', 'c')).toBe(
    'https://a.example/?x=1&error=pda_exception&error_reason=c',
  );
  expect(withProblem('app://x?error=a&error_reason=b', 'pda_exception', 'c')).toBe(
    'app://x?error=pda_exception&error_reason=c',
  );
});
