export const learningCurves = { id: "learning-curves", title: "Learning curves", mount() {} };
