/**
 * A picture drawn as SVG, for browsers without WebGL; the same presses, drags and zooms as the other view.
 *
 * @typedef {object} GraphView
 * @property {(picture: import("./picture.js").Picture) => void} draw
 * @property {(factor: number) => void} zoom more than 1 comes nearer.
 * @property {() => void} reset show everything again.
 * @property {() => void} destroy
 * @property {string} kind
 */

import { svg } from "../dom.js";

const DRAG = 4;

/**
 * @param {HTMLElement} host
 * @param {{node: (name: string) => void, edge: (source: string, target: string) => void}} pressed
 * @returns {GraphView}
 */
export function svgView(host, pressed) {
  const root = svg("svg", { class: "graph-svg", "aria-hidden": "true" });
  host.replaceChildren(root);
  let size = { width: 1, height: 1 };
  let camera = { x: 0, y: 0, ratio: 1 };
  let drag = null;

  function look() {
    const { width, height } = size;
    root.setAttribute("viewBox", [camera.x, camera.y, width * camera.ratio, height * camera.ratio].join(" "));
  }

  function zoom(factor) {
    const ratio = Math.min(2, Math.max(0.1, camera.ratio / factor));
    camera.x += (size.width * (camera.ratio - ratio)) / 2;
    camera.y += (size.height * (camera.ratio - ratio)) / 2;
    camera.ratio = ratio;
    look();
  }

  function reset() {
    camera = { x: 0, y: 0, ratio: 1 };
    look();
  }

  /** Light up a word's edges and their ends. */
  function highlight(name) {
    root.classList.toggle("lit", name !== null);
    for (const part of root.querySelectorAll("[data-ends]")) {
      part.classList.toggle("near", name !== null && JSON.parse(part.dataset.ends).includes(name));
    }
  }

  root.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return; // a finger scrolls the page
    drag = { x: event.clientX, y: event.clientY, far: false, from: { ...camera } };
  });
  root.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.far ||= Math.hypot(dx, dy) > DRAG;
    if (!drag.far) return;
    camera = { ...camera, x: drag.from.x - dx * camera.ratio, y: drag.from.y - dy * camera.ratio };
    look();
  });
  root.addEventListener("pointerleave", () => (drag = null));
  root.addEventListener("click", (event) => {
    const wasDrag = drag?.far;
    drag = null;
    const part = event.target.closest("[data-ends]");
    if (wasDrag || !part) return;
    const ends = JSON.parse(part.dataset.ends);
    if (part.classList.contains("node")) pressed.node(ends[0]);
    else pressed.edge(ends[0], ends[1]);
  });
  root.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2);
  }, { passive: false });

  function draw(picture) {
    size = { width: picture.width, height: picture.height };
    const places = new Map(picture.nodes.map((node) => [node.name, node]));
    const lines = picture.edges.map((edge) => edgeParts(edge, places.get(edge.source), places.get(edge.target)));
    const names = picture.nodes.map((node) => nodeParts(node));
    for (const part of names) {
      part.addEventListener("pointerenter", () => highlight(JSON.parse(part.dataset.ends)[0]));
      part.addEventListener("pointerleave", () => highlight(null));
    }
    root.replaceChildren(...lines, ...names);
    look();
  }

  return { kind: "svg", draw, zoom, reset, destroy: () => root.remove() };
}

function nodeParts({ name, x, y, side, size, color, isFocus }) {
  const label = side === "left" ? { x: x - size - 4, "text-anchor": "end" } : { x: x + size + 4 };
  return svg(
    "g",
    { class: isFocus ? "node focus" : "node", "data-ends": JSON.stringify([name]) },
    svg("circle", { cx: x, cy: y, r: size, fill: color }),
    svg("text", { ...label, y, "dominant-baseline": "central" }, name),
  );
}

function edgeParts({ source, target, size, color, label, cut }, from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const tip = { x: to.x - ux * (to.size + 1), y: to.y - uy * (to.size + 1) };
  const head = 5 + size;
  const foot = { x: tip.x - ux * head, y: tip.y - uy * head };
  const wing = head * 0.45;
  const side = (by) => ({ x: foot.x - uy * by, y: foot.y + ux * by });
  const corners = [tip, side(wing), side(-wing)];
  const line = { x1: from.x, y1: from.y, x2: foot.x, y2: foot.y };
  const at = { x: from.x + dx * 0.6, y: from.y + dy * 0.6 }; // where edges of one source have spread
  return svg(
    "g",
    { class: cut ? "edge cut" : "edge", "data-ends": JSON.stringify([source, target]) },
    svg("line", { ...line, class: "reach" }),
    svg("line", { ...line, stroke: color, "stroke-width": size }),
    svg("polygon", { points: corners.map(({ x, y }) => `${x},${y}`).join(" "), fill: color }),
    label && svg("text", { ...at, "text-anchor": "middle", "dominant-baseline": "central" }, label),
  );
}
