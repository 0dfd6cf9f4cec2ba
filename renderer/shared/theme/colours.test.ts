import { describe, expect, it } from 'vitest';
import { ENDPOINT_COLOURS } from '../../../server/wire/field-choices.ts';
import { cssVariables } from './colours.ts';

/** WCAG 2.2 requires this contrast for icons and chart marks (criterion 1.4.11). */
const MIN_CONTRAST = 3;
const BACKGROUNDS = ['--background', '--background-subtle', '--surface', '--hover', '--selected'];

/** Returns the relative luminance of a colour such as `#1f7a71`, from 0 to 1. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((channel) => (channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(colourA: string, colourB: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(colourA), luminanceOf(colourB)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

describe.each(['light', 'dark'] as const)('selectable colours in the %s scheme', (scheme) => {
  const variables: Readonly<Record<string, string>> = cssVariables({} as never)[scheme];

  it.each(ENDPOINT_COLOURS)('%s contrasts with every background', (colour) => {
    const foreground = variables[`--choice-${colour}`] ?? '';
    expect(foreground).toMatch(/^#[\da-f]{6}$/);
    for (const background of BACKGROUNDS)
      expect([background, contrastOf(foreground, variables[background] ?? '') >= MIN_CONTRAST]).toEqual([
        background,
        true,
      ]);
  });

  it('differ from each other', () => {
    const values = ENDPOINT_COLOURS.map((colour) => variables[`--choice-${colour}`]);
    expect(new Set(values).size).toBe(ENDPOINT_COLOURS.length);
  });
});
