import jsQR from "jsqr";
import { useCallback, useEffect, useRef, useState } from "react";

/** The phone's camera: a picture to show, codes it sees, and photos. */
export function useCamera(onCode: ((text: string) => void) | undefined) {
  const video = useRef<HTMLVideoElement>(null);
  const [on, setOn] = useState(false);
  const [problem, setProblem] = useState("");
  const stream = useRef<MediaStream>(undefined);

  const stop = useCallback(() => {
    stream.current?.getTracks().forEach((t) => t.stop());
    stream.current = undefined;
    setOn(false);
  }, []);

  const start = useCallback(async () => {
    setProblem("");
    try {
      stream.current = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1280 } }, audio: false });
      setOn(true);
    } catch {
      setProblem("The camera cannot be used. Allow it in the browser, or type the pass number and choose a photo instead.");
    }
  }, []);

  useEffect(() => stop, [stop]);
  useEffect(() => {
    const el = video.current;
    if (!on || !el || !stream.current) return;
    el.srcObject = stream.current;
    void el.play();
  }, [on]);

  useEffect(() => {
    if (!on || !onCode) return;
    const canvas = document.createElement("canvas");
    const timer = setInterval(() => {
      const text = read(video.current, canvas);
      if (text) onCode(text);
    }, 200);
    return () => clearInterval(timer);
  }, [on, onCode]);

  const shoot = useCallback(async (): Promise<Blob | undefined> => {
    const el = video.current;
    if (!el || el.videoWidth === 0) return undefined;
    const canvas = document.createElement("canvas");
    canvas.width = el.videoWidth;
    canvas.height = el.videoHeight;
    canvas.getContext("2d")?.drawImage(el, 0, 0);
    return new Promise((resolve) => canvas.toBlob((b) => resolve(b ?? undefined), "image/jpeg", 0.85));
  }, []);

  return { video, on, problem, start, stop, shoot };
}

/** The text of a code in the picture. Small pictures are enough and quick to read. */
function read(el: HTMLVideoElement | null, canvas: HTMLCanvasElement): string | undefined {
  if (!el || el.videoWidth === 0) return undefined;
  const scale = Math.min(1, 640 / el.videoWidth);
  canvas.width = Math.round(el.videoWidth * scale);
  canvas.height = Math.round(el.videoHeight * scale);
  const g = canvas.getContext("2d", { willReadFrequently: true });
  if (!g) return undefined;
  g.drawImage(el, 0, 0, canvas.width, canvas.height);
  const picture = g.getImageData(0, 0, canvas.width, canvas.height);
  return jsQR(picture.data, picture.width, picture.height, { inversionAttempts: "dontInvert" })?.data;
}

/** The text of a code in an image file. */
export async function readFile(file: Blob): Promise<string | undefined> {
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const g = canvas.getContext("2d");
  if (!g) return undefined;
  g.drawImage(bitmap, 0, 0);
  const p = g.getImageData(0, 0, canvas.width, canvas.height);
  return jsQR(p.data, p.width, p.height)?.data;
}

/** A photo is sent as it is up to this size, in bytes. */
const small = 1 << 20;
/** Longer sides show nothing more of a face. */
const side = 1600;

/** A photo as small as the gate needs it: a phone's own camera makes larger ones than the office takes. */
export async function smaller(photo: Blob): Promise<Blob> {
  if (photo.size <= small) return photo;
  try {
    const bitmap = await createImageBitmap(photo);
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve) => canvas.toBlob((b) => resolve(b ?? photo), "image/jpeg", 0.85));
  } catch {
    return photo; // not readable here, such as HEIC: the office judges it
  }
}
