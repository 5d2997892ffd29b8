/** Small parts that several panels are made of: words, paths, bars, bans. */

import { fill, h } from "../dom.js";
import { ban, holds, isCut, toggled } from "../edits.js";
import { arrow, fixed, signed } from "../format.js";
import { notice } from "../notice.js";

/** A word to press: it opens the word's panel. */
export function wordButton({ openWord }, name, kind = "plain") {
  const look = { class: `word-button ${kind}`, "data-key": `word:${name}` };
  return h("button", { type: "button", ...look, on: { click: () => openWord(name) } }, name);
}

/**
 * A path whose arrows are buttons that ban their edge.
 *
 * @param {import("../main.js").Context} context
 * @param {string[]} path
 */
export function pathOf(context, path) {
  const steps = path.flatMap((name, at) => [
    at > 0 && arrowButton(context, path[at - 1], name),
    h("span", { class: "step" }, name),
  ]);
  return h("span", { class: "path" }, steps);
}

function arrowButton({ store }, source, target) {
  const label = `Ban the edge ${arrow(source, target)}`;
  const click = () => store.update({ edits: toggled(store.view.edits, ban(source, target)) });
  const look = { class: "arrow", title: label, "aria-label": label, "data-key": label };
  return h("button", { type: "button", ...look, on: { click } }, "→");
}

/** A button that bans an edge, or a word if there is no target, and takes the ban back. */
export function banButton({ store }, source, target = null) {
  const edit = ban(source, target);
  const banned = holds(store.view.edits, edit);
  const what = target === null ? source : arrow(source, target);
  return h(
    "button",
    {
      type: "button",
      class: "ban",
      "aria-label": `${banned ? "Allow" : "Ban"} ${what}`,
      "data-key": `ban:${what}`,
      on: { click: () => store.update({ edits: toggled(store.view.edits, edit) }) },
    },
    `${banned ? "Allow" : "Ban"}${target === null ? " this word" : ""}`,
  );
}

/** The class of a row whose edge is out of use. */
export function cutClass({ store }, source, target) {
  return isCut(store.view.edits, source, target) ? "cut" : "";
}

/** A bar from the left for a value in 0…most. */
export function bar(value, most, kind = "") {
  const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
  return h("span", { class: `bar ${kind}`, "aria-hidden": "true", vars: { "--share": share } });
}

/** A bar to either side of a middle line, for values in −most…most, and its number. */
export function signedBar(value, most, kind = "") {
  const share = most > 0 ? Math.min(1, Math.abs(value) / most) : 0;
  const side = value < 0 ? "below" : "above";
  return [
    h("span", { class: `signed-bar ${side} ${kind}`, "aria-hidden": "true", vars: { "--share": share } }),
    h("span", { class: "number" }, signed(value)),
  ];
}

/**
 * The first entries of a long list, and a button for the rest.
 *
 * @param {Set<string>} opened names of the lists that a person opened.
 * @param {string} name of this list.
 * @param {any[]} rows
 * @param {number} shown how many at first.
 * @param {() => void} render draw the list again.
 */
export function firstOf(opened, name, rows, shown, render) {
  if (rows.length <= shown + 2) return { rows, button: null };
  const open = opened.has(name);
  const click = () => {
    if (open) opened.delete(name);
    else opened.add(name);
    render();
  };
  const text = open ? `Show the first ${shown}` : `Show all ${rows.length}`;
  const look = { class: "quiet more", "data-key": `more:${name}`, "aria-expanded": String(open) };
  const button = h("button", { type: "button", ...look, on: { click } }, text);
  return { rows: open ? rows : rows.slice(0, shown), button };
}

/** The head of a table. */
export function tableHead(...titles) {
  return h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title))));
}

/** A number for a table. */
export function number(value, digits = 2) {
  return h("span", { class: "number" }, fixed(value, digits));
}

/**
 * Show an answer in an element: nothing yet, still waiting (what was there stays, dimmed), a problem, or a value.
 *
 * @param {HTMLElement} element
 * @param {import("../reading.js").Answer} answer
 * @param {{empty: () => any, value: (value: any) => any}} show
 */
export function showAnswer(element, answer, show) {
  element.setAttribute("aria-busy", String(answer.busy === true));
  if (answer.busy) return;
  if (answer.error) fill(element, notice(answer.error));
  else fill(element, answer.empty ? show.empty() : show.value(answer.value));
}
