/** Returns the message of an exception, and the file of `src/` that it comes from. */
export function summarizeStack(stack: string): string {
  const [message = '', ...frames] = stack.split('\n');
  const own = frames.find((frame) => /\/src\//.test(frame));
  return `${message}${own === undefined ? '' : ` (${own.replace(/^.*\/src\//, 'src/').replace(/\)$/, '')})`}`;
}
