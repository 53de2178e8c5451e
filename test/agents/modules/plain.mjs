export const value = 'plain';
