/** The text that is read, and its words: those the model knows can be pressed, the others are named. */

import { byId, debounce, fill, h } from "../dom.js";
import { count, percent } from "../format.js";
import { showAnswer, wordButton } from "./parts.js";

const PAUSE = 250;
const FIRST_WORDS = { asked: 50, shown: 12, least: 5 };

/**
 * @param {import("../main.js").Context} context
 * @returns {(answer: import("../reading.js").Answer) => void} to be told of expansions.
 */
export function textPanel(context) {
  const { store } = context;
  const input = byId("text-input");
  const words = byId("words");
  const firstWords = someWords(context);

  input.value = store.view.text;
  const commit = debounce(() => store.update({ text: input.value }, "text"), PAUSE);
  input.addEventListener("input", commit);
  store.watch(["text"], ({ text }) => {
    if (input.value !== text) input.value = text; // an equal value would move the cursor
  });

  return (answer) =>
    showAnswer(words, answer, {
      empty: () => firstWords,
      value: ({ expanded }) => wordList(context, expanded),
    });
}

function wordList(context, { text, features, unknown, coverage }) {
  const known = features.filter((feature) => feature.kind === "text").map((feature) => feature.name);
  if (known.length + unknown.length === 0) return h("p", { class: "help" }, "This text holds no word.");
  const place = placeIn(text);
  const all = [...known.map((name) => ({ name, isKnown: true })), ...unknown.map((name) => ({ name, isKnown: false }))];
  all.sort((one, other) => place(one.name) - place(other.name));
  const shown = ({ name, isKnown }) => (isKnown ? wordButton(context, name, "text") : unknownWord(name));
  const share = `${percent(coverage)} of its ${count(all.length, "word")} known`;
  const summary = unknown.length
    ? `${share}; struck through: ${count(unknown.length, "word")} the model has never seen`
    : `${all.length === 1 ? "Its word is" : "All its words are"} known`;
  return [
    h("ul", { class: "words" }, all.map((word) => h("li", {}, shown(word)))),
    h("p", { class: "help" }, `${summary}. Press a word to see what the net knows about it.`),
  ];
}

function unknownWord(name) {
  return h("span", { class: "unknown" }, name, h("span", { class: "unseen" }, " (not known)"));
}

/** Where a word first stands in a text; the model may have changed its form, then it comes last. */
function placeIn(text) {
  const folded = text.toLowerCase();
  return (name) => {
    const at = folded.indexOf(name);
    return at < 0 ? folded.length : at;
  };
}

/** A way in for who has no text at hand: frequent words of the net, long enough to mean something. */
function someWords(context) {
  const list = h("ul", { class: "words" });
  context.api.get("v1/features", { prefix: "", limit: FIRST_WORDS.asked }).then(
    ({ features }) => {
      const telling = features.filter(({ name }) => name.length >= FIRST_WORDS.least);
      const words = (telling.length ? telling : features).slice(0, FIRST_WORDS.shown);
      fill(list, words.map(({ name }) => h("li", {}, wordButton(context, name))));
    },
    () => list.remove(), // the panels that matter report why the server does not answer
  );
  return [h("p", { class: "help" }, "Or begin with a word of this net:"), list];
}
