import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { m } from '../../../../shared/messages/texts.ts';
import { clampWidth, MAX_COLUMN_WIDTH, MIN_COLUMN_WIDTH, type WidthChange } from './column-choices.ts';
import classes from './column-resizer.module.css';

const texts = m.recordTable.columns;
const KEY_STEP_PX = 16;

const toAutomaticWidth: WidthChange = () => undefined;

const KEY_CHANGES: ReadonlyMap<string, WidthChange> = new Map([
  ['ArrowLeft', (width) => width - KEY_STEP_PX],
  ['ArrowRight', (width) => width + KEY_STEP_PX],
  ['Home', () => MIN_COLUMN_WIDTH],
  ['End', () => MAX_COLUMN_WIDTH],
  ['Enter', toAutomaticWidth],
]);

interface ColumnResizerProps {
  label: string;
  /** Chosen or automatic width in pixels. A column with an automatic width can be wider on the screen. */
  width: number;
  isSized: boolean;
  /** Called with the width during a drag, and with undefined if the drag was cancelled or changed nothing. */
  onPreview: (width: number | undefined) => void;
  onResize: (change: WidthChange) => void;
}

/** Right edge of a heading. A drag, arrow keys, Home and End change the width; a double click or Enter resets it. */
export function ColumnResizer({ label, width, isSized, onPreview, onResize }: ColumnResizerProps) {
  const drag = useRef<{ x: number; width: number; draggedWidth: number }>(undefined);
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const currentWidth = event.currentTarget.parentElement?.getBoundingClientRect().width ?? width;
    drag.current = { x: event.clientX, width: currentWidth, draggedWidth: currentWidth };
  };
  const moveDrag = ({ clientX }: PointerEvent) => {
    const { current: activeDrag } = drag;
    if (activeDrag === undefined || clientX - activeDrag.x === activeDrag.draggedWidth - activeDrag.width) return;
    activeDrag.draggedWidth = clampWidth(activeDrag.width + clientX - activeDrag.x);
    onPreview(activeDrag.draggedWidth);
  };
  const endDrag = () => {
    const { current: activeDrag } = drag;
    drag.current = undefined;
    if (activeDrag === undefined || activeDrag.draggedWidth === activeDrag.width) onPreview(undefined);
    else onResize(() => activeDrag.draggedWidth);
  };
  const cancelDrag = () => {
    if (drag.current !== undefined) onPreview(undefined);
    drag.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const change = KEY_CHANGES.get(event.key);
    if (change === undefined) return;
    event.preventDefault();
    onResize(change);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      className={classes.handle}
      title={texts.resizeHint}
      aria-orientation="vertical"
      aria-label={texts.widthOf(label)}
      aria-valuenow={width}
      aria-valuemin={MIN_COLUMN_WIDTH}
      aria-valuemax={MAX_COLUMN_WIDTH}
      aria-valuetext={isSized ? texts.pixels(width) : texts.automatic}
      onPointerDown={startDrag}
      onPointerMove={moveDrag}
      onPointerUp={endDrag}
      onPointerCancel={cancelDrag}
      onDoubleClick={() => onResize(toAutomaticWidth)}
      onKeyDown={onKeyDown}
    />
  );
}
