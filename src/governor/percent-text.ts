/** `78 %`, of a fraction. */
export function percentText(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}
