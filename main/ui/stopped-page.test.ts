import { expect, it } from 'vitest';
import { cssVariables } from '../../renderer/shared/theme/colours.ts';
import { buildStoppedPageUrl } from './stopped-page.ts';

it.each(['light', 'dark'] as const)("has the colours of the dashboard's %s theme", (scheme) => {
  const colours: Readonly<Record<string, string | undefined>> = cssVariables({} as never)[scheme];
  const url = buildStoppedPageUrl({ kind: 'stopped' });
  expect(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').toString()).toContain(
    `--paper: ${colours['--background']}; --ink: ${colours['--ink']}; --muted: ${colours['--ink-soft']}; ` +
      `--line: ${colours['--hairline']}; --accent: ${colours['--accent']};`,
  );
});
