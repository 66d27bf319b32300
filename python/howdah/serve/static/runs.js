// The list of runs: filtered as one types, up to date, and ticked for a comparison.
(() => {
  "use strict";
  const { root, fixed, listen } = window.howdah;
  const form = document.getElementById("filter");
  const ticked = new Set();
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

  function tick() {
    for (const box of document.querySelectorAll(".tick input")) box.checked = ticked.has(box.value);
    const button = document.getElementById("compare");
    if (!button) return;
    button.disabled = ticked.size < 2;
    document.getElementById("ticked").textContent =
      ticked.size === 0
        ? "tick two runs or more to compare them; the first is the baseline"
        : `${ticked.size} ticked; ${[...ticked][0]} is the baseline`;
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
  tick();
})();
