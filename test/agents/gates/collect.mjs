export const collect = true;
