export const capacity = { id: "capacity", title: "Capacity", mount() {} };
