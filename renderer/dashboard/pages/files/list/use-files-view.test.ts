import { describe, expect, it } from 'vitest';
import { isNarrowed, readView, writeView } from './use-files-view.ts';

const through = (query: string): string => writeView(readView(new URLSearchParams(query))).toString();

describe('the address of a view', () => {
  it('says nothing about the usual', () => {
    expect(through('')).toBe('');
    expect(through('sort=added&order=descending&show=here&at=1')).toBe('');
    expect(through('sort=name&order=ascending')).toBe('sort=name');
  });

  it('keeps everything else', () => {
    const all =
      'search=a+b&source=photos&tag=Rome&kind=image&show=public&sort=size&order=ascending&view=pictures&at=41&file=a.jpg';
    expect(through(all)).toBe(all);
  });

  it('takes what is no such value for the usual', () => {
    expect(through('kind=painting&show=deleted&sort=colour&order=sideways&at=-4&view=cards')).toBe('');
  });

  it('an order or a place in the list narrows nothing', () => {
    expect(isNarrowed(readView(new URLSearchParams('sort=name&at=7&file=x')))).toBe(false);
    expect(isNarrowed(readView(new URLSearchParams('tag=x')))).toBe(true);
    expect(isNarrowed(readView(new URLSearchParams('show=public')))).toBe(true);
  });
});
