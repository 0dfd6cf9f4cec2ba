import type { Page } from '@playwright/test';

/** Draws a landscape in the browser and returns it as PNG, as a copyright-free stand-in for a photo. */
export async function drawLandscape(page: Page, variant: number): Promise<Buffer> {
  const url = await page.evaluate((number) => {
    const canvas = document.createElement('canvas');
    canvas.width = 480;
    canvas.height = 320;
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    const hue = 20 + number * 47;
    const sky = context.createLinearGradient(0, 0, 0, 320);
    sky.addColorStop(0, `hsl(${hue + 180} 45% 62%)`);
    sky.addColorStop(1, `hsl(${hue} 60% 86%)`);
    context.fillStyle = sky;
    context.fillRect(0, 0, 480, 320);
    context.fillStyle = `hsl(${hue + 20} 90% 92%)`;
    context.beginPath();
    context.arc(90 + number * 70, 90 + (number % 2) * 20, 26, 0, 7);
    context.fill();
    for (const [hill, ground] of [190, 230, 270].entries()) {
      context.fillStyle = `hsl(${hue + 90} ${22 + hill * 8}% ${58 - hill * 13}%)`;
      context.beginPath();
      context.moveTo(0, 320);
      for (let x = 0; x <= 480; x += 8) {
        context.lineTo(x, ground + Math.sin(x / (60 + number * 9) + hill * 2 + number) * 22);
      }
      context.lineTo(480, 320);
      context.fill();
    }
    return canvas.toDataURL('image/png');
  }, variant);
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
