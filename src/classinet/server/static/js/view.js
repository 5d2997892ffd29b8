/**
 * A view of the page as a value, and as the fragment of its address.
 *
 * Enter and leave: all that a person chose. The fragment stays in the browser: a text that is shared by a link does
 * not appear in the logs of a server. What equals the default is left out of the address.
 *
 * @typedef {object} View
 * @property {"explore" | "batch"} view which half of the page is shown.
 * @property {string} text the text that is read.
 * @property {string} word the word that is looked at, or "".
 * @property {number} reach hops of the drawn neighbourhood.
 * @property {boolean} incoming whether neighbours are those that lead to the word.
 * @property {string} method of the expansion shown; "" as trained.
 * @property {number | null} damping of the expansion shown; null as trained.
 * @property {number | null} hops of the expansion shown; null as trained.
 * @property {number | null} k neighbours of the expansion shown; null as trained.
 * @property {string} class whose contributions are drawn; "" the predicted one.
 * @property {import("./edits.js").Edit[]} edits bans.
 */

import { parseEdits } from "./edits.js";

/** @type {View} */
export const DEFAULTS = Object.freeze({
  view: "explore",
  text: "",
  word: "",
  reach: 1,
  incoming: false,
  method: "",
  damping: null,
  hops: null,
  k: null,
  class: "",
  edits: Object.freeze([]),
});

const string = { read: (raw) => raw, write: (value) => value };
const number = (low, high, whole) => ({
  read: (raw) => {
    const value = Number(raw);
    const fits = raw.trim() !== "" && value >= low && value <= high && (!whole || Number.isInteger(value));
    return fits ? value : undefined;
  },
  write: String,
});

const FIELDS = {
  view: { read: (raw) => (raw === "batch" ? raw : undefined), write: String },
  text: string,
  word: string,
  reach: number(1, 3, true),
  incoming: { read: (raw) => raw === "1", write: () => "1" },
  method: string,
  damping: number(0, 1, false),
  hops: number(1, 10, true),
  k: number(1, 1000, true),
  class: string,
  edits: { read: parseEdits, write: JSON.stringify },
};

/**
 * Read the fragment of an address; what makes no sense becomes the default.
 *
 * @param {string} fragment with or without its "#".
 * @returns {View}
 */
export function parseView(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const view = { ...DEFAULTS };
  for (const [name, { read }] of Object.entries(FIELDS)) {
    const value = given.has(name) ? read(given.get(name)) : undefined;
    if (value !== undefined) view[name] = value;
  }
  return view;
}

/**
 * Write a view as a fragment.
 *
 * @param {View} view
 * @returns {string} with its "#".
 */
export function formatView(view) {
  const given = new URLSearchParams();
  for (const [name, { write }] of Object.entries(FIELDS)) {
    if (!isDefault(name, view[name])) given.set(name, write(view[name]));
  }
  return `#${given}`;
}

function isDefault(name, value) {
  return name === "edits" ? value.length === 0 : value === DEFAULTS[name];
}
