/** Paths as text: the core knows no file system, and recordings may come from another kind of machine. */

export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:[\\/]/.test(path);
}

/** `path` seen from `root`, when it is inside it; else as it is. */
export function fromRoot(root: string | undefined, path: string): string {
  if (root === undefined || root === '' || !path.startsWith(root)) return path;
  const rest = path.slice(root.length);
  return rest.startsWith('/') || rest.startsWith('\\') ? rest.slice(1) : path;
}

/** `path` as the shell in the folder `base` means it; `.` and `..` are resolved. */
export function joined(base: string, path: string): string {
  if (isAbsolutePath(path)) return path;
  const parts: string[] = base.split('/');
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
