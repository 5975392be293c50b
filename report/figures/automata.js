// The automata of the page, each with a string's run through it.

import {
  configurationsOf,
  decide,
  exampleString,
  firstAccepted,
  fittingStrings,
  runLimit,
  searchLimit,
  symbolsOf,
  tokensOf,
} from "../data/automaton_run.js";
import {
  acceptingText,
  automatonTitle,
  madeNames,
  transitionTable,
  unknownWords,
} from "../data/automaton_text.js";
import { automatonTikz } from "../data/automaton_tikz.js";
import { choice, element } from "../parts/dom.js";
import { counted } from "../parts/format.js";
import { mountFigure } from "../parts/frame.js";
import { drawGraph, hasCutLabels } from "./automaton_graph.js";
import { stepper } from "./automaton_stepper.js";
import { drawTransitions } from "./automaton_table.js";

const typingPause = 250; // ms

function caption(automaton) {
  const { kind, source, layout, accepting } = automaton;
  const parts = [
    "The label a, X → X Y means: reads a with X on top of the stack, and puts X Y in the place of X,",
    "the right one on top. ε stands for no symbol.",
    "The stack begins with the bottom symbol, and a run whose stack is empty is over.",
    "A run accepts if it has read the whole string and ends in an accepting state with an accepting",
    "symbol on top.",
  ];
  if (layout) {
    parts.push("A double circle accepts with the bottom symbol on top.");
    if (hasCutLabels(automaton)) parts.push("Long labels are cut; Numbers has all transitions.");
  }
  if (accepting.length > 1) {
    parts.push("A string is accepted if each language has an accepting run.");
  }
  if (kind === "recognizer") {
    parts.push(
      "This is the automaton of a compiled network. One of its runs reads every string and never accepts.",
    );
    const made = madeNames(automaton);
    if (made.length > 0) {
      parts.push(
        `Names of states and symbols such as ${made.join(" or ")} were made by the construction (docs/recognizers.md).`,
      );
    }
  }
  if (source) parts.push(`From ${source}.`);
  return parts.join(" ");
}

const marks = { accepted: "✓ Accepted", rejected: "✗ Rejected", undecided: "? Not decided" };

// What was found out about the string; `of` is the language whose run is shown, `unknown` says which
// symbols the automaton does not have.
function verdict({ decision, languages }, of, length, unknown) {
  const { decision: own, run, read, hopeful, shortest } = languages[of];
  const several = languages.length > 1;
  const parts = [];
  if (decision === "undecided") {
    parts.push(`${marks.undecided} within ${searchLimit.toLocaleString("en")} partial runs.`);
  } else if (unknown) {
    parts.push(`${marks.rejected}: ${unknown}.`);
  } else if (decision === "rejected" && several) {
    const without = languages
      .map((language, n) => (language.decision === "rejected" ? n + 1 : null))
      .filter((n) => n !== null);
    const noun = without.length > 1 ? "languages" : "language";
    parts.push(`${marks.rejected}: no accepting run for ${noun} ${without.join(", ")}.`);
  } else {
    parts.push(`${marks[decision]}.`);
  }
  const language = several ? `For language ${of + 1}, ` : "";
  let sentence = "";
  if (run === null) {
    sentence = `the run has more than ${counted(runLimit, "step")}, and is not shown.`;
  } else if (own === "accepted") {
    const which = shortest ? "the shortest accepting run" : "an accepting run";
    sentence = `${which} has ${counted(run.length, "step")}.`;
  } else {
    let compared = "no run that can still accept reads more";
    if (own === "undecided") compared = "the most that was found";
    else if (!hopeful || read === length) compared = "no run accepts";
    sentence = `this run reads ${read} of ${counted(length, "symbol")}; ${compared}.`;
  }
  parts.push(language + (language ? sentence : sentence[0].toUpperCase() + sentence.slice(1)));
  return parts.join(" ");
}

