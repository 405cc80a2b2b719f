// A camera for the browser to look through: a film in which somebody holds a picture,
// such as a pass's QR code, before the lens.
import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";

const width = 640;
const height = 480;
const frames = 5;

/** The picture as greys, drawn by the browser in the middle of a grey frame, a little turned as hands do. */
async function greys(page: Page, png: Buffer): Promise<Buffer> {
  const base64 = await page.evaluate(
    async ({ data, width, height }) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const canvas = new OffscreenCanvas(width, height);
      const g = canvas.getContext("2d")!;
      g.fillStyle = "#9a9a9a";
      g.fillRect(0, 0, width, height);
      g.translate(width / 2, height / 2);
      g.rotate(0.05);
      const side = height * 0.85;
      g.drawImage(bitmap, -side / 2, -side / 2, side, side);
      const { data: rgba } = g.getImageData(0, 0, width, height);
      let out = "";
      for (let i = 0; i < rgba.length; i += 4) out += String.fromCharCode(Math.round(16 + (0.299 * rgba[i] + 0.587 * rgba[i + 1] + 0.114 * rgba[i + 2]) * (219 / 255)));
      return btoa(out);
    },
    { data: png.toString("base64"), width, height },
  );
  return Buffer.from(base64, "base64");
}

/** Writes a film (YUV4MPEG2) that shows the picture, and returns the arguments that make it the browser's camera. */
export async function cameraShowing(page: Page, png: Buffer, file: string): Promise<string[]> {
  const frame = Buffer.concat([Buffer.from("FRAME\n"), await greys(page, png), Buffer.alloc((width * height) / 2, 128)]);
  writeFileSync(file, Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420mpeg2\n`), ...Array<Buffer>(frames).fill(frame)]));
  return ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${file}`];
}
