/** What decides: the summands of one class's logit as bars to either side, the words of the text beside those added. */

import { byId, h } from "../dom.js";
import { labelText, signed } from "../format.js";
import { firstOf, pathOf, showAnswer, signedBar, tableHead, wordButton } from "./parts.js";

const SHOWN = 12;

/**
 * @param {import("../main.js").Context} context
 * @returns {(answer: import("../reading.js").Answer) => void} to be told of judgements.
 */
export function contributionsPanel(context) {
  const { store, model } = context;
  const element = byId("contributions");
  byId("contributions-section").hidden = model.kind !== "classifier";
  const opened = new Set();
  let answer = { empty: true };
  const render = () =>
    showAnswer(element, answer, {
      empty: () => h("p", { class: "help" }, "Nothing yet: type a text."),
      value: ({ told }) => contributions(context, told, opened, render),
    });
  store.watch(["class"], render);
  return (next) => {
    answer = next;
    render();
  };
}

/** Terms that come from the text itself, and how they are called. */
const OF_TEXT = { text: "in the text", phrase: "a piece of the text", letters: "its letters" };

const colour = ({ kind }) => (kind in OF_TEXT ? "text" : kind);

function contributions(context, told, opened, render) {
  const at = chosenClass(told, context.store.view.class);
  const features = told.terms.filter((term) => term.kind === "predicted" || term.kind in OF_TEXT);
  const rest = told.terms.filter((term) => !features.includes(term));
  features.sort((one, other) => Math.abs(other.contributions[at]) - Math.abs(one.contributions[at]));
  const most = Math.max(...told.terms.map((term) => Math.abs(term.contributions[at])));
  const row = (kind, name, measured, origin = null) =>
    h("tr", { class: kind },
      h("th", { scope: "row" }, name), h("td", { class: "measure" }, measured), h("td", {}, origin));
  const { rows, button } = firstOf(opened, "terms", features, SHOWN, render);
  const hidden = features.filter((term) => !rows.includes(term));
  const lines = [
    ...rows.map((term) =>
      row(
        colour(term),
        // Of phrases, and of words that are not known, there is nothing more to see.
        term.kind === "phrase" || told.unknown.includes(term.name)
          ? term.name
          : wordButton(context, term.name, colour(term)),
        signedBar(term.contributions[at], most, colour(term)),
        OF_TEXT[term.kind] ?? pathOf(context, term.path),
      )),
    hidden.length > 0 && row("rest", `${hidden.length} more words`, signedBar(sum(hidden, at), most)),
    ...rest.map((term) => row("rest", restName(term), signedBar(term.contributions[at], most))),
    row("sum", "sum", [h("span"), h("span", { class: "number" }, signed(told.logits[at]))]),
  ];
  return [
    classChoice(context.store, told, at),
    h("p", { class: "help" },
      h("span", { class: "key text" }), "in the text ",
      h("span", { class: "key predicted" }), "added by the net. ",
      "To the right: speaks for the class; to the left: against it."),
    h(
      "table",
      { class: "contributions" },
      tableHead("word", "contribution", "where from"),
      h("tbody", {}, lines),
    ),
    button,
  ];
}

function sum(terms, at) {
  return terms.reduce((total, term) => total + term.contributions[at], 0);
}

function restName({ kind, count }) {
  return kind === "others" ? `${count} others` : "before reading";
}

/** The class the view names, or else the predicted one; of several tags the most probable. */
function chosenClass({ classes, label, probabilities }, wanted) {
  const named = classes.findIndex((name) => String(name) === wanted);
  if (named >= 0) return named;
  const predicted = classes.findIndex((name) => !Array.isArray(label) && String(name) === String(label));
  return predicted >= 0 ? predicted : probabilities.indexOf(Math.max(...probabilities));
}

function classChoice(store, { classes, label }, at) {
  const option = (name, index) => h("option", { value: String(name), selected: index === at }, String(name));
  const change = (event) => {
    const chosen = event.target.value;
    store.update({ class: !Array.isArray(label) && chosen === labelText(label) ? "" : chosen });
  };
  return h("div", { class: "field" }, h("label", { for: "class" }, "For the class"),
    h("select", { id: "class", "data-key": "class", on: { change } }, classes.map(option)));
}
