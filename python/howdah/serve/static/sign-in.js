// Signs in, where a cookie then stands for it: with the token that came behind the address's #, or with what is typed.
(() => {
  "use strict";
  const { root, ask, words, given } = window.howdah;
  const form = document.getElementById("sign-in");

  async function enter(secret) {
    const said = document.getElementById("signed");
    said.textContent = "…";
    try {
      await ask("POST", "api/v1/session", { secret });
      const then = new URLSearchParams(location.search).get("then") ?? "";
      // Only a path of this server is followed.
      location.replace(root + (/^\/(?![\/\\])/.test(then) ? then.slice(1) : ""));
    } catch (error) {
      said.textContent = words(error);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(document.getElementById("secret").value);
  });
  if (given) enter(given);
})();
