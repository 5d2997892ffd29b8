/**
 * The neighbourhood of a word: a drawing to press, buttons to zoom, and the same edges as a list.
 *
 * The drawing is for eyes and pointers alone; whoever reads by ear or moves by keyboard has the list below it, which
 * holds every word and every ban that the drawing offers.
 */

import { debounce, fill, h } from "../dom.js";
import { arrow, count } from "../format.js";
import { Latest } from "../latest.js";
import { notice } from "../notice.js";
import { banButton, cutClass, number, wordButton } from "../panels/parts.js";
import { picture } from "./picture.js";
import { hasWebGL, sigmaView } from "./sigma_view.js";
import { svgView } from "./svg_view.js";

const EDGES_EACH = 10;
const MOST_NODES = 40;
const ZOOM = 1.4;

/**
 * @param {import("../main.js").Context} context
 * @param {HTMLElement} element
 * @returns {{show: (word: string) => void, clear: () => void}}
 */
export function graphPanel(context, element) {
  const { api, store, openWord } = context;
  const latest = new Latest();
  const frame = h("div", { class: "graph-frame", role: "img" });
  const chosen = h("div", { class: "chosen-edge", "aria-live": "polite" });
  const help = h("p", { class: "help" });
  const summary = h("summary");
  const list = h("ul", { class: "edge-list" });
  const controls = h("div", { class: "row spread" });
  const problem = h("div");
  element.append(h("h3", {}, "Neighbourhood"), controls, problem, frame, chosen, help, h("details", {}, summary, list));

  let word = "";
  let graph = null;
  let pair = null;
  let view = null; // a promise, once something is to be drawn

  async function look() {
    if (word === "") return;
    renderControls();
    const query = { around: word, hops: store.view.reach, top: EDGES_EACH, most: MOST_NODES };
    const answer = await latest.run((signal) => api.get("v1/graph", query, signal));
    if (!answer) return;
    frame.hidden = answer.error !== undefined;
    fill(problem, answer.error && notice(answer.error));
    graph = answer.value ?? null;
    pair = null;
    await draw();
    (await view)?.reset();
  }

  async function draw() {
    renderChosen();
    renderList();
    if (!graph || frame.clientWidth === 0) return;
    const [nodes, edges] = [count(graph.nodes.length, "word"), count(graph.edges.length, "edge")];
    const told = `Drawing of ${nodes} and ${edges} around ${word}; the list below holds the same edges.`;
    frame.setAttribute("aria-label", told);
    const drawing = await (view ??= makeView());
    if (graph) drawing.draw(picture(graph, { focus: word, edits: store.view.edits, element: frame }));
    frame.dataset.drawing = drawing.kind;
  }

  /** Draw with WebGL where there is any; a driver that fails at the last moment is as good as none. */
  async function makeView() {
    const pressed = { node: openWord, edge: choose };
    if (!hasWebGL()) return svgView(frame, pressed);
    try {
      return await sigmaView(frame, pressed);
    } catch (error) {
      console.warn("No drawing with WebGL:", error);
      return svgView(frame, pressed);
    }
  }

  function choose(source, target) {
    pair = [source, target];
    renderChosen();
  }

  function renderChosen() {
    const between = ({ source, target }) => pair?.includes(source) && pair.includes(target);
    const edges = (graph?.edges ?? []).filter(between);
    fill(chosen, edges.map((edge) => edgeRow(context, edge, "div")));
  }

  /** The drawing in words. */
  function renderList() {
    const { nodes, edges, complete } = graph ?? { nodes: [], edges: [], complete: true };
    const cut = complete ? "" : ` Only the nearest ${nodes.length} words are drawn.`;
    help.textContent = `Press a word to move on, an edge to ban it.${cut}`;
    summary.textContent = `The drawing as a list: ${count(edges.length, "edge")}`;
    const strongest = [...edges].sort((one, other) => other.weight - one.weight || (inOrder(one, other) ? -1 : 1));
    fill(list, strongest.map((edge) => edgeRow(context, edge, "li")));
  }

  function renderControls() {
    const change = (event) => store.update({ reach: Number(event.target.value) });
    const option = (hops) => h("option", { value: hops, selected: hops === store.view.reach }, count(hops, "hop"));
    const button = (key, label, text, action) => {
      const click = async () => action(await view);
      return h("button", { type: "button", "data-key": key, "aria-label": label, on: { click } }, text);
    };
    fill(
      controls,
      h("div", { class: "field inline" },
        h("label", { for: "reach" }, "Reach"),
        h("select", { id: "reach", "data-key": "reach", on: { change } }, [1, 2, 3].map(option))),
      h("div", { class: "choice", role: "group", "aria-label": "Drawing" },
        button("nearer", "Zoom in", "+", (drawing) => drawing?.zoom(ZOOM)),
        button("further", "Zoom out", "−", (drawing) => drawing?.zoom(1 / ZOOM)),
        button("whole", "Show the whole drawing", "Whole", (drawing) => drawing?.reset())),
    );
  }

  store.watch(["reach"], look);
  store.watch(["edits", "view"], draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(debounce(draw, 100)).observe(frame);

  return {
    show(name) {
      word = name;
      look();
    },
    clear() {
      word = "";
      graph = null;
      latest.cancel();
    },
  };
}

function edgeRow(context, { source, target, weight }, tag) {
  return h(tag, { class: `edge-row ${cutClass(context, source, target)}` },
    wordButton(context, source),
    h("span", { "aria-hidden": "true" }, "→"),
    h("span", { class: "unseen" }, " leads to "),
    wordButton(context, target),
    number(weight),
    banButton(context, source, target));
}

function inOrder(one, other) {
  return arrow(one.source, one.target) < arrow(other.source, other.target);
}
