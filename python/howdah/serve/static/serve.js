// What every page shares: the token, how to ask the server, being told of changes, notes and tags.
(() => {
  "use strict";
  const root = document.documentElement.dataset.root ?? document.querySelector(".home")?.getAttribute("href") ?? "./";
  const fixed = "static" in document.documentElement.dataset || document.getElementById("mode")?.textContent === "static copy";
  const byCookie = document.querySelector(".site[data-by-cookie]") !== null;
  const KEY = "howdah-token";
  // What the language itself reads of any object.
  const LANGUAGE = new Set(["then", "toJSON"]);

  // The storage is this port's alone, and every tab's. A browser that has none keeps the token for this page.
  let mine = null;
  function keep(token) {
    mine = token;
    try {
      if (token === null) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, token);
    } catch {}
  }
  function known() {
    try {
      return localStorage.getItem(KEY) ?? mine;
    } catch {
      return mine;
    }
  }

  // The token comes behind a #, which no browser sends anywhere, and is not left in the address.
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (given) {
    if (!byCookie) keep(given);
    history.replaceState(null, "", location.pathname + location.search);
  }

  function made(tag, properties, ...children) {
    const one = Object.assign(document.createElement(tag), properties);
    one.append(...children);
    return one;
  }

  // Asks for the token as for a password, until it is right; null where the reader would rather not.
  function asked() {
    const secret = made("input", { id: "secret", type: "password", autocomplete: "off", required: true, maxLength: 1000 });
    const said = made("output", { id: "secret-said", className: "fault" });
    const leave = made("button", { type: "button", className: "do" }, "Cancel");
    const form = made("form", { className: "ask", method: "dialog" },
      made("h2", { id: "secret-title" }, "Token"),
      made("p", {}, "Changes need this server's token. The terminal where howdah serve was started shows it, or the file that holds it."),
      made("label", { htmlFor: "secret" }, "Token"), secret, said,
      made("p", { className: "tools" }, made("button", { type: "submit", className: "do" }, "Continue"), leave));
    const dialog = made("dialog", { className: "secret" }, form);
    dialog.setAttribute("aria-labelledby", "secret-title");
    document.body.append(dialog);
    return new Promise((resolve) => {
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        said.textContent = "…";
        try {
          keep((await ask("POST", "api/v1/session", { secret: secret.value.trim() })).token);
          dialog.close();
        } catch (error) {
          said.textContent = `${words(error)}`;
          secret.select();
        }
      });
      leave.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(known());
      });
      dialog.showModal();
    });
  }

  // Asks the API; a refusal is an Error with the server's own words.
  async function ask(method, path, body, changes = false) {
    const headers = { "X-Howdah-Page": "1" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const kept = known();
    if (changes && !byCookie) {
      const token = kept ?? (await asked());
      if (token === null) throw new Error("nothing was changed: that needs the token");
      headers["X-Howdah-Token"] = token;
    }
    const answer = await fetch(root + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }).catch(() => {
      throw new Error("the server does not answer");
    });
    const said = await answer.json().catch(() => null);
    if (!answer.ok) {
      if (answer.status === 403 && headers["X-Howdah-Token"] && kept !== null) {
        // It may be the token of a server that has ended.
        keep(null);
        return ask(method, path, body, changes);
      }
      const what = said?.what ?? `answered ${answer.status}`;
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

  // A problem and what to do about it, each a sentence; a command keeps its small letter.
  function sentences(...texts) {
    return texts
      .filter(Boolean)
      .map((text) => text.trim().replace(/[.;]?$/, (end) => (/[?!:]$/.test(text.trim()) ? end : ".")))
      .map((text, at) => (at === 0 || /^(howdah |[\w-]*[^\w\s,'-])/.test(text) ? text : text[0].toUpperCase() + text.slice(1)))
      .join(" ");
  }

  function words(error) {
    return sentences(error.message, error.hint);
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
        away.textContent = "The server does not answer. This page shows its last state and tries again.";
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
    if (value > 0 && value < 0.9995) return `${Number((1000 * value).toPrecision(3))} ms`;
    if (value < 60) return `${value.toFixed(value < 10 ? 1 : 0)} s`;
    const whole = Math.round(value);
    const pad = (number) => String(number).padStart(2, "0");
    return whole < 3600
      ? `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`
      : `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
  }

  window.howdah = { root, fixed, ask, listen, seconds, sentences, words, given };

  const annotate = document.getElementById("annotate");
  annotate?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = document.getElementById("annotated");
    const run = annotate.closest("[data-run]").dataset.run;
    const tags = document.getElementById("tags").value.split(/[\s,]+/).filter(Boolean);
    try {
      await ask("PUT", `api/v1/runs/${run}/annotation`, { tags, note: document.getElementById("note").value }, true);
      said.textContent = "Saved.";
      location.reload();
    } catch (error) {
      said.className = "fault";
      said.textContent = words(error);
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
