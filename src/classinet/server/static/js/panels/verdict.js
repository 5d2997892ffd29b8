/** The label: with the net's help, without it, and, once something is banned, before and after. */

import { byId, h } from "../dom.js";
import { labelText, percent, sameLabel } from "../format.js";
import { bar, showAnswer } from "./parts.js";

const SHOWN_CLASSES = 5;
const NAMED_CLASSES = 12;

/**
 * @param {import("../main.js").Context} context
 * @returns {(answer: import("../reading.js").Answer) => void} to be told of judgements.
 */
export function verdictPanel({ model, announce }) {
  const element = byId("verdict");
  byId("verdict-section").hidden = model.kind !== "classifier";
  return (answer) => {
    showAnswer(element, answer, {
      empty: () => h("p", { class: "help" }, `The model tells apart: ${classList(model.classes)}.`),
      value: verdict,
    });
    if (answer.value) announce(spoken(answer.value));
  };
}

function classList(classes) {
  const named = classes.slice(0, NAMED_CLASSES).map(String).join(", ");
  return classes.length > NAMED_CLASSES ? `${named} and ${classes.length - NAMED_CLASSES} more` : named;
}

function verdict({ told, before }) {
  const changedByNet = !sameLabel(told.label, told.label_without_expansion);
  const ranked = rank(told);
  const unlisted = ranked.length - SHOWN_CLASSES;
  return [
    h(
      "dl",
      { class: "verdict" },
      h("div", { class: "with" }, h("dt", {}, "with the net"), h("dd", { id: "label" }, labelText(told.label))),
      h("div", { class: changedByNet ? "without changed" : "without" },
        h("dt", {}, "without it"), h("dd", { id: "label-without" }, labelText(told.label_without_expansion))),
    ),
    h("p", { class: "help" }, changedByNet ? "The net changes the label." : "The net does not change the label.",
      told.coverage === 0 ? " No word of the text is known: the label is what is likely before reading it." : ""),
    before && comparison(before, told),
    h("ul", { class: "classes", "aria-label": "Probabilities" },
      ranked.slice(0, SHOWN_CLASSES).map(({ label, probability }) =>
        h("li", {},
          h("span", { class: "name" }, String(label)),
          bar(probability, 1),
          h("span", { class: "number" }, percent(probability))))),
    unlisted > 0 && h("p", { class: "help" }, `and ${unlisted} less probable ones`),
  ];
}

/** What the edits of this page did to the label. */
function comparison(before, told) {
  const changed = !sameLabel(before.label, told.label);
  return h(
    "p",
    { class: changed ? "comparison changed" : "comparison", id: "comparison" },
    h("strong", {}, changed ? "Your edits change the label. " : "Your edits do not change the label. "),
    "Before: ", h("b", {}, sureness(before.label, before.probabilities)),
    ". After: ", h("b", {}, sureness(told.label, rank(told))), ".",
  );
}

function sureness(label, ranked) {
  if (Array.isArray(label)) return labelText(label);
  const found = ranked.find((item) => String(item.label) === String(label));
  return found ? `${label} ${percent(found.probability)}` : labelText(label);
}

function rank({ classes, probabilities }) {
  return classes
    .map((label, at) => ({ label, probability: probabilities[at] }))
    .sort((one, other) => other.probability - one.probability);
}

function spoken({ told, before }) {
  const label = `Label ${labelText(told.label)}, without the net ${labelText(told.label_without_expansion)}.`;
  const changed = before && !sameLabel(before.label, told.label);
  return changed ? `${label} Before your edits ${labelText(before.label)}.` : label;
}
