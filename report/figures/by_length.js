export const byLength = { id: "by-length", title: "By length", mount() {} };
