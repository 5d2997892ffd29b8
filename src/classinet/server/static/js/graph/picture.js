/**
 * A neighbourhood as a picture that both ways of drawing share: places, sizes, colours, and which numbers are shown.
 *
 * @typedef {object} Picture
 * @property {number} width @property {number} height size of the frame in pixels.
 * @property {{name: string, x: number, y: number, side: "left" | "right", size: number, color: string,
 *   isFocus: boolean}[]} nodes
 * @property {{source: string, target: string, size: number, color: string, label: string, cut: boolean}[]} edges
 * @property {Record<string, string>} theme colours by name.
 */

import { isCut } from "../edits.js";
import { fixed } from "../format.js";
import { place } from "./layout.js";

const COLORS = ["ink", "soft", "faint", "line", "paper", "accent", "predicted", "negative"];
const NODE = { least: 4, most: 10 };
const EDGE = { least: 0.8, most: 3.2 };
const MANY_EDGES = 80; // beyond, they are drawn thinner

/**
 * @param {{nodes: import("./layout.js").GraphNode[], edges: import("./layout.js").GraphEdge[]}} graph
 * @param {{focus: string, edits: import("../edits.js").Edit[], element: HTMLElement}} how
 * @returns {Picture}
 */
export function picture({ nodes, edges }, { focus, edits, element }) {
  const frame = { width: element.clientWidth, height: element.clientHeight };
  const places = place(nodes, edges, frame);
  const theme = readTheme(element);
  const thinner = Math.min(1, Math.sqrt(MANY_EDGES / edges.length));
  const common = Math.max(...nodes.map(({ frequency }) => frequency)) || 1;
  return {
    ...frame,
    theme,
    nodes: nodes.map(({ name, frequency, distance }) => ({
      name,
      ...places.get(name),
      size: NODE.least + (NODE.most - NODE.least) * Math.sqrt(frequency / common),
      color: distance === 0 ? theme.accent : distance === 1 ? theme.predicted : theme.soft,
      isFocus: name === focus,
    })),
    // Edges of the word in focus come last: they and their numbers lie above the others.
    edges: [...edges].sort((one, other) => touches(one, focus) - touches(other, focus)).map((edge) => {
      const cut = isCut(edits, edge.source, edge.target);
      return {
        source: edge.source,
        target: edge.target,
        size: thinner * (EDGE.least + (EDGE.most - EDGE.least) * edge.weight),
        color: cut ? theme.negative : touches(edge, focus) ? theme.faint : theme.line,
        label: edge.source === focus ? fixed(edge.weight) : "",
        cut,
      };
    }),
  };
}

function touches({ source, target }, name) {
  return Number(target === name) + 2 * Number(source === name);
}

function readTheme(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}
