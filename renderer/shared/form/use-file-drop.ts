import { useEffect, useEffectEvent, useState } from 'react';

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** Returns true while files are dragged over the window. */
export function useDropTarget(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const handleDrop = useEffectEvent(onDrop);
  useEffect(() => {
    // Browsers report the next element before they leave the previous one, so only a counter detects leaving a window.
    let depth = 0;
    const move = (by: number) => (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth + by);
      setIsOver(depth > 0);
    };
    const enter = move(1);
    const leave = move(-1);
    const allow = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = 0;
      setIsOver(false);
      // The import page's drop zone has already handled this drop.
      if (event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer !== null) handleDrop(event.dataTransfer);
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

/** Returns true while files are dragged over the window. */
export function useFileDrop(onDrop: (files: File[]) => void): boolean {
  return useDropTarget(({ files }) => onDrop([...files]));
}
