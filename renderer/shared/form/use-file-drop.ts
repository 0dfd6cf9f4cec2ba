import { useEffect, useEffectEvent, useState } from 'react';

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** Passes dropped files and folders to `onDrop`. Returns true while files are dragged over the window. */
export function useDropTarget(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const handleDrop = useEffectEvent(onDrop);
  useEffect(() => {
    // `dragenter` of the next element precedes `dragleave` of the previous one, so only a counter shows when the
    // pointer leaves the window.
    let depth = 0;
    const move = (change: number) => (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth + change);
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
      // Another element has already handled this drop.
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

export function useFileDrop(onDrop: (files: File[]) => void): boolean {
  return useDropTarget(({ files }) => onDrop([...files]));
}
