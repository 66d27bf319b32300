// Draws the figures, follows the window's width and its light or dark theme, and answers the buttons.
(() => {
  "use strict";
  const { run, palettes, figures } = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const views = new Map();
  const hidden = new Map(figures.map((figure) => [figure.id, []]));
  // Below this width the names beside the lines take too much of the plot; the buttons serve as the key.
  const ROOMY = 560;

  // A table of data comes as its columns' names and its rows, in which a word is its place among the column's;
  // a chart wants an object for each row.
  function unfolded({ columns, rows, words = {} }) {
    return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, words[name]?.[row[at]] ?? row[at]])));
  }

  function coloured(node, palette) {
    if (Array.isArray(node)) return node.map((item) => coloured(item, palette));
    if (typeof node === "string") return node.startsWith("$") ? palette[node.slice(1)] : node;
    if (node === null || typeof node !== "object") return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, key !== "values" ? coloured(value, palette) : value.columns ? unfolded(value) : value]),
    );
  }

  function layout(figure, shown) {
    const room = Math.max(shown, figure.least);
    const roomy = room >= ROOMY || (figure.keys === 0 && !figure.labelled);
    const padding = { ...figure.spec.padding, right: roomy ? figure.spec.padding.right : 14 };
    return { roomy, padding, width: Math.max(80, room - padding.left - padding.right) };
  }

  // Names at the lines are the legend where there is room for them; the buttons stay in reach of the keyboard.
  function name({ id, labelled }, roomy) {
    document.getElementById(id).classList.toggle("named", labelled && roomy);
  }

  async function draw(figure) {
    const place = document.getElementById(`live-${figure.id}`);
    const { roomy, padding, width } = layout(figure, place.clientWidth);
    const spec = coloured(figure.spec, palettes[dark.matches ? "dark" : "light"]);
    // The schema's address would only be looked at for its version, and the page holds one version.
    delete spec.$schema;
    Object.assign(spec, { width, padding });
    for (const param of spec.params) {
      if (param.name === "roomy") param.value = roomy;
      if (param.name === "still") param.value = false;
      if (param.name === "hidden") param.value = hidden.get(figure.id);
    }
    views.get(figure.id)?.finalize();
    // Vega names every mark, which would drown a listener: its element is hidden from them, and the one
    // around it has the figure's name.
    const { view } = await vegaEmbed(place.firstElementChild, spec, {
      mode: "vega-lite",
      actions: false,
      // The page's policy forbids eval; Vega then interprets its expressions instead of compiling them.
      ast: true,
      defaultStyle: false,
      // An SVG document of very many marks is slow to draw, a canvas is not.
      renderer: figure.many ? "canvas" : "svg",
      tooltip: { disableDefaultStyle: true },
    });
    views.set(figure.id, view);
    name(figure, roomy);
    view.addEventListener("click", (_, item) => {
      if (item?.mark.marktype === "text" && item.datum.series) toggle(figure.id, item.datum.series);
    });
    place.dataset.drawn = "yes";
  }

  function fit(figure) {
    const view = views.get(figure.id);
    const { roomy, padding, width } = layout(figure, document.getElementById(`live-${figure.id}`).clientWidth);
    name(figure, roomy);
    if (view && view.width() !== width) view.signal("roomy", roomy).padding(padding).width(width).runAsync();
  }

  function toggle(id, series) {
    const now = hidden.get(id);
    const next = now.includes(series) ? now.filter((name) => name !== series) : [...now, series];
    hidden.set(id, next);
    views.get(id).signal("hidden", next).runAsync();
    for (const key of document.querySelectorAll(`.key[data-figure="${id}"]`)) {
      key.setAttribute("aria-pressed", String(!next.includes(key.dataset.series)));
    }
  }

  async function save(id, kind) {
    const view = views.get(id);
    const link = document.createElement("a");
    link.download = `${run}-${id}.${kind}`;
    if (kind === "svg") {
      link.href = URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" }));
    } else {
      link.href = await view.toImageURL("png", 3);
    }
    link.click();
    if (kind === "svg") setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // A menu closes with a choice, with a click elsewhere, and with Escape, which leaves the focus on it.
  const menus = () => document.querySelectorAll(".menu[open]");
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of menus()) {
      menu.open = false;
      menu.firstElementChild.focus();
    }
  });
  document.addEventListener("click", ({ target }) => {
    for (const menu of menus()) if (!target.closest("summary") || !menu.contains(target)) menu.open = false;
    const button = target.closest("button");
    if (button?.dataset.series !== undefined) toggle(button.dataset.figure, button.dataset.series);
    if (button?.dataset.save) save(button.dataset.figure, button.dataset.save);
  });

  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const figure = figures.find(({ id }) => target.id === `live-${id}`);
      if (figure) fit(figure);
    }
  });

  // Of a run under way the figures grow: what they are drawn from is told anew, or all of it, one drawing at a time.
  let growing = Promise.resolve();
  document.addEventListener("howdah:grown", ({ detail }) => {
    growing = growing.then(async () => {
      for (const { id, values, spec } of detail) {
        const figure = figures.find((one) => one.id === id);
        if (spec) figure.spec = spec;
        else figure.spec.data.values = values;
        await draw(figure);
      }
    });
  });

  async function drawAll() {
    for (const figure of figures) await draw(figure);
  }

  growing = drawAll().then(() => {
    for (const { id } of figures) widths.observe(document.getElementById(`live-${id}`));
    dark.addEventListener("change", drawAll);
    document.documentElement.dataset.ready = "yes";
  });
})();
