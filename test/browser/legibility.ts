import type { Page } from 'playwright-core';

/** Visible texts with less contrast than WCAG AA asks for. */
export const faintTexts = (page: Page) =>
  page.evaluate(`(() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => {
      const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const backgroundOf = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return channels(backgroundColor)[3] === 0 && element.parentElement ? backgroundOf(element.parentElement) : backgroundColor;
    };
    const contrast = (element) => {
      const [light, dark] = [getComputedStyle(element).color, backgroundOf(element)].map(luminance).sort((a, b) => b - a);
      return (light + 0.05) / (dark + 0.05);
    };
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .filter((element) => contrast(element) < 4.5)
      .map((element) => element.textContent);
  })()`);

/** Things to press or fill that are smaller than WCAG AA asks for. */
export const smallTargets = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('a, button, summary, label:has(input), input:not([type=checkbox])')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 24)
    .map((element) => element.outerHTML)`);
