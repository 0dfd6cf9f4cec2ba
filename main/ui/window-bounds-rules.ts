import { z } from 'zod';

const boundsSchema = z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() });
export type Bounds = Readonly<z.infer<typeof boundsSchema>>;

/** The system centres a window without `x` and `y`. */
export type Placement = { readonly width: number; readonly height: number; readonly x?: number; readonly y?: number };

export const MIN_SIZE = { width: 380, height: 480 } as const;
const DEFAULT_SIZE: Placement = { width: 1180, height: 800 };
/** Part of the title bar that must be visible, so that the window can be moved. */
const MIN_VISIBLE = { width: 120, height: 40 } as const;

/**
 * Returns where to open the window: at its saved position if the title bar would be visible there, otherwise centred.
 * @param savedBounds parsed content of the file in which the bounds are saved
 * @param screens work areas, the primary screen first
 */
export function placeWindow(savedBounds: unknown, screens: readonly Bounds[]): Placement {
  const { data: bounds } = boundsSchema.safeParse(savedBounds);
  const mainScreen = screens[0];
  const fit = (requested: Placement, screen: Bounds | undefined): Placement => ({
    ...requested,
    width: Math.max(MIN_SIZE.width, Math.min(requested.width, screen?.width ?? requested.width)),
    height: Math.max(MIN_SIZE.height, Math.min(requested.height, screen?.height ?? requested.height)),
  });
  if (bounds === undefined) return fit(DEFAULT_SIZE, mainScreen);
  const screen = screens.find((candidate) => isReachable(bounds, candidate));
  return screen === undefined ? fit({ width: bounds.width, height: bounds.height }, mainScreen) : fit(bounds, screen);
}

function isReachable(window: Bounds, screen: Bounds): boolean {
  const width = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  const isTitleBarInside = window.y >= screen.y && window.y + MIN_VISIBLE.height <= screen.y + screen.height;
  return width >= MIN_VISIBLE.width && isTitleBarInside;
}
