// The same program by its documented name, a little slower to start: see there.
await import('./entry.js');
