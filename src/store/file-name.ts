/** A text of ours made fit to be a file's name. */
export function fileName(text: string): string {
  return text.replaceAll(/[^\w-]/g, '-').slice(0, 64) || 'run';
}
