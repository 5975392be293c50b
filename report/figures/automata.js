export const automata = { id: "automata", title: "Automata", mount() {} };
