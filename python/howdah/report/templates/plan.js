// Finds settings: a row stays if it has every word that is looked for, a file if any of its rows stays.
(() => {
  "use strict";
  const files = [...document.querySelectorAll("#settings .file")].map((place) => ({
    place,
    name: place.querySelector("h3").textContent,
    rows: [...place.querySelectorAll(".opening details")].map((row) => ({ row, text: row.textContent.toLowerCase() })),
  }));
  if (!files.length) return;
  files[0].place.insertAdjacentHTML("beforebegin", `<form class="find" role="search">
    <label for="find">Find</label><input id="find" type="search" autocomplete="off" spellcheck="false" placeholder="a key, a value, a reason">
    <label for="file">in</label><select id="file"><option value="">every file</option></select>
    <output id="found" for="find file" aria-live="polite"></output></form>`);
  const find = document.getElementById("find");
  const file = document.getElementById("file");
  const found = document.getElementById("found");
  file.append(...files.map(({ name }) => new Option(name)));

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const asked = words.length > 0 || file.value !== "";
    let count = 0;
    for (const { place, name, rows } of files) {
      const wanted = file.value === "" || file.value === name;
      let stay = 0;
      for (const { row, text } of rows) {
        row.hidden = !wanted || !words.every((word) => text.includes(word) || name.includes(word));
        if (!row.hidden) stay += 1;
      }
      place.hidden = stay === 0;
      place.open = asked && stay > 0;
      count += stay;
    }
    found.value = asked ? `${count} ${count === 1 ? "setting" : "settings"}` : "";
  }

  find.addEventListener("input", filter);
  file.addEventListener("change", filter);
  // The page sends nothing anywhere; Enter only keeps what is found.
  find.form.addEventListener("submit", (event) => event.preventDefault());

  // A source that is followed to must be seen.
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target?.closest("details:not([open])");
    if (closed) {
      closed.open = true;
      target.scrollIntoView();
    }
  });

  // Paper has no rows to open: platforms say their reasons there, files their settings.
  const opened = [];
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll(".choices details:not([open]), .file:not([open])")) {
      one.open = true;
      opened.push(one);
    }
  });
  addEventListener("afterprint", () => {
    for (const one of opened.splice(0)) one.open = false;
  });
})();
