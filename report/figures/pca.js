export const pca = { id: "pca", title: "Components", mount() {} };
