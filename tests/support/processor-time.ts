/**
 * Milliseconds of processor, of all threads of this process, since then. What must not take long is measured by it rather than by the clock, which
 * also runs while others have the processors.
 */
export const processorMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};
