// Signs in: with the token that came behind the address's #, or with what is typed.
(() => {
  "use strict";
  const { root, ask } = window.howdah;
  const form = document.getElementById("sign-in");

  async function enter(secret) {
    const said = document.getElementById("signed");
    said.textContent = "…";
    try {
      const { token } = await ask("POST", "api/v1/session", { secret });
      sessionStorage.setItem("howdah-token", token);
      const then = new URLSearchParams(location.search).get("then") ?? "";
      // Only a path of this server is followed.
      location.replace(root + (/^\/(?![\/\\])/.test(then) ? then.slice(1) : ""));
    } catch (error) {
      said.textContent = error.message;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(document.getElementById("secret").value);
  });
  const known = sessionStorage.getItem("howdah-token");
  if (known) enter(known);
})();
