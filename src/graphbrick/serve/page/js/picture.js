// A drawing as a picture: what is seen, on the background of the page.

/** Let the browser store a picture under a name. */
function store(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Store layers of canvases, one above the other, as a PNG. */
export function storeLayers(layers, background, name) {
  const [{ width, height }] = layers;
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  for (const layer of layers) context.drawImage(layer, 0, 0, width, height);
  return new Promise((resolve) => {
    canvas.toBlob((blob) => {
      store(blob, `${name}.png`);
      resolve();
    });
  });
}

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font", "paint-order", "opacity", "display"];

/** Store a drawing in SVG, with the styles that it has in the page. */
export function storeSvg(drawing, background, name) {
  const copy = drawing.cloneNode(true);
  const from = drawing.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(from[i]);
    for (const one of STYLES) node.style.setProperty(one, style.getPropertyValue(one));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.background = background;
  store(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}
