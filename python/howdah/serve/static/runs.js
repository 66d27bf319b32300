// The list of runs: filtered as one types, up to date, and ticked for a comparison.
(() => {
  "use strict";
  const { root, fixed, listen } = window.howdah;
  const id = (name) => document.getElementById(name);
  const form = id("filter");
  const KEPT = `howdah-ticked ${new URL(root || "./", location.href).pathname}`;
  const ticked = new Set();
  try {
    for (const run of JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")) ticked.add(run);
  } catch {}
  let asked = 0;

  function address() {
    const wanted = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value !== "") wanted.append(name, value);
    return `?${wanted}`;
  }

  async function renew(where = location.search) {
    const turn = ++asked;
    const answer = await fetch((root || "./") + where, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok || turn !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const focused = document.activeElement?.closest("#list") && document.activeElement;
    const kept = focused && { value: focused.value, href: focused.getAttribute("href") };
    document.getElementById("list").replaceWith(document.adoptNode(page.getElementById("list")));
    for (const name of ["suite", "engine", "platform", "outcome", "tag"]) {
      const fresh = page.getElementById(name);
      const now = document.getElementById(name);
      if (document.activeElement === now) continue;
      // An option that is taken out of one list and put into another chooses itself on the way.
      const chosen = now.value;
      now.replaceChildren(...[...fresh.children].map((one) => document.adoptNode(one)));
      now.value = chosen;
    }
    if (kept) {
      for (const one of document.querySelectorAll("#list a, #list input")) {
        if (kept.value ? one.value === kept.value && one.type === "checkbox" : one.getAttribute("href") === kept.href) one.focus();
      }
    }
    tick();
  }

  function made(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function chip(text, label, remove) {
    const button = made("button", { type: "button", title: label, ariaLabel: label }, "×");
    button.addEventListener("click", remove);
    return made("li", { className: "chip" }, made("span", { title: text }, text), button);
  }

  // The ticked runs as chips in a bar that stays in sight, the baseline first.
  function tick() {
    if (fixed) return;
    for (const box of document.querySelectorAll(".tick input")) box.checked = ticked.has(box.value);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify([...ticked]));
    } catch {}
    id("compare-bar").hidden = ticked.size === 0;
    id("compare").disabled = ticked.size < 2;
    id("compare").textContent = ticked.size < 2 ? "Compare" : `Compare ${ticked.size} runs`;
    id("compare-about").textContent = ticked.size === 1 ? "Tick at least one more run to compare with it." : "";
    const chips = [...ticked].map((run, at) => {
      const item = chip(run, `Remove ${run}`, () => {
        ticked.delete(run);
        tick();
        (id("ticked").querySelector("button") ?? id("search")).focus();
      });
      if (at === 0) item.prepend(made("b", {}, "baseline"));
      return item;
    });
    id("ticked").replaceChildren(...chips);
  }

  // Each active filter as a chip that removes it, in sight even when the filters are folded.
  function active() {
    const chips = [...form.querySelectorAll(".choices select, .choices input")].filter(({ value }) => value !== "").map((field) => {
      const name = form.querySelector(`label[for="${field.id}"]`).textContent;
      return chip(`${name}: ${field.value}`, `Remove the filter ${name}`, () => {
        field.value = "";
        filter();
        id("fold").focus();
      });
    });
    if (chips.length > 1) {
      const all = made("button", { type: "button", className: "do" }, "Clear all");
      all.addEventListener("click", () => {
        for (const field of form.querySelectorAll(".choices select, .choices input")) field.value = "";
        filter();
        id("fold").focus();
      });
      chips.push(made("li", {}, all));
    }
    id("active").replaceChildren(...chips);
    id("active").hidden = chips.length === 0;
  }

  function hide() {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    const rows = document.querySelectorAll(".runs tbody tr");
    for (const row of rows) {
      const { suite, engine, platform, outcome, tags, created } = row.dataset;
      const text = row.textContent.toLowerCase();
      row.hidden = !(
        words.every((word) => text.includes(word)) &&
        (!wanted.suite || wanted.suite === suite) &&
        (!wanted.engine || wanted.engine === engine) &&
        (!wanted.platform || wanted.platform === platform) &&
        (!wanted.outcome || wanted.outcome === outcome) &&
        (!wanted.tag || tags.split(" ").includes(wanted.tag)) &&
        (!wanted.since || created >= wanted.since) &&
        (!wanted.until || created.slice(0, 10) <= wanted.until)
      );
      if (!row.hidden) left += 1;
    }
    document.getElementById("count").textContent = left === rows.length ? `${left} runs` : `${left} of ${rows.length} runs`;
  }

  let waiting;
  function filter() {
    active();
    if (fixed) {
      hide();
      return;
    }
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      history.replaceState(null, "", address());
      renew(address());
    }, 120);
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    filter();
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".tick input")) return;
    if (target.checked) ticked.add(target.value);
    else ticked.delete(target.value);
    tick();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#list thead a, #list nav a");
    if (link && !fixed) {
      event.preventDefault();
      const where = link.getAttribute("href");
      const wanted = new URLSearchParams(where);
      form.elements.order.value = wanted.get("order") ?? "created";
      form.elements.descending.value = wanted.get("descending") ?? "true";
      history.pushState(null, "", where);
      renew(where);
    }
    if (event.target.id === "untick") {
      ticked.clear();
      tick();
      id("search").focus();
    }
    if (event.target.id === "compare") location.href = `${root}compare/${[...ticked].join(",")}/`;
  });
  addEventListener("popstate", () => location.reload());

  let due;
  listen(
    "api/v1/events",
    {
      runs() {
        clearTimeout(due);
        due = setTimeout(() => renew(), 150);
      },
    },
    () => renew(),
  );
  // The chips show which filters are active, so the filters begin folded.
  function fold(folded) {
    id("choices").hidden = folded;
    id("fold").setAttribute("aria-expanded", String(!folded));
  }
  id("fold").hidden = false;
  id("fold").addEventListener("click", () => fold(!id("choices").hidden));
  fold(true);
  active();
  tick();
})();
