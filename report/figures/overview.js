export const overview = { id: "overview", title: "Overview", mount() {} };
