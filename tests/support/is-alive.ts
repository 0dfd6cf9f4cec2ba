/** Whether somebody has this number. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: nobody has.
    return false;
  }
};
