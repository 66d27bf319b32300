// What every page shares: the token, how to ask the server, being told of changes, notes and tags.
(() => {
  "use strict";
  const root = document.documentElement.dataset.root ?? document.querySelector(".home")?.getAttribute("href") ?? "./";
  const fixed = "static" in document.documentElement.dataset || document.getElementById("mode")?.textContent === "static copy";
  const KEY = "howdah-token";
  // What the language itself reads of any object.
  const LANGUAGE = new Set(["then", "toJSON"]);

  // The token comes behind a #, which no browser sends anywhere, and is not left in the address.
  const given = /^#token=([\w-]+)$/.exec(location.hash);
  if (given) {
    sessionStorage.setItem(KEY, given[1]);
    history.replaceState(null, "", location.pathname + location.search);
  }

  function token() {
    let known = sessionStorage.getItem(KEY);
    if (!known) {
      known = prompt("Changes need this server's token, which `howdah serve` wrote where it was started:");
      if (known) sessionStorage.setItem(KEY, known.trim());
    }
    return known?.trim() ?? "";
  }

  // Asks the API; a refusal is an Error with the server's own words.
  async function ask(method, path, body, changes = false) {
    const headers = { "X-Howdah-Page": "1" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (changes) headers["X-Howdah-Token"] = token();
    const answer = await fetch(root + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const said = await answer.json().catch(() => null);
    if (!answer.ok) {
      if (answer.status === 403 && changes) sessionStorage.removeItem(KEY);
      const detail = said?.detail?.[0];
      const what = said?.what ?? (detail ? `${detail.loc.join(".")}: ${detail.msg}` : `answered ${answer.status}`);
      const error = new Error(said?.where ? `${said.where}: ${what}` : what);
      error.hint = said?.hint ?? "";
      error.said = said;
      throw error;
    }
    return strict(said, `${method} ${path}`);
  }

  // An answer as the API's types have it: a page that reads a field which is not there fails, and shows no blank.
  // `name in answer` is how a page finds out whether there is one.
  function strict(answer, from) {
    if (answer === null || typeof answer !== "object") return answer;
    return new Proxy(answer, {
      get(fields, name) {
        const there = name in fields || Array.isArray(fields) || typeof name === "symbol" || LANGUAGE.has(name);
        if (!there) throw new Error(`the answer of ${from} has no field ${name}`);
        return typeof fields[name] === "function" ? fields[name] : strict(fields[name], from);
      },
    });
  }

  // A browser opens six connections to a server, for all its pages together. Streams get four of them: pages that
  // are hidden have none, and where more than four are seen they take turns.
  const STREAMS = ["howdah-stream-1", "howdah-stream-2", "howdah-stream-3", "howdah-stream-4"];
  const TURN_MS = 5000;

  // Waits for one of the streams and returns what gives it back; a signal ends the wait.
  function turn(signal) {
    return new Promise((resolve) => {
      if (!navigator.locks) return resolve(() => {});
      const wait = new AbortController();
      signal.addEventListener("abort", () => wait.abort());
      let mine = false;
      for (const name of STREAMS) {
        const granted = () => {
          if (mine || signal.aborted) return undefined;
          mine = true;
          wait.abort();
          return new Promise((release) => resolve(release));
        };
        navigator.locks.request(name, { signal: wait.signal }, granted).catch(() => {});
      }
    });
  }

  // Listens to a stream of events; says on the page when the server is away, and when it is back.
  function listen(path, handlers, back = () => {}) {
    if (fixed) return null;
    const away = document.getElementById("away");
    let stop = null;
    let missed = false;
    let ended = false;
    let wait = 500;

    async function open() {
      if (stop || ended || document.hidden) return;
      const { signal } = (stop = new AbortController());
      const release = await turn(signal);
      if (signal.aborted) {
        release();
        return;
      }
      const source = new EventSource(root + path);
      const next = setInterval(async () => {
        const waiting = (await navigator.locks?.query())?.pending ?? [];
        if (!signal.aborted && waiting.some(({ name }) => STREAMS.includes(name))) {
          close();
          open();
        }
      }, TURN_MS);
      signal.addEventListener("abort", () => {
        clearInterval(next);
        source.close();
        release();
      });
      source.onopen = () => {
        wait = 500;
        away.hidden = true;
        if (missed) back();
        missed = false;
      };
      source.onerror = () => {
        close();
        if (ended) return;
        away.textContent = "The server does not answer. What it shows below is as it last was; this page tries again.";
        away.hidden = false;
        setTimeout(open, wait);
        wait = Math.min(5000, wait * 2);
      };
      for (const [name, handle] of Object.entries(handlers)) {
        source.addEventListener(name, ({ data }) => handle(JSON.parse(data)));
      }
    }

    function close() {
      missed ||= stop !== null;
      stop?.abort();
      stop = null;
    }

    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    open();
    return {
      close() {
        ended = true;
        close();
      },
    };
  }

  function seconds(value) {
    if (!Number.isFinite(value)) return "–";
    if (value < 60) return `${value.toFixed(value < 10 ? 1 : 0)} s`;
    const whole = Math.round(value);
    const pad = (number) => String(number).padStart(2, "0");
    return whole < 3600
      ? `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`
      : `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
  }

  window.howdah = { root, fixed, ask, listen, seconds };

  const annotate = document.getElementById("annotate");
  annotate?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = document.getElementById("annotated");
    const run = annotate.closest("[data-run]").dataset.run;
    const tags = document.getElementById("tags").value.split(/[\s,]+/).filter(Boolean);
    try {
      await ask("PUT", `api/v1/runs/${run}/annotation`, { tags, note: document.getElementById("note").value }, true);
      said.textContent = "kept";
      location.reload();
    } catch (error) {
      said.textContent = `${error.message} ${error.hint ?? ""}`;
    }
  });

  function since() {
    for (const place of document.querySelectorAll("[data-since]")) {
      place.textContent = seconds((Date.now() - Date.parse(place.dataset.since)) / 1000);
    }
  }
  since();
  setInterval(since, 1000);
  document.documentElement.dataset.served = "yes";
})();