function figureOf(automaton, index, strings) {
  const fitting = fittingStrings(automaton, strings);
  const id = `automaton-${index + 1}`;
  let text = null;
  let language = 0;
  let scale = null;
  let view = null;
  let node = null;
  let timer = null;
  let given = null;

  const box = element("input", {
    type: "text",
    class: "string-box",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(typed, typingPause);
    },
    onchange: () => typed(),
  });
  const result = element("p", { class: "run-decision", role: "status" });
  const steps = stepper(automaton, (configuration, step) => {
    const { state, position, stack, transition } = configuration;
    Object.assign(node.dataset, { step, state, position, height: stack?.height ?? 0 });
    node.dataset.transition = transition ?? "";
    view?.show(configuration);
  });

  function typed() {
    clearTimeout(timer);
    if (box.value === text) return;
    text = box.value;
    // Nothing is chosen if another string was typed.
    if (given) given.value = tokensOf(text).join(" ");
    run();
  }

  function run() {
    const tokens = tokensOf(text);
    const input = symbolsOf(automaton, text);
    const found = decide(automaton, input);
    const { decision, run: transitions } = found.languages[language];
    const configurations = transitions === null ? [] : configurationsOf(automaton, transitions);
    result.textContent = verdict(
      found,
      language,
      tokens.length,
      unknownWords(automaton, tokens, input),
    );
    Object.assign(node.dataset, {
      string: tokens.join(" "),
      decision: found.decision,
      language: decision,
      steps: transitions === null ? "" : transitions.length,
    });
    result.dataset.decision = found.decision;
    steps.load({ decision, tokens, input, configurations });
  }

  function controls() {
    const all = [element("label", { class: "choice string-choice" }, "String ", box)];
    if (fitting.length > 1) {
      const names = fitting.map((string) => tokensOf(string).join(" "));
      const options = names.map((name) => ({ value: name, text: name || "(empty)" }));
      const label = choice("or one of", options, names[0], (value) => {
        box.value = value;
        typed();
      });
      given = label.querySelector("select");
      all.push(label);
    }
    if (automaton.accepting.length > 1) {
      const options = automaton.accepting.map((_, n) => ({
        value: String(n),
        text: String(n + 1),
      }));
      all.push(
        choice("Run of language", options, "0", (value) => {
          language = Number(value);
          run();
        }),
      );
    }
    return all;
  }

  function zoomButtons(graph) {
    const button = (sign, label, change) =>
      element(
        "button",
        {
          type: "button",
          "aria-label": label,
          onclick: () => {
            scale = change();
          },
        },
        sign,
      );
    return element(
      "span",
      { class: "choice zoom", role: "group", "aria-label": "Zoom" },
      button("−", "Smaller drawing", () => graph.zoom(1 / 1.25)),
      button("+", "Larger drawing", () => graph.zoom(1.25)),
      button("Fit", "The whole drawing", () => graph.scaleTo()),
    );
  }

  function draw(body) {
    const place = element("div", { class: "figure-scroll run-drawing", tabindex: "0" });
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", `Drawing of ${automaton.name}`);
    const bar = element("div", { class: "controls run-bar" }, steps.buttons);
    body.append(
      result,
      steps.tape,
      bar,
      steps.words,
      element("div", { class: "run-picture" }, steps.stack, place),
    );
    if (automaton.layout) {
      view = drawGraph(place, automaton);
      if (scale !== null) view.scaleTo(scale);
      bar.append(zoomButtons(view));
    } else {
      view = drawTransitions(place, automaton);
      const note = [acceptingText(automaton), automaton.note].filter(Boolean).join(" ");
      body.append(element("p", { class: "run-note" }, note));
    }
    if (node.dataset.decision) {
      steps.move(steps.step());
    } else {
      // Searching an example takes time, so it waits until the figure is near.
      const preset = firstAccepted(automaton, fitting) ?? exampleString(automaton) ?? "";
      text = tokensOf(preset).join(" ");
      box.value = text;
      if (given) given.value = text;
      run();
    }
  }

  // Arrow keys scroll a drawing that has the focus, and move through the run elsewhere.
  function onKey(event) {
    if (event.target.closest(".figure-scroll")) return false;
    const targets = {
      ArrowLeft: steps.step() - 1,
      ArrowRight: steps.step() + 1,
      Home: 0,
      End: steps.count() - 1,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in targets)) return false;
    steps.move(targets[event.key]);
    return true;
  }

  const figure = {
    id,
    title: automatonTitle(automaton),
    caption: caption(automaton),
    controls,
    draw,
    table: () => transitionTable(automaton),
    plot: () => ({ tikz: automatonTikz(automaton) }),
    picture: automaton.layout !== null,
    onKey,
  };
  return {
    mount(parent) {
      node = mountFigure(parent, figure);
      node.classList.add("automaton-figure");
    },
  };
}

export const automata = {
  id: "automata",
  title: "Automata",
  mount(parent, { data }) {
    data.automata.forEach((automaton, index) => {
      figureOf(automaton, index, data.strings ?? []).mount(parent);
    });
  },
};
