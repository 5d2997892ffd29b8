/**
 * A picture drawn by sigma, where the browser has WebGL.
 *
 * The vendored files are loaded when the first graph is drawn; as modules they leave their names on the global object.
 */

/** Within so many pixels a press means an edge; edges that differ by less lie on each other. */
const REACH = 6;
const TIE = 1.5;

/** Whether this browser can draw with WebGL. */
export function hasWebGL() {
  try {
    const context = document.createElement("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null;
  } catch {
    return false; // the answer, whatever the reason
  }
}

/**
 * @param {HTMLElement} host
 * @param {{node: (name: string) => void, edge: (source: string, target: string) => void}} pressed
 * @returns {Promise<import("./svg_view.js").GraphView>}
 */
export async function sigmaView(host, pressed) {
  await import("../../vendor/graphology/graphology.umd.min.js");
  await import("../../vendor/sigma/sigma.min.js");
  const { graphology, Sigma } = globalThis;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const graph = new graphology.DirectedGraph();
  let theme = {};
  let near = null;
  const stage = document.createElement("div");
  stage.className = "graph-stage";
  host.replaceChildren(stage);

  const renderer = new Sigma(graph, stage, {
    defaultEdgeType: "arrow",
    renderEdgeLabels: true,
    allowInvalidContainer: true,
    stagePadding: 0,
    minEdgeThickness: 0.6,
    labelFont: "system-ui, sans-serif",
    labelSize: 13,
    labelRenderedSizeThreshold: 0,
    labelDensity: 100,
    labelGridCellSize: 20,
    edgeLabelFont: "system-ui, sans-serif",
    edgeLabelSize: 11,
    enableCameraRotation: false,
    minCameraRatio: 0.1,
    maxCameraRatio: 2,
    zIndex: true,
    zoomDuration: still ? 0 : 200,
    inertiaDuration: still ? 0 : 200,
    defaultDrawNodeLabel: (context, data, settings) => drawLabel(context, data, settings, theme),
    defaultDrawNodeHover: (context, data, settings) => drawLabel(context, data, settings, theme, true),
    defaultDrawEdgeLabel: (context, edge, from, to, settings) => drawNumber(context, edge, from, to, settings, theme),
    nodeReducer: (name, data) => (near && !near.has(name) ? { ...data, color: theme.faint, label: null } : data),
    edgeReducer: (edge, data) => ({ ...data, hidden: near !== null && !graph.extremities(edge).includes(near.of) }),
  });
  // The page scrolls under a wheel or a finger; a wheel with Ctrl zooms, and buttons do for everybody.
  renderer.getTouchCaptor().enabled = false;
  const leaveToPage = (event) => !event.ctrlKey && !event.metaKey && event.stopPropagation();
  stage.addEventListener("wheel", leaveToPage, { capture: true });

  const highlight = (name) => {
    near = name === null ? null : Object.assign(new Set([name, ...graph.neighbors(name)]), { of: name });
    stage.classList.toggle("pointing", name !== null);
    renderer.refresh({ skipIndexation: true });
  };
  renderer.on("enterNode", ({ node }) => highlight(node));
  renderer.on("leaveNode", () => highlight(null));
  renderer.on("clickNode", ({ node }) => pressed.node(node));
  renderer.on("clickStage", ({ event }) => {
    const edge = edgeAt(renderer, graph, event);
    if (edge) pressed.edge(graph.source(edge), graph.target(edge));
  });
  renderer.on("moveBody", ({ event }) => {
    stage.classList.toggle("pointing", near !== null || edgeAt(renderer, graph, event) !== null);
  });

  const camera = renderer.getCamera();
  const move = (state) => (still ? camera.setState(state) : camera.animate(state, { duration: 200 }));
  return {
    kind: "webgl",
    draw(picture) {
      theme = picture.theme;
      near = null;
      graph.clear();
      renderer.setCustomBBox({ x: [0, picture.width], y: [0, picture.height] });
      for (const { name, ...node } of picture.nodes) {
        graph.addNode(name, { ...node, y: picture.height - node.y, label: name, forceLabel: true });
      }
      picture.edges.forEach(({ source, target, ...edge }, at) => {
        graph.addEdge(source, target, { ...edge, forceLabel: edge.label !== "", zIndex: at });
      });
      renderer.refresh();
    },
    zoom: (factor) => move({ ratio: camera.getBoundedRatio(camera.getState().ratio / factor) }),
    reset: () => move({ x: 0.5, y: 0.5, ratio: 1 }),
    destroy() {
      renderer.kill();
      stage.remove();
    },
  };
}

/**
 * The edge nearest to a point of the screen, if it is near enough to be meant: thin lines are hard to hit. Of edges
 * that lie on each other it is the one drawn last, which is the one that is seen.
 */
function edgeAt(renderer, graph, point) {
  let nearest = null;
  let least = Infinity;
  graph.forEachEdge((edge, _, source, target, from, to) => {
    const [a, b] = [renderer.graphToViewport(from), renderer.graphToViewport(to)];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const along = ((point.x - a.x) * dx + (point.y - a.y) * dy) / (dx * dx + dy * dy);
    const at = Math.min(1, Math.max(0, along));
    const distance = Math.hypot(point.x - a.x - at * dx, point.y - a.y - at * dy);
    if (distance < Math.min(REACH, least + TIE)) nearest = edge;
    least = Math.min(least, distance);
  });
  return nearest;
}

function drawLabel(context, { x, y, size, side, label, isFocus }, { labelSize, labelFont }, theme, hovered = false) {
  if (!label) return;
  context.font = `${isFocus || hovered ? 600 : 400} ${labelSize}px ${labelFont}`;
  const start = side === "left" ? x - size - 4 - context.measureText(label).width : x + size + 4;
  outlined(context, label, start, y + labelSize / 3, theme.paper, hovered ? theme.accent : theme.ink);
}

/** The weight of an edge, off its middle, where edges of one source have spread. */
function drawNumber(context, { label, cut }, from, to, { edgeLabelSize, edgeLabelFont }, theme) {
  if (!label) return;
  context.font = `400 ${edgeLabelSize}px ${edgeLabelFont}`;
  const width = context.measureText(label).width;
  const [x, y] = [from.x + (to.x - from.x) * 0.6, from.y + (to.y - from.y) * 0.6];
  outlined(context, label, x - width / 2, y + edgeLabelSize / 3, theme.paper, cut ? theme.negative : theme.soft);
}

function outlined(context, text, x, y, halo, color) {
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = halo;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}
