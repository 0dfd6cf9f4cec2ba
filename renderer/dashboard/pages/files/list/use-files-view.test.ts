import { describe, expect, it } from 'vitest';
import { hasFilters, layoutChange, parseView, toUrlParameters } from './use-files-view.ts';

const roundTrip = (query: string): string => toUrlParameters(parseView(new URLSearchParams(query))).toString();

describe('URL of the files view', () => {
  it('omits default values', () => {
    expect(roundTrip('')).toBe('');
    expect(roundTrip('sort=added&order=descending&show=completed&at=1')).toBe('');
    expect(roundTrip('sort=name&order=ascending')).toBe('sort=name');
  });

  it('preserves all other values', () => {
    const fullQuery =
      'search=a+b&source=photos&tag=Rome&folder=a%2Fb&kind=image&collection=c&visibleTo=u&show=public&sort=size&order=ascending&view=pictures&at=41&file=a.jpg';
    expect(roundTrip(fullQuery)).toBe(fullQuery);
    const gallery = 'search=a&tag=Rome&order=ascending&view=gallery&file=a.jpg&picture=b.jpg';
    expect(roundTrip(gallery)).toBe(gallery);
    expect(roundTrip('tag=Rome&view=map&picture=b.jpg')).toBe('tag=Rome&view=map&picture=b.jpg');
  });

  it('replaces invalid values with the defaults', () => {
    expect(roundTrip('kind=painting&show=deleted&sort=colour&order=sideways&at=-4&view=cards')).toBe('');
  });

  it('shows pictures by date taken in the gallery, and all files after leaving it', () => {
    const gallery = parseView(new URLSearchParams('view=gallery&kind=text&sort=name'));
    expect(gallery).toMatchObject({ kind: 'image', sort: 'taken', order: 'descending' });
    expect(toUrlParameters({ ...gallery, ...layoutChange('grid', gallery) }).toString()).toBe('view=pictures');
    const list = parseView(new URLSearchParams('kind=text&sort=name'));
    expect(toUrlParameters({ ...list, ...layoutChange('grid', list) }).toString()).toBe(
      'kind=text&sort=name&view=pictures',
    );
    expect(toUrlParameters({ ...list, ...layoutChange('gallery', list) }).toString()).toBe('view=gallery');
    expect(toUrlParameters({ ...gallery, ...layoutChange('map', gallery) }).toString()).toBe('view=map');
  });

  it('counts tag, visibility, folder, collection and person as filters, but not order, position or open file', () => {
    expect(hasFilters(parseView(new URLSearchParams('sort=name&at=7&file=x')))).toBe(false);
    for (const query of ['tag=x', 'show=public', 'folder=a', 'collection=c', 'visibleTo=u'])
      expect(hasFilters(parseView(new URLSearchParams(query)))).toBe(true);
  });
});
