export const textPerplexity = { id: "text", title: "Text", mount() {} };
