/**
 * Reading a text: what is asked of the server when the text, the edits or the controls change.
 *
 * Two questions, each with its own latest answer: how the text is expanded under the controls, and how it is judged
 * under the trained setting. With edits the judgement is asked for twice, so that before and after can be compared.
 */

import { Latest } from "./latest.js";

const SHOWN_FEATURES = 20;
const SHOWN_TERMS = 40;

/**
 * @typedef {{empty?: true, busy?: true, value?: any, error?: Error}} Answer nothing asked, asked, answered, or failed.
 * @typedef {object} Judgement
 * @property {object} told the explanation under the edits.
 * @property {{label: any, probabilities: {label: any, probability: number}[]} | null} before the prediction without
 *   edits; null where there are none.
 */

/**
 * Follow the view and hand answers on.
 *
 * @param {import("./main.js").Context} context
 * @param {{expansion: (answer: Answer) => void, judgement: (answer: Answer) => void}} listeners
 */
export function followText({ api, store, model }, listeners) {
  const latest = { expansion: new Latest(), judgement: new Latest() };

  async function ask(name, question) {
    const text = store.view.text.toWellFormed();
    if (text.trim() === "") {
      latest[name].cancel();
      listeners[name]({ empty: true });
      return;
    }
    listeners[name]({ busy: true });
    const answer = await latest[name].run((signal) => question(text, store.view, signal));
    if (answer) listeners[name](answer);
  }

  const expand = () => ask("expansion", (text, view, signal) => askExpansion(api, text, view, signal));
  const judge = () => ask("judgement", (text, view, signal) => askJudgement(api, text, view.edits, signal));

  store.watch(["text", "edits", "method", "damping", "hops", "k"], expand);
  expand();
  if (model.kind !== "classifier") return;
  store.watch(["text", "edits"], judge);
  judge();
}

async function askExpansion(api, text, view, signal) {
  const body = { text, top: SHOWN_FEATURES, edits: view.edits };
  if (view.method) body.method = view.method;
  for (const name of ["damping", "hops", "k"]) if (view[name] !== null) body[name] = view[name];
  const answer = await api.post("v1/expand", body, signal);
  return { expanded: answer.expansions[0], expansion: answer.expansion };
}

/** @returns {Promise<Judgement>} */
async function askJudgement(api, text, edits, signal) {
  const [told, plain] = await Promise.all([
    api.post("v1/explain", { text, top: SHOWN_TERMS, edits }, signal),
    edits.length ? api.post("v1/predict", { text, probabilities: true }, signal) : null,
  ]);
  return { told: told.explanations[0], before: plain && plain.predictions[0] };
}
