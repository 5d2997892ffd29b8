/** One word: its neighbourhood drawn, its neighbours listed, what its predictor listens to, texts that hold it. */

import { byId, fill, h } from "../dom.js";
import { inPath } from "../api.js";
import { count, percent, whole } from "../format.js";
import { graphPanel } from "../graph/graph_panel.js";
import { Latest } from "../latest.js";
import { notice } from "../notice.js";
import { banButton, bar, cutClass, number, signedBar, tableHead, wordButton } from "./parts.js";

const NEIGHBORS = 20;
const INVITATION =
  "Press any word on this page, or search for one, to see its neighbourhood in the net, what predicts it, " +
  "and texts that hold it.";

/** @param {import("../main.js").Context} context */
export function wordPanel(context) {
  const { api, store } = context;
  const title = byId("word-title");
  const names = ["facts", "graph", "neighbors", "predictor", "examples"];
  const parts = Object.fromEntries(names.map((name) => [name, h("div", { class: `${name}-part` })]));
  const element = byId("word");
  const graph = graphPanel(context, parts.graph);
  const latest = { word: new Latest(), neighbors: new Latest() };
  let shown = null;
  let neighbors = null;

  async function look({ word }) {
    neighbors = null;
    if (word === "") {
      Object.values(latest).forEach((each) => each.cancel());
      title.textContent = "A word";
      graph.clear();
      fill(element, h("p", { class: "help" }, INVITATION));
      return;
    }
    title.textContent = word;
    element.setAttribute("aria-busy", "true");
    const answer = await latest.word.run((signal) => api.get(`v1/features/${inPath(word)}`, {}, signal));
    if (!answer) return;
    element.setAttribute("aria-busy", "false");
    if (answer.error) {
      graph.clear();
      fill(element, notice(answer.error));
      return;
    }
    const { feature } = answer.value;
    title.textContent = feature.name;
    if (!parts.facts.isConnected) fill(element, Object.values(parts));
    shown = feature;
    showFacts();
    fill(parts.predictor, predictor(context, feature));
    fill(parts.examples, examples(context, feature));
    graph.show(feature.name);
    await lookAtNeighbors(store.view);
  }

  async function lookAtNeighbors({ word, incoming }) {
    if (word === "") return;
    const route = `v1/neighbors/${inPath(word)}`;
    const answer = await latest.neighbors.run((signal) => api.get(route, { top: NEIGHBORS, incoming }, signal));
    if (!answer) return;
    neighbors = answer;
    showNeighbors();
  }

  function showFacts() {
    if (shown) fill(parts.facts, facts(context, shown));
  }

  function showNeighbors() {
    if (neighbors) fill(parts.neighbors, neighborList(context, neighbors));
  }

  store.watch(["word"], look);
  store.watch(["incoming"], lookAtNeighbors);
  store.watch(["edits"], () => {
    showNeighbors();
    showFacts();
  });
  look(store.view);
}

function facts(context, { name, frequency, fires, degree_out: out, degree_in: into }) {
  const fact = (term, value) => h("div", {}, h("dt", {}, term), h("dd", {}, value));
  return [
    h("dl", { class: "facts" },
      fact("in texts", percent(frequency)),
      fact("predictor fires", fires === null ? "not known" : percent(fires)),
      fact("edges out", whole(out)),
      fact("edges in", whole(into))),
    h("p", {}, banButton(context, name)),
  ];
}

function neighborList(context, { value, error }) {
  const { store } = context;
  const { incoming } = store.view;
  const choice = (wanted, text) => {
    const state = { "aria-pressed": String(incoming === wanted), "data-key": `incoming:${wanted}` };
    return h("button", { type: "button", ...state, on: { click: () => store.update({ incoming: wanted }) } }, text);
  };
  const choices = { class: "choice", role: "group", "aria-label": "Direction" };
  const head = h("div", { class: "row spread" },
    h("h3", {}, "Neighbours"),
    h("div", choices, choice(false, "it implies"), choice(true, "imply it")));
  if (error) return [head, notice(error)];
  const edges = value.neighbors;
  const none = `No edge ${incoming ? "leads to" : "leaves"} this word.`;
  if (edges.length === 0) return [head, h("p", { class: "help" }, none)];
  const rows = edges.map(({ source, target, weight }) =>
    h("tr", { class: cutClass(context, source, target) },
      h("th", { scope: "row" }, wordButton(context, incoming ? source : target)),
      h("td", { class: "measure" }, bar(weight, 1), number(weight)),
      h("td", {}, banButton(context, source, target))));
  return [
    head,
    h("table", { class: "neighbors" },
      h("caption", { class: "help" }, incoming
        ? "The weight says how strongly the neighbour implies this word."
        : "The weight says how strongly this word implies the neighbour."),
      tableHead("neighbour", "weight", "edit"),
      h("tbody", {}, rows)),
  ];
}

function predictor(context, { predictor: weights, name }) {
  const head = h("h3", {}, "What its predictor listens to");
  if (weights === null) return [head, h("p", { class: "help" }, "This model was saved without its predictors.")];
  if (weights.length === 0) return [head, h("p", { class: "help" }, `Nothing speaks for or against “${name}”.`)];
  const most = Math.max(...weights.map(({ weight }) => Math.abs(weight)));
  const rows = weights.map((entry) =>
    h("tr", {},
      h("th", { scope: "row" }, wordButton(context, entry.name)),
      h("td", { class: "measure" }, signedBar(entry.weight, most))));
  return [
    head,
    h("table", { class: "predictor" },
      h("caption", { class: "help" }, `${count(rows.length, "weight")}, the largest first.`),
      tableHead("word", "weight"),
      h("tbody", {}, rows)),
  ];
}

function examples({ model }, { examples: texts }) {
  const head = h("h3", {}, "Texts that hold it");
  if (texts?.length) return [head, h("ul", { class: "examples" }, texts.map((text) => h("li", {}, text)))];
  const why = model.has_examples ? "No example of this word was kept." : "This model was saved without example texts.";
  return [head, h("p", { class: "help" }, why)];
}
