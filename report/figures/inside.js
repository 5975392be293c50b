export const inside = { id: "inside", title: "Inside one string", mount() {} };
