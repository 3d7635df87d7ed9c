// The list of PHI types to choose from, filtered by what is typed.

const byId = name => document.getElementById(name);

export class Palette {
  constructor(types) {
    this.types = types; // [type, category, key] of each
    this.root = byId("palette");
    this.query = byId("query");
    this.list = byId("types");
    this.query.addEventListener("input", () => this.filter());
    this.query.addEventListener("keydown", event => this.key(event));
    this.list.addEventListener("mousedown", event => {
      const item = event.target.closest("li");
      event.preventDefault();
      if (item) this.close(item.dataset.type);
    });
    document.addEventListener("mousedown", event => {
      if (this.isOpen && !this.root.contains(event.target)) this.close(null);
    });
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** Opens beside a box on the page; the type that is chosen, or null, goes to the callback. */
  open(box, first, callback) {
    if (this.isOpen) this.close(null);
    this.callback = callback;
    this.first = first;
    this.root.hidden = false;
    this.query.value = "";
    this.filter();
    const {offsetWidth: width, offsetHeight: height} = this.root;
    const top = box.bottom + 6 + height > innerHeight ? box.top - height - 6 : box.bottom + 6;
    this.root.style.top = `${Math.max(8, top)}px`;
    this.root.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    this.query.focus();
  }

  filter() {
    const wanted = this.query.value.trim().toUpperCase();
    const rank = type => (type.startsWith(wanted) ? 0 : 1);
    const found = this.types
      .filter(([type]) => type.includes(wanted))
      .sort(([one], [other]) => wanted ? rank(one) - rank(other) : (other === this.first) - (one === this.first));
    this.list.replaceChildren(...found.map(([type, category, key], at) => {
      const item = document.createElement("li");
      item.id = `type-${type}`;
      item.role = "option";
      item.dataset.type = type;
      item.className = category;
      const name = document.createElement("span");
      name.textContent = type;
      item.append(name);
      if (key) {
        const hint = document.createElement("kbd");
        hint.textContent = key;
        item.append(hint);
      }
      item.ariaSelected = String(at === 0);
      return item;
    }));
    this.select(0);
  }

  select(at) {
    const items = [...this.list.children];
    if (!items.length) return;
    this.at = (at + items.length) % items.length;
    items.forEach((item, place) => { item.ariaSelected = String(place === this.at); });
    this.query.setAttribute("aria-activedescendant", items[this.at].id);
    items[this.at].scrollIntoView({block: "nearest"});
  }

  key(event) {
    const digit = this.types.find(([, , key]) => key === event.key);
    if (event.key === "ArrowDown") this.select(this.at + 1);
    else if (event.key === "ArrowUp") this.select(this.at - 1);
    else if (event.key === "Enter") this.close(this.list.children[this.at]?.dataset.type ?? null);
    else if (event.key === "Escape") this.close(null);
    else if (digit) this.close(digit[0]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  close(type) {
    this.root.hidden = true;
    const {callback} = this;
    this.callback = null;
    callback?.(type);
  }
}
