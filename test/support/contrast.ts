/** Texts whose contrast with what is behind them is below 4.5, as WCAG 2 counts; what is disabled does not count. */
export const POOR_CONTRASTS = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('body :not(svg *)')].flatMap((element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || element.disabled || !element.checkVisibility()) return [];
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    return contrast < 4.5 ? [[element.textContent, contrast]] : [];
  });
})()`;
