export interface Answer {
  readonly id: string;
}

export async function ask(how: string): Promise<Answer> {
  const response = await fetch(`${process.env['SERVER_URL']}/json?how=${how}`);
  return (await response.json()) as Answer;
}
