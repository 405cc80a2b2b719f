import { isDict, type Dict } from "./shape";

/** The part of JSON Schema that the tools' input types produce. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema | boolean;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
};

/** The one type a schema asks for, leaving out null. */
export function typeOf(s: Schema): string {
  if (Array.isArray(s.type)) return s.type.find((t) => t !== "null") ?? "string";
  if (s.type) return s.type;
  if (s.properties) return "object";
  if (s.items) return "array";
  if (s.enum) return typeof s.enum[0] === "number" ? "number" : "string";
  return "any";
}

export function nullable(s: Schema): boolean {
  return Array.isArray(s.type) && s.type.includes("null");
}

/** A value to start with for a new entry of this schema. */
export function blank(s: Schema): unknown {
  if (s.default !== undefined) return s.default;
  if (s.enum?.length) return s.enum[0];
  switch (typeOf(s)) {
    case "object": {
      const out: Dict = {};
      for (const name of s.required ?? []) {
        const inner = s.properties?.[name];
        if (inner) out[name] = blank(inner);
      }
      return out;
    }
    case "array":
      return [];
    case "boolean":
      return false;
    case "number":
    case "integer":
      return undefined;
    default:
      return "";
  }
}

/** What is wrong with a value, by the path of the field: "riders.0.name". */
export function problems(s: Schema, value: unknown, path = ""): Map<string, string> {
  const out = new Map<string, string>();
  const say = (text: string) => out.set(path, text);
  if (value === undefined || value === null) {
    if (value === null && nullable(s)) return out;
    say("Fill this in.");
    return out;
  }
  if (s.enum && !s.enum.some((e) => e === value)) say(`Choose one of ${s.enum.join(", ")}.`);
  switch (typeOf(s)) {
    case "string":
      checkText(s, value, say);
      break;
    case "integer":
    case "number":
      checkNumber(s, value, say);
      break;
    case "boolean":
      if (typeof value !== "boolean") say("Choose yes or no.");
      break;
    case "array":
      checkList(s, value, path, say, out);
      break;
    case "object":
      checkObject(s, value, path, say, out);
      break;
  }
  return out;
}

function checkText(s: Schema, value: unknown, say: (t: string) => void) {
  if (typeof value !== "string") return say("Write text.");
  if (s.minLength !== undefined && value.length < s.minLength) say(s.minLength === 1 ? "Fill this in." : `Write at least ${s.minLength} characters.`);
  if (s.maxLength !== undefined && value.length > s.maxLength) say(`Write at most ${s.maxLength} characters; these are ${value.length}.`);
  if (s.pattern && !safeTest(s.pattern, value)) say("This does not have the right form.");
}

function checkNumber(s: Schema, value: unknown, say: (t: string) => void) {
  if (typeof value !== "number" || !Number.isFinite(value)) return say("Write a number.");
  if (typeOf(s) === "integer" && !Number.isInteger(value)) say("Write a whole number.");
  if (s.minimum !== undefined && value < s.minimum) say(`Not less than ${s.minimum}.`);
  if (s.maximum !== undefined && value > s.maximum) say(`Not more than ${s.maximum}.`);
  if (s.exclusiveMinimum !== undefined && value <= s.exclusiveMinimum) say(`More than ${s.exclusiveMinimum}.`);
  if (s.exclusiveMaximum !== undefined && value >= s.exclusiveMaximum) say(`Less than ${s.exclusiveMaximum}.`);
}

function checkList(s: Schema, value: unknown, path: string, say: (t: string) => void, out: Map<string, string>) {
  if (!Array.isArray(value)) return say("This must be a list.");
  if (s.minItems !== undefined && value.length < s.minItems) say(`At least ${s.minItems}.`);
  if (s.maxItems !== undefined && value.length > s.maxItems) say(`At most ${s.maxItems}.`);
  if (isDict(s.items)) {
    value.forEach((v, i) => problems(s.items as Schema, v, join(path, String(i))).forEach((t, p) => out.set(p, t)));
  }
}

function checkObject(s: Schema, value: unknown, path: string, say: (t: string) => void, out: Map<string, string>) {
  if (!isDict(value)) return say("This must have fields.");
  for (const [name, inner] of Object.entries(s.properties ?? {})) {
    const required = s.required?.includes(name) ?? false;
    if (value[name] === undefined && !required) continue;
    if (value[name] === "" && required && typeOf(inner) === "string" && !inner.enum) {
      out.set(join(path, name), "Fill this in.");
      continue;
    }
    problems(inner, value[name], join(path, name)).forEach((t, p) => out.set(p, t));
  }
}

export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function safeTest(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}
