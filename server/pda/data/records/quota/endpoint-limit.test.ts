import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../core/endpoint-store.ts';
import { createEndpointCheck } from './endpoint-limit.ts';

const LIMITS = { total: 5, perNamespace: 3 };

/** Creates a check with the endpoints `a/0`, `a/1` and `b/0`, and the calls of `count`. */
const createCheck = (kind: Origin['kind']) => {
  const paths = ['a/0', 'a/1', 'b/0'];
  const counts: (string | undefined)[] = [];
  const endpoints = {
    find: (path: string): number | undefined => (paths.includes(path) ? paths.indexOf(path) : undefined),
    count: (namespace?: string): number => {
      counts.push(namespace);
      return paths.filter((path) => namespace === undefined || path.startsWith(`${namespace}/`)).length;
    },
  };
  const check = createEndpointCheck(endpoints, LIMITS, { kind, name: 'x' });
  const create = (path: string): void => {
    check(path);
    paths.push(path);
  };
  return { create, counts };
};

describe('the limit of endpoints', () => {
  it.each(['application', 'contract', 'function'] as const)('refuses a %s one more per namespace', (kind) => {
    const { create } = createCheck(kind);
    create('a/2');
    expect(() => create('a/3')).toThrow('There are already 3 endpoints in the namespace a');
    expect(() => create('a/2')).not.toThrow();
    expect(() => create('b/1')).not.toThrow();
  });

  it('refuses one more in all namespaces', () => {
    const { create } = createCheck('application');
    create('c/0');
    create('d/0');
    expect(() => create('e/0')).toThrow('There are already 5 endpoints in this account');
    expect(() => create('b/0')).not.toThrow();
  });

  it('counts once per transaction', () => {
    const { create, counts } = createCheck('application');
    create('c/0');
    create('c/1');
    expect(counts).toStrictEqual(['c', undefined]);
  });

  it.each(['owner', 'import'] as const)('does not refuse the kind %s', (kind) => {
    const { create, counts } = createCheck(kind);
    for (let index = 0; index < 10; index += 1) create(`a/new-${index}`);
    expect(counts).toStrictEqual([]);
  });
});
